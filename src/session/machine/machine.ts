/** The machine that collectives are compiled for: the first noun of the library. */
import type { NearestChips } from '../../graph/index.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits, type Limits } from '../../ir/limits.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import { builtTopology, checkTopology, type MachineDescription } from './build.ts';
import type { MachineData } from './edited-machine.ts';
import type { MachineEdits, MachineOptions } from './machine-options.ts';

/** How a text is read as a machine. */
export interface ParseOptions extends MachineEdits {
  /** What messages and the topology call the text; default `machine.yaml`. */
  readonly name?: string | undefined;
  /** Values of the file's parameters, such as the extents of a torus. */
  readonly values?: readonly number[] | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** How a machine is found by its name. */
export interface LoadOptions extends MachineEdits {
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Reads the links of one chip instead of the whole topology: for compact plans on machines of up to millions of chips that all see the same links
   * (`torus:1000x1000`). Only `compile` and `bound` with `compact: true` take such a machine.
   */
  readonly compact?: boolean | undefined;
}

/** Where a machine was read from, so that it can be read in another form. */
interface MachineOrigin {
  readonly options: MachineOptions;
  readonly source: SourceText | undefined;
  readonly limits: Limits;
}

/**
 * Chips, switches, hosts and the links between them, with latencies (seconds), bandwidths (bytes per second), ports and engines. A machine does not
 * change; `edited` and the options of `load` make other ones.
 *
 * ```ts
 * const two = await Machine.load('h100:2');                            // a shipped machine, two boxes
 * const broken = await Machine.load('dgx1', { without: ['link:0-1'] });
 * const own = Machine.parse(await readFile('rack.yaml', 'utf8'));       // a topology file, or a dump of `nvidia-smi topo -m` …
 * const ring = Machine.build({ chips: 4, links: [0, 1, 2, 3].map((r) => ({ from: r, to: (r + 1) % 4, latency: '1us', bandwidth: '50GB/s' })) });
 * ```
 */
export class Machine {
  private readonly full: MachineData | undefined;
  private readonly origin: MachineOrigin | undefined;
  private readonly oneChip: SymmetricTopology | undefined;

  private constructor(full: MachineData | undefined, origin?: MachineOrigin, oneChip?: SymmetricTopology) {
    this.full = full;
    this.origin = origin;
    this.oneChip = oneChip;
  }

  /**
   * A machine by its name: a shipped one with its values (`ring:8`, `torus:4x4`, `h100:2`), a topology file, or a dump of NCCL, RCCL, `nvidia-smi`,
   * ASTRA-sim or SCCL (docs/machines.md).
   * @throws CccError 'unknown-name' with the nearest names, 'file', and those of the readers of files and edits, with the place in the file
   */
  static async load(name: string, options: LoadOptions = {}): Promise<Machine> {
    const { limits, compact, ...edits } = options;
    const read = compact === true ? Machine.readCompact : Machine.read;
    return read({ ...edits, topo: name }, { ...defaultLimits, ...limits });
  }

  /** A machine from the text of a topology file or of a dump. @throws CccError as `load`, without 'file' */
  static async parse(text: string, options: ParseOptions = {}): Promise<Machine> {
    const { name = 'machine.yaml', values = [], limits, ...edits } = options;
    const path = /\.(?:ya?ml|json|xml|txt)$/.test(name) ? name : `${name}.yaml`;
    const topo = values.length === 0 ? path : `${path}:${values.join(',')}`;
    return Machine.read({ ...edits, topo }, { ...defaultLimits, ...limits }, { name: path, text });
  }

  /**
   * A machine that a program describes.
   * @throws CccError 'schema', 'range' or 'unit' for values that make no sense, 'unknown-name' for nodes that do not exist, 'disconnected' if some chip
   * cannot reach another one
   */
  static build(description: MachineDescription): Machine {
    return Machine.of(builtTopology(description));
  }

  /** A machine of a topology that a program has made or changed. @throws CccError as `build` */
  static of(topology: Topology): Machine {
    checkTopology(topology);
    return new Machine({ topology, groups: undefined });
  }

  /** As `load`, from options of the command line. @param given the text of the machine's file, if it has been read already */
  static async read(options: MachineOptions, limits: Limits, given?: SourceText): Promise<Machine> {
    const { editedMachine, machineSource } = await import('./edited-machine.ts');
    const { topo } = options;
    const source = topo === undefined || topo === '' ? undefined : await machineSource(topo, options, limits, given);
    return new Machine(await editedMachine(options, limits, source), { options, source, limits });
  }

  /** As `load` with `compact`, from options of the command line. */
  static async readCompact(options: MachineOptions, limits: Limits): Promise<Machine> {
    const [{ machineSource }, { symmetricMachine }] = await Promise.all([
      import('./edited-machine.ts'),
      import('./symmetric-machine.ts'),
    ]);
    const { topo } = options;
    const source = topo === undefined || topo === '' ? undefined : await machineSource(topo, options, limits);
    return new Machine(undefined, { options, source, limits }, symmetricMachine(options, limits, source));
  }

  /** The machine as plain data. @throws CccError 'usage' for a machine that was loaded for compact plans */
  get data(): MachineData {
    if (this.full !== undefined) return this.full;
    throw new CccError('usage', `${this.name} was loaded for compact plans, without its topology`);
  }

  /** Nodes and links. @throws CccError 'usage' for a machine that was loaded for compact plans */
  get topology(): Topology {
    return this.data.topology;
  }

  /** Ranks of each process group, if several of them are to do the collective at the same time. */
  get groups(): MachineData['groups'] {
    return this.full?.groups;
  }

  /** The chips that the ranks were placed on, if the machine was loaded with fewer ranks than chips. */
  get placement(): NearestChips | undefined {
    return this.full?.placement;
  }

  get name(): string {
    return this.full?.topology.name ?? this.oneChip?.name ?? '';
  }

  /** Number of ranks: one for each chip, or for each chip of the process group. */
  get ranks(): number {
    if (this.oneChip !== undefined) return this.oneChip.shape.reduce((product, extent) => product * extent, 1);
    return ranksOf(this.topology);
  }

  /** Whether links or nodes were removed when the machine was loaded. */
  get hasLostParts(): boolean {
    return (this.origin?.options.without ?? []).length > 0;
  }

  /** Whether the ranks were placed on some of the chips. */
  get isPlaced(): boolean {
    return this.origin?.options.place !== undefined;
  }

  /** Whether the machine is as its file or name has it, but for numbers: nothing removed, no ranks moved, no protocol chosen. */
  get isUnchanged(): boolean {
    const { place, without, map, protocol } = this.origin?.options ?? {};
    return this.origin !== undefined && [place, without, map, protocol].every((edit) => edit === undefined);
  }

  /** The machine as it was before `without` removed links and nodes; undefined if nothing was removed. */
  async whole(): Promise<Machine | undefined> {
    if (this.origin === undefined || !this.hasLostParts) return undefined;
    const { options, limits, source } = this.origin;
    const { without: _, ...others } = options;
    const { editedMachine } = await import('./edited-machine.ts');
    return new Machine(await editedMachine(others, limits, source), { options: others, source, limits });
  }

  /**
   * The machine by the links of one chip, for compact plans.
   * @throws CccError 'unsupported' or 'usage' for a machine whose chips do not all see the same links
   */
  async symmetric(): Promise<SymmetricTopology> {
    if (this.oneChip !== undefined) return this.oneChip;
    if (this.origin === undefined) {
      throw new CccError('unsupported', 'compact plans are made for machines of a file or a name, not for built ones');
    }
    const { options, limits, source } = this.origin;
    return (await import('./symmetric-machine.ts')).symmetricMachine(options, limits, source);
  }

  /**
   * The topology of a machine with one group and without a choice of protocols, which most commands need.
   * @throws CccError 'usage' for several groups, or for a protocol that is still to be chosen
   */
  get single(): Topology {
    const { topology, groups, origin } = this;
    if (groups !== undefined) {
      throw new CccError('usage', `only compile takes several groups at once; ${groups.length} are given here`);
    }
    if (/^auto$/i.test(origin?.options.protocol ?? '')) {
      const names = Object.keys(topology.protocols ?? {}).join(', ');
      throw new CccError('usage', `only compile and tune choose a protocol: say which, of ${names}`);
    }
    return topology;
  }
}
