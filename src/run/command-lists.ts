/**
 * An interpreter of command lists in the format `ccc-sg2260` (docs/sg2260.md), which knows nothing but that format: it imports nothing, and shares
 * nothing with what writes the lists. It runs every queue of every chip on real buffers in an order drawn at random, and refuses whatever a limit
 * in the document does not allow, any address outside its region, messages whose ends differ, signals that get lost and queues that get stuck.
 */

/** Why a document cannot be run, with where in it. */
export class CommandError extends Error {}

/** Memory of one chip, and where its input and output begin in it. */
export interface ChipMemory {
  readonly regions: ReadonlyMap<string, Uint8Array>;
  readonly input: Uint8Array;
  readonly output: Uint8Array;
}

export interface CommandRun {
  /** By rank, when all queues are through. */
  readonly chips: readonly ChipMemory[];
  readonly commands: number;
}

interface Place {
  readonly memory: Uint8Array;
  readonly offset: number;
  readonly rows: number;
  readonly rowBytes: number;
  readonly strideBytes: number;
  readonly space: string;
}

interface Signal {
  readonly id: number;
  readonly count: number;
}

interface Command {
  readonly op: string;
  readonly from: Place | undefined;
  readonly to: Place | undefined;
  readonly reduce: string;
  readonly wait: readonly Signal[];
  readonly post: readonly Signal[];
  readonly where: string;
}

interface Queue {
  readonly rank: number;
  readonly engine: string;
  readonly peer: number;
  readonly commands: readonly Command[];
  next: number;
}

const engines: Readonly<Record<string, readonly string[]>> = {
  send: ['send'],
  receive: ['receive', 'receive-reduce'],
  copy: ['copy'],
  'copy in': ['copy'],
  reduce: ['reduce'],
};

/**
 * Runs a document.
 * @param fill writes the input of a rank, before anything runs
 * @param random numbers from 0 to 1, which decide who goes next
 * @throws CommandError for a document that is not what the format says, or that does not run to its end within its limits
 */
export function runCommandLists(
  json: string,
  fill: (rank: number, input: Uint8Array) => void,
  random: () => number = Math.random,
): CommandRun {
  const machine = new Machine(record(JSON.parse(json), 'document'));
  machine.chips.forEach(({ input }, rank) => {
    fill(rank, input);
  });
  machine.run(random);
  const commands = machine.queues.reduce((sum, queue) => sum + queue.commands.length, 0);
  return { chips: machine.chips, commands };
}

class Machine {
  readonly chips: ChipMemory[] = [];
  readonly queues: Queue[] = [];
  private readonly arithmetic: Arithmetic;
  private readonly alignment: number;
  private readonly ids: number;
  private readonly counts: number;
  private readonly dimensions: readonly number[];
  private readonly stride: number;
  private readonly inflight: number;
  private readonly operators: Readonly<Record<string, unknown>>;
  private readonly dtype: string;
  private readonly spaces: ReadonlyMap<string, string>[] = [];
  /** By rank: of each number that has been signalled, how many waits are still to take it. */
  private readonly signalled: Map<number, number>[] = [];
  /** Messages under way, by sender and receiver. */
  private readonly ports = new Map<string, Uint8Array[]>();

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
    this.signalled.push(new Map());
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
  ): Command {
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

  private placeOf(value: unknown, rank: number, where: string): Place {
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

  /** Runs queues until all are through. */
  run(random: () => number): void {
    const open = this.queues.filter(({ commands }) => commands.length > 0);
    while (open.length > 0) {
      const start = Math.floor(random() * open.length);
      let ran = -1;
      for (let i = 0; i < open.length && ran < 0; i++) {
        const at = (start + i) % open.length;
        if (this.step(open[at])) ran = at;
      }
      if (ran < 0)
        throw new CommandError(`stuck at ${open.map(({ commands, next }) => commands[next].where).join('; ')}`);
      if (open[ran].next === open[ran].commands.length) open.splice(ran, 1);
    }
    for (const [rank, numbers] of this.signalled.entries()) {
      need(numbers.size === 0, `rank ${rank} has signals that nobody took`);
    }
    for (const messages of this.ports.values()) need(messages.length === 0, 'a message was never received');
  }

  /** Runs the next command of a queue if it can; false if it has to wait. */
  private step(queue: Queue): boolean {
    const command = queue.commands[queue.next];
    const signalled = this.signalled[queue.rank];
    if (!command.wait.every(({ id }) => signalled.has(id))) return false;
    const isMessage = queue.engine === 'send' || queue.engine === 'receive';
    const port = isMessage ? this.portOf(queue) : [];
    if (queue.engine === 'send' && port.length >= this.inflight) return false;
    if (queue.engine === 'receive' && port.length === 0) return false;
    for (const { id, count } of command.wait) {
      need(count === 1, `${command.where}: waits for one signal of a number`);
      const left = (signalled.get(id) ?? 0) - 1;
      if (left === 0) signalled.delete(id);
      else signalled.set(id, left);
    }
    this.move(command, port);
    for (const { id, count } of command.post) {
      need(!signalled.has(id), `${command.where}: number ${id} is still in use`);
      signalled.set(id, count);
    }
    queue.next++;
    return true;
  }

  private portOf({ rank, engine, peer }: Queue): Uint8Array[] {
    const key = engine === 'send' ? `${rank} ${peer}` : `${peer} ${rank}`;
    const port = this.ports.get(key) ?? [];
    this.ports.set(key, port);
    return port;
  }

  private move({ op, from, to, reduce, where }: Command, port: Uint8Array[]): void {
    const data = from === undefined ? port.shift() : readAt(from);
    need(data !== undefined, `${where}: nothing to move`);
    if (to === undefined) {
      port.push(data);
      return;
    }
    need(data.length === sizeOf(to), `${where}: gets ${data.length} bytes for ${sizeOf(to)}`);
    const combined = op === 'copy' || op === 'receive' ? data : this.arithmetic.combine(reduce, readAt(to), data);
    writeAt(to, combined);
  }
}

function sizeOf({ rows, rowBytes }: Place): number {
  return rows * rowBytes;
}

function readAt({ memory, offset, rows, rowBytes, strideBytes }: Place): Uint8Array {
  const data = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row++) {
    const start = offset + row * strideBytes;
    data.set(memory.subarray(start, start + rowBytes), row * rowBytes);
  }
  return data;
}

function writeAt({ memory, offset, rows, rowBytes, strideBytes }: Place, data: Uint8Array): void {
  for (let row = 0; row < rows; row++) {
    memory.set(data.subarray(row * rowBytes, (row + 1) * rowBytes), offset + row * strideBytes);
  }
}

/** Numbers of one element type. */
interface Arithmetic {
  readonly bytes: number;
  readonly operators: ReadonlySet<string>;
  combine(operator: string, held: Uint8Array, other: Uint8Array): Uint8Array;
}

const float: readonly string[] = ['add', 'mul', 'max', 'min'];
const sizes: Readonly<Record<string, number>> = {
  ...{ i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, u32: 4, i64: 8, u64: 8, f16: 2, bf16: 2, f32: 4, f64: 8 },
};

function arithmeticOf(dtype: string): Arithmetic {
  const bytes = sizes[dtype];
  need(bytes !== undefined, `there is no element type ${dtype}`);
  const access = accessOf(dtype);
  return {
    bytes,
    operators: new Set(access === undefined ? [] : dtype === 'i32' ? ['add', 'max', 'min'] : float),
    combine(operator, held, other) {
      const result = new Uint8Array(held.length);
      const [a, b, c] = [held, other, result].map((array) => new DataView(array.buffer, array.byteOffset));
      if (access === undefined) throw new CommandError(`no arithmetic of ${dtype}`);
      for (let at = 0; at < held.length; at += bytes) {
        access.set(c, at, applied(operator, access.get(a, at), access.get(b, at)));
      }
      return result;
    },
  };
}

function applied(operator: string, a: number, b: number): number {
  switch (operator) {
    case 'add':
      return a + b;
    case 'mul':
      return a * b;
    case 'max':
      return Math.max(a, b);
    default:
      return Math.min(a, b);
  }
}

interface Access {
  get(view: DataView, at: number): number;
  set(view: DataView, at: number, value: number): void;
}

/** Reads and writes a number of the element types that are reduced. */
function accessOf(dtype: string): Access | undefined {
  switch (dtype) {
    case 'f32':
      return { get: (v, at) => v.getFloat32(at, true), set: (v, at, value) => v.setFloat32(at, value, true) };
    case 'i32':
      return { get: (v, at) => v.getInt32(at, true), set: (v, at, value) => v.setInt32(at, value | 0, true) };
    case 'f16':
      return { get: (v, at) => fromHalf(v.getUint16(at, true)), set: (v, at, x) => v.setUint16(at, toHalf(x), true) };
    case 'bf16':
      return {
        get: (v, at) => fromBfloat(v.getUint16(at, true)),
        set: (v, at, x) => v.setUint16(at, toBfloat(x), true),
      };
    default:
      return undefined;
  }
}

const wide = new DataView(new ArrayBuffer(4));

/** The number that 16 bits of IEEE binary16 are. */
export function fromHalf(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 === 1 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The nearest binary16, ties to even. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(size === 0 ? 1e-9 : size)));
  const steps = evenly(size * 2 ** (10 - exponent));
  // Steps beyond a binade carry into the exponent by themselves.
  return sign | (((exponent + 14) << 10) + steps);
}

function evenly(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

function fromBfloat(bits: number): number {
  wide.setUint32(0, bits * 2 ** 16);
  return wide.getFloat32(0);
}

/** The upper half of a binary32, ties to even. */
function toBfloat(value: number): number {
  wide.setFloat32(0, value);
  const bits = wide.getUint32(0);
  const kept = Math.floor(bits / 2 ** 16);
  const rest = bits % 2 ** 16;
  return rest > 0x8000 || (rest === 0x8000 && kept % 2 === 1) ? kept + 1 : kept;
}

function need(holds: boolean, message: string): asserts holds {
  if (!holds) throw new CommandError(message);
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  need(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is no object`);
  return { ...value };
}

function list(value: unknown, what: string): readonly unknown[] {
  need(Array.isArray(value), `${what} is no list`);
  return value;
}

function text(value: unknown, what: string): string {
  need(typeof value === 'string', `${what} is no text`);
  return value;
}

function whole(value: unknown, what: string, least: number): number {
  need(Number.isSafeInteger(value) && Number(value) >= least, `${what} is no whole number from ${least} on`);
  return Number(value);
}
