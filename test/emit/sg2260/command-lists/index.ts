/**
 * An interpreter of command lists in the format `ccc-sg2260` (docs/sg2260.md), which knows nothing but that format: it imports nothing, and shares
 * nothing with what writes the lists. It runs every queue of every chip on real buffers in an order drawn at random, and refuses whatever a limit
 * in the document does not allow, any address outside its region, messages whose ends differ, signals that get lost and queues that get stuck.
 */
import { CommandError, recordField, requireThat } from './fields.ts';
import {
  type ChipMemory,
  CommandLists,
  type ListedCommand,
  type ListedQueue,
  type MemoryRegion,
  regionBytes,
} from './program.ts';

export { fromHalf, toHalf } from './arithmetic.ts';
export { CommandError } from './fields.ts';

export interface CommandRun {
  /** By rank, when all queues are through. */
  readonly chips: readonly ChipMemory[];
  readonly commands: number;
}

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
  const program = new CommandLists(recordField(JSON.parse(json), 'document'));
  program.chips.forEach(({ input }, rank) => {
    fill(rank, input);
  });
  new Run(program).finish(random);
  const commands = program.queues.reduce((sum, queue) => sum + queue.commands.length, 0);
  return { chips: program.chips, commands };
}

/** A program under way. */
class Run {
  private readonly program: CommandLists;
  /** By rank: of each number that has been signalled, how many waits are still to take it. */
  private readonly signalled: readonly Map<number, number>[];
  /** Messages under way, by sender and receiver. */
  private readonly ports = new Map<string, Uint8Array[]>();

  constructor(program: CommandLists) {
    this.program = program;
    this.signalled = program.chips.map(() => new Map());
  }

  /** Runs queues until all are through. */
  finish(random: () => number): void {
    const open = this.program.queues.filter(({ commands }) => commands.length > 0);
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
      requireThat(numbers.size === 0, `rank ${rank} has signals that nobody took`);
    }
    for (const messages of this.ports.values()) requireThat(messages.length === 0, 'a message was never received');
  }

  /** Runs the next command of a queue if it can; false if it has to wait. */
  private step(queue: ListedQueue): boolean {
    const command = queue.commands[queue.next];
    const signalled = this.signalled[queue.rank];
    if (!command.wait.every(({ id }) => signalled.has(id))) return false;
    const isMessage = queue.engine === 'send' || queue.engine === 'receive';
    const port = isMessage ? this.portOf(queue) : [];
    if (queue.engine === 'send' && port.length >= this.program.inflight) return false;
    if (queue.engine === 'receive' && port.length === 0) return false;
    for (const { id, count } of command.wait) {
      requireThat(count === 1, `${command.where}: waits for one signal of a number`);
      const left = (signalled.get(id) ?? 0) - 1;
      if (left === 0) signalled.delete(id);
      else signalled.set(id, left);
    }
    this.move(command, port);
    for (const { id, count } of command.post) {
      requireThat(!signalled.has(id), `${command.where}: number ${id} is still in use`);
      signalled.set(id, count);
    }
    queue.next++;
    return true;
  }

  private portOf({ rank, engine, peer }: ListedQueue): Uint8Array[] {
    const key = engine === 'send' ? `${rank} ${peer}` : `${peer} ${rank}`;
    const port = this.ports.get(key) ?? [];
    this.ports.set(key, port);
    return port;
  }

  private move({ op, from, to, reduce, where }: ListedCommand, port: Uint8Array[]): void {
    const data = from === undefined ? port.shift() : readAt(from);
    requireThat(data !== undefined, `${where}: nothing to move`);
    if (to === undefined) {
      port.push(data);
      return;
    }
    requireThat(data.length === regionBytes(to), `${where}: gets ${data.length} bytes for ${regionBytes(to)}`);
    const combined =
      op === 'copy' || op === 'receive' ? data : this.program.arithmetic.combine(reduce, readAt(to), data);
    writeAt(to, combined);
  }
}

function readAt({ memory, offset, rows, rowBytes, strideBytes }: MemoryRegion): Uint8Array {
  const data = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row++) {
    const start = offset + row * strideBytes;
    data.set(memory.subarray(start, start + rowBytes), row * rowBytes);
  }
  return data;
}

function writeAt({ memory, offset, rows, rowBytes, strideBytes }: MemoryRegion, data: Uint8Array): void {
  for (let row = 0; row < rows; row++) {
    memory.set(data.subarray(row * rowBytes, (row + 1) * rowBytes), offset + row * strideBytes);
  }
}
