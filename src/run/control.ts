/** How the threads of a run meet, wake each other and are told to stop: a few shared words. */
import { runs } from './limits.ts';

/** Words of the shared memory that a control needs. */
const words = { arrived: 0, generation: 1, changes: 2, sleepers: 3, stopped: 4, count: 5 } as const;

/** Why a run ended early: somebody told it to. */
export class Stopped extends Error {}

export class Control {
  private readonly shared: Int32Array;
  private readonly threads: number;
  private readonly spins: number;

  /** `isCrowded`: there are more threads than processors, so that spinning keeps others from working. */
  constructor(memory: SharedArrayBuffer, threads: number, isCrowded: boolean) {
    this.shared = new Int32Array(memory);
    this.threads = threads;
    this.spins = isCrowded ? 0 : runs.spins;
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * words.count);
  }

  /** Waits until all threads have come; the last one does `last` before they go on. */
  meet(last: () => void): void {
    const generation = Atomics.load(this.shared, words.generation);
    if (Atomics.add(this.shared, words.arrived, 1) + 1 < this.threads) {
      this.waitWhile(words.generation, generation);
      return;
    }
    last();
    Atomics.store(this.shared, words.arrived, 0);
    Atomics.add(this.shared, words.generation, 1);
    Atomics.notify(this.shared, words.generation);
  }

  /** Whether threads have met to begin and not yet met again to end: they meet twice for each run. */
  get isRunning(): boolean {
    return Atomics.load(this.shared, words.generation) % 2 === 1;
  }

  /** A number that changes whenever something moves. */
  get changes(): number {
    return Atomics.load(this.shared, words.changes);
  }

  /** Something has moved: whoever waits for a change looks again. */
  change(): void {
    Atomics.add(this.shared, words.changes, 1);
    if (Atomics.load(this.shared, words.sleepers) > 0) Atomics.notify(this.shared, words.changes);
  }

  /** Waits until something moves after `seen` was read. A thread that is alone would wait for ever. */
  waitForChange(seen: number): void {
    if (this.threads === 1) throw new Stopped();
    this.waitWhile(words.changes, seen);
  }

  /** Ends the run: every thread that waits, or will, throws `Stopped`. */
  stop(): void {
    Atomics.store(this.shared, words.stopped, 1);
    for (const word of [words.generation, words.changes]) {
      Atomics.add(this.shared, word, 1);
      Atomics.notify(this.shared, word);
    }
  }

  /** Looks for a while, then sleeps. Whoever changes the word afterwards sees the sleeper, or the sleeper sees the change. */
  private waitWhile(word: number, value: number): void {
    for (let spin = 0; spin < this.spins; spin++) if (Atomics.load(this.shared, word) !== value) break;
    if (Atomics.load(this.shared, word) === value) {
      Atomics.add(this.shared, words.sleepers, 1);
      Atomics.wait(this.shared, word, value);
      Atomics.sub(this.shared, words.sleepers, 1);
    }
    if (Atomics.load(this.shared, words.stopped) !== 0) throw new Stopped();
  }
}
