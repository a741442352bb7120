/** A document of command lists as a program: every limit and every address in it checked, nothing run yet. */
import { type Arithmetic, arithmeticOf } from './arithmetic.ts';
import { listField, recordField, requireThat, textField, wholeField } from './fields.ts';

/** Memory of one chip, and where its input and output begin in it. */
export interface ChipMemory {
  readonly regions: ReadonlyMap<string, Uint8Array>;
  readonly input: Uint8Array;
  readonly output: Uint8Array;
}

export interface MemoryRegion {
  readonly memory: Uint8Array;
  readonly offset: number;
  readonly rows: number;
  readonly rowBytes: number;
  readonly strideBytes: number;
  readonly space: string;
}

export interface Signal {
  readonly id: number;
  readonly count: number;
}

export interface ListedCommand {
  readonly op: string;
  readonly from: MemoryRegion | undefined;
  readonly to: MemoryRegion | undefined;
  readonly reduce: string;
  readonly wait: readonly Signal[];
  readonly post: readonly Signal[];
  readonly where: string;
}

export interface ListedQueue {
  readonly rank: number;
  readonly engine: string;
  readonly peer: number;
  readonly commands: readonly ListedCommand[];
  next: number;
}

const engines: Readonly<Record<string, readonly string[]>> = {
  send: ['send'],
  receive: ['receive', 'receive-reduce'],
  copy: ['copy'],
  'copy in': ['copy'],
  reduce: ['reduce'],
};

/** @throws CommandError for a document that is not what the format says */
export class CommandLists {
  readonly chips: ChipMemory[] = [];
  readonly queues: ListedQueue[] = [];
  readonly arithmetic: Arithmetic;
  private readonly alignment: number;
  private readonly ids: number;
  private readonly counts: number;
  private readonly dimensions: readonly number[];
  private readonly stride: number;
  /** Messages that a port holds. */
  readonly inflight: number;
  private readonly operators: Readonly<Record<string, unknown>>;
  private readonly dtype: string;
  private readonly spaces: ReadonlyMap<string, string>[] = [];

  constructor(document: Readonly<Record<string, unknown>>) {
    requireThat(document.format === 'ccc-sg2260' && document.version === 1, 'document is not ccc-sg2260, version 1');
    const limits = recordField(document.limits, 'limits');
    this.alignment = wholeField(limits.alignment, 'limits.alignment', 1);
    this.ids = wholeField(limits.ids, 'limits.ids', 1);
    this.counts = wholeField(limits.counts, 'limits.counts', 1);
    this.stride = wholeField(limits.stride, 'limits.stride', 1);
    this.inflight =
      limits.inflight === undefined ? Number.POSITIVE_INFINITY : wholeField(limits.inflight, 'inflight', 1);
    this.dimensions = listField(limits.dimensions, 'limits.dimensions').map((size) =>
      wholeField(size, 'a dimension', 1),
    );
    this.operators = limits.operators === undefined ? {} : recordField(limits.operators, 'limits.operators');
    this.dtype = textField(document.dtype, 'dtype');
    this.arithmetic = arithmeticOf(this.dtype);
    const chips = listField(document.chips, 'chips').map((chip, rank) => recordField(chip, `chips[${rank}]`));
    const chipMap = listField(document.chipMap, 'chipMap');
    requireThat(new Set(chipMap).size === chips.length, 'chipMap does not give each rank a chip of its own');
    const fast = limits.l2 === undefined ? Number.POSITIVE_INFINITY : wholeField(limits.l2, 'limits.l2', 0);
    chips.forEach((chip, rank) => {
      requireThat(chip.rank === rank && chip.chip === chipMap[rank], `chips[${rank}] is not rank ${rank} on its chip`);
      this.addMemory(chip, rank, fast);
    });
    chips.forEach((chip, rank) => {
      this.addQueues(chip, rank);
    });
  }

  private addMemory(chip: Readonly<Record<string, unknown>>, rank: number, fast: number): void {
    const regions = new Map<string, Uint8Array>();
    const spaces = new Map<string, string>();
    let inFast = 0;
    for (const one of listField(chip.regions, 'regions')) {
      const region = recordField(one, 'a region');
      const [name, bytes] = [textField(region.region, 'a region'), wholeField(region.bytes, 'bytes', 0)];
      const space = textField(region.space, 'a space');
      requireThat(space === 'ddr' || space === 'l2', `there is no memory ${space}`);
      if (space === 'l2') inFast += bytes;
      regions.set(name, new Uint8Array(bytes));
      spaces.set(name, space);
    }
    requireThat(inFast <= fast, `rank ${rank} has ${inFast} bytes in an L2 of ${fast}`);
    const windowOf = (what: unknown): Uint8Array => {
      const { region, offset } = recordField(what, 'a window');
      const memory = regions.get(textField(region, 'a region'));
      requireThat(memory !== undefined, 'a window of no region');
      return memory.subarray(wholeField(offset, 'offset', 0));
    };
    this.chips.push({ regions, input: windowOf(chip.input), output: windowOf(chip.output) });
    this.spaces.push(spaces);
  }

  private addQueues(chip: Readonly<Record<string, unknown>>, rank: number): void {
    const names = new Set<string>();
    listField(chip.queues, 'queues').forEach((one, index) => {
      const queue = recordField(one, `queue ${index} of rank ${rank}`);
      const engine = textField(queue.engine, 'an engine');
      const allowed = engines[engine];
      requireThat(allowed !== undefined, `there is no engine ${engine}`);
      const hasPeer = engine === 'send' || engine === 'receive';
      const peer = hasPeer ? wholeField(queue.peer, 'peer', 0) : -1;
      requireThat(!hasPeer || (peer < this.chips.length && peer !== rank), `rank ${rank} has no port to rank ${peer}`);
      requireThat(!names.has(`${engine} ${peer}`), `rank ${rank} has two queues for ${engine} ${peer}`);
      names.add(`${engine} ${peer}`);
      const commands = listField(queue.commands, 'commands').map((row, i) => {
        const where = `rank ${rank}, ${engine}${hasPeer ? ` ${peer}` : ''}, command ${i}`;
        return this.commandOf(recordField(row, where), rank, allowed, where);
      });
      this.queues.push({ rank, engine, peer, commands, next: 0 });
    });
  }

  private commandOf(
    row: Readonly<Record<string, unknown>>,
    rank: number,
    allowed: readonly string[],
    where: string,
  ): ListedCommand {
    const op = textField(row.op, where);
    requireThat(allowed.includes(op), `${where}: this queue has no ${op}`);
    requireThat(row.dtype === this.dtype, `${where}: another element type`);
    const reads = op === 'send' || op === 'copy' || op === 'reduce';
    const from = reads ? this.placeOf(row.from, rank, where) : undefined;
    const to = op === 'send' ? undefined : this.placeOf(row.to, rank, where);
    requireThat(
      from === undefined || to === undefined || regionBytes(from) === regionBytes(to),
      `${where}: its ends differ in size`,
    );
    const combines = op === 'reduce' || op === 'receive-reduce';
    const reduce = combines ? textField(row.reduce, `${where}: an operator`) : '';
    if (combines) {
      requireThat(to?.space === 'l2', `${where}: reductions end in L2`);
      requireThat(this.arithmetic.operators.has(reduce), `${where}: no ${reduce} of ${this.dtype}`);
      const types = this.operators[reduce];
      requireThat(
        types === undefined || listField(types, 'types').includes(this.dtype),
        `${where}: no ${reduce} of ${this.dtype}`,
      );
    }
    const signals = (what: unknown): readonly Signal[] =>
      what === undefined ? [] : listField(what, where).map((one) => this.signalOf(recordField(one, where), where));
    return { op, from, to, reduce, wait: signals(row.wait), post: signals(row.post), where };
  }

  private signalOf({ id, count }: Readonly<Record<string, unknown>>, where: string): Signal {
    const number = wholeField(id, `${where}: id`, 0);
    const times = wholeField(count, `${where}: count`, 1);
    requireThat(number < this.ids && times <= this.counts, `${where}: signal ${number} × ${times} is out of range`);
    return { id: number, count: times };
  }

  private placeOf(value: unknown, rank: number, where: string): MemoryRegion {
    const { region, space, offset, shape, strides } = recordField(value, where);
    const name = textField(region, `${where}: a region`);
    const memory = this.chips[rank].regions.get(name);
    requireThat(
      memory !== undefined && this.spaces[rank].get(name) === space,
      `${where}: no region ${name} in ${String(space)}`,
    );
    const sizes = listField(shape, `${where}: a shape`).map((size) => wholeField(size, `${where}: a shape`, 1));
    const steps = listField(strides, `${where}: strides`).map((step) => wholeField(step, `${where}: strides`, 1));
    requireThat(sizes.length === 4 && steps.length === 4, `${where}: shapes and strides have four numbers`);
    requireThat(
      sizes.every((size, i) => size <= this.dimensions[i]),
      `${where}: shape ${sizes.join('×')} is out of range`,
    );
    requireThat(
      steps.every((step) => step <= this.stride),
      `${where}: a stride is out of range`,
    );
    const [rows, channels, height, width] = sizes;
    requireThat(channels === 1 && height === 1 && steps[3] === 1, `${where}: only rows of neighbours are written`);
    const bytes = this.arithmetic.bytes;
    const place = {
      memory,
      offset: wholeField(offset, `${where}: offset`, 0),
      ...{ rows, rowBytes: width * bytes, strideBytes: steps[0] * bytes, space: textField(space, where) },
    };
    const isAligned = [place.offset, place.rowBytes, ...(rows > 1 ? [place.strideBytes] : [])].every(
      (number) => number % this.alignment === 0,
    );
    requireThat(isAligned, `${where}: not aligned to ${this.alignment} bytes`);
    requireThat(rows === 1 || place.strideBytes >= place.rowBytes, `${where}: rows overlap`);
    const end = place.offset + (rows - 1) * place.strideBytes + place.rowBytes;
    requireThat(end <= memory.length, `${where}: ends at ${end} in a region of ${memory.length} bytes`);
    return place;
  }
}

export function regionBytes({ rows, rowBytes }: MemoryRegion): number {
  return rows * rowBytes;
}
