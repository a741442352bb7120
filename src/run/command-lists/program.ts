/** A document of command lists as a program: every limit and every address in it checked, nothing run yet. */
import { type Arithmetic, arithmeticOf } from './arithmetic.ts';
import { list, need, record, text, whole } from './fields.ts';

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
    need(document.format === 'ccc-sg2260' && document.version === 1, 'document is not ccc-sg2260, version 1');
    const limits = record(document.limits, 'limits');
    this.alignment = whole(limits.alignment, 'limits.alignment', 1);
    this.ids = whole(limits.ids, 'limits.ids', 1);
    this.counts = whole(limits.counts, 'limits.counts', 1);
    this.stride = whole(limits.stride, 'limits.stride', 1);
    this.inflight = limits.inflight === undefined ? Number.POSITIVE_INFINITY : whole(limits.inflight, 'inflight', 1);
    this.dimensions = list(limits.dimensions, 'limits.dimensions').map((size) => whole(size, 'a dimension', 1));
    this.operators = limits.operators === undefined ? {} : record(limits.operators, 'limits.operators');
    this.dtype = text(document.dtype, 'dtype');
    this.arithmetic = arithmeticOf(this.dtype);
    const chips = list(document.chips, 'chips').map((chip, rank) => record(chip, `chips[${rank}]`));
    const chipMap = list(document.chipMap, 'chipMap');
    need(new Set(chipMap).size === chips.length, 'chipMap does not give each rank a chip of its own');
    const fast = limits.l2 === undefined ? Number.POSITIVE_INFINITY : whole(limits.l2, 'limits.l2', 0);
    chips.forEach((chip, rank) => {
      need(chip.rank === rank && chip.chip === chipMap[rank], `chips[${rank}] is not rank ${rank} on its chip`);
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
    for (const one of list(chip.regions, 'regions')) {
      const region = record(one, 'a region');
      const [name, bytes] = [text(region.region, 'a region'), whole(region.bytes, 'bytes', 0)];
      const space = text(region.space, 'a space');
      need(space === 'ddr' || space === 'l2', `there is no memory ${space}`);
      if (space === 'l2') inFast += bytes;
      regions.set(name, new Uint8Array(bytes));
      spaces.set(name, space);
    }
    need(inFast <= fast, `rank ${rank} has ${inFast} bytes in an L2 of ${fast}`);
    const windowOf = (what: unknown): Uint8Array => {
      const { region, offset } = record(what, 'a window');
      const memory = regions.get(text(region, 'a region'));
      need(memory !== undefined, 'a window of no region');
      return memory.subarray(whole(offset, 'offset', 0));
    };
    this.chips.push({ regions, input: windowOf(chip.input), output: windowOf(chip.output) });
    this.spaces.push(spaces);
  }

  private addQueues(chip: Readonly<Record<string, unknown>>, rank: number): void {
    const names = new Set<string>();
    list(chip.queues, 'queues').forEach((one, index) => {
      const queue = record(one, `queue ${index} of rank ${rank}`);
      const engine = text(queue.engine, 'an engine');
      const allowed = engines[engine];
      need(allowed !== undefined, `there is no engine ${engine}`);
      const hasPeer = engine === 'send' || engine === 'receive';
      const peer = hasPeer ? whole(queue.peer, 'peer', 0) : -1;
      need(!hasPeer || (peer < this.chips.length && peer !== rank), `rank ${rank} has no port to rank ${peer}`);
      need(!names.has(`${engine} ${peer}`), `rank ${rank} has two queues for ${engine} ${peer}`);
      names.add(`${engine} ${peer}`);
      const commands = list(queue.commands, 'commands').map((row, i) => {
        const where = `rank ${rank}, ${engine}${hasPeer ? ` ${peer}` : ''}, command ${i}`;
        return this.commandOf(record(row, where), rank, allowed, where);
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
    const op = text(row.op, where);
    need(allowed.includes(op), `${where}: this queue has no ${op}`);
    need(row.dtype === this.dtype, `${where}: another element type`);
    const reads = op === 'send' || op === 'copy' || op === 'reduce';
    const from = reads ? this.placeOf(row.from, rank, where) : undefined;
    const to = op === 'send' ? undefined : this.placeOf(row.to, rank, where);
    need(from === undefined || to === undefined || sizeOf(from) === sizeOf(to), `${where}: its ends differ in size`);
    const combines = op === 'reduce' || op === 'receive-reduce';
    const reduce = combines ? text(row.reduce, `${where}: an operator`) : '';
    if (combines) {
      need(to?.space === 'l2', `${where}: reductions end in L2`);
      need(this.arithmetic.operators.has(reduce), `${where}: no ${reduce} of ${this.dtype}`);
      const types = this.operators[reduce];
      need(types === undefined || list(types, 'types').includes(this.dtype), `${where}: no ${reduce} of ${this.dtype}`);
    }
    const signals = (what: unknown): readonly Signal[] =>
      what === undefined ? [] : list(what, where).map((one) => this.signalOf(record(one, where), where));
    return { op, from, to, reduce, wait: signals(row.wait), post: signals(row.post), where };
  }

  private signalOf({ id, count }: Readonly<Record<string, unknown>>, where: string): Signal {
    const number = whole(id, `${where}: id`, 0);
    const times = whole(count, `${where}: count`, 1);
    need(number < this.ids && times <= this.counts, `${where}: signal ${number} × ${times} is out of range`);
    return { id: number, count: times };
  }

  private placeOf(value: unknown, rank: number, where: string): MemoryRegion {
    const { region, space, offset, shape, strides } = record(value, where);
    const name = text(region, `${where}: a region`);
    const memory = this.chips[rank].regions.get(name);
    need(
      memory !== undefined && this.spaces[rank].get(name) === space,
      `${where}: no region ${name} in ${String(space)}`,
    );
    const sizes = list(shape, `${where}: a shape`).map((size) => whole(size, `${where}: a shape`, 1));
    const steps = list(strides, `${where}: strides`).map((step) => whole(step, `${where}: strides`, 1));
    need(sizes.length === 4 && steps.length === 4, `${where}: shapes and strides have four numbers`);
    need(
      sizes.every((size, i) => size <= this.dimensions[i]),
      `${where}: shape ${sizes.join('×')} is out of range`,
    );
    need(
      steps.every((step) => step <= this.stride),
      `${where}: a stride is out of range`,
    );
    const [rows, channels, height, width] = sizes;
    need(channels === 1 && height === 1 && steps[3] === 1, `${where}: only rows of neighbours are written`);
    const bytes = this.arithmetic.bytes;
    const place = {
      memory,
      offset: whole(offset, `${where}: offset`, 0),
      ...{ rows, rowBytes: width * bytes, strideBytes: steps[0] * bytes, space: text(space, where) },
    };
    const isAligned = [place.offset, place.rowBytes, ...(rows > 1 ? [place.strideBytes] : [])].every(
      (number) => number % this.alignment === 0,
    );
    need(isAligned, `${where}: not aligned to ${this.alignment} bytes`);
    need(rows === 1 || place.strideBytes >= place.rowBytes, `${where}: rows overlap`);
    const end = place.offset + (rows - 1) * place.strideBytes + place.rowBytes;
    need(end <= memory.length, `${where}: ends at ${end} in a region of ${memory.length} bytes`);
    return place;
  }
}

export function sizeOf({ rows, rowBytes }: MemoryRegion): number {
  return rows * rowBytes;
}
