/** Synchronisation of the threads of a run: a few words of shared memory with which threads meet, wake each other and are stopped. */
import { runs } from './limits.ts';

/** Indices of the words in shared memory, and their number. */
const words = { arrived: 0, generation: 1, changes: 2, sleepers: 3, stopped: 4, count: 5 } as const;

/** Thrown in every thread of a run that another thread has stopped. */
export class Stopped extends Error {}

export class Control {
  private readonly shared: Int32Array;
  private readonly threads: number;
  private readonly spins: number;

  /** @param isCrowded whether there are more threads than processors, so that spinning would keep others from working */
  constructor(memory: SharedArrayBuffer, threads: number, isCrowded: boolean) {
    this.shared = new Int32Array(memory);
    this.threads = threads;
    this.spins = isCrowded ? 0 : runs.spins;
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * words.count);
  }

  /** Barrier: waits until all threads have come. The last one calls `last` before the others continue. */
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

  /** Whether the threads have met to begin a run and not yet met to end it: they meet twice for each run. */
  get isRunning(): boolean {
    return Atomics.load(this.shared, words.generation) % 2 === 1;
  }

  /** A number that changes whenever something moves. */
  get changes(): number {
    return Atomics.load(this.shared, words.changes);
  }

  /** Announces progress: threads that wait for a change check their lanes again. */
  change(): void {
    Atomics.add(this.shared, words.changes, 1);
    if (Atomics.load(this.shared, words.sleepers) > 0) Atomics.notify(this.shared, words.changes);
  }

  /** Waits for progress after `seen` was read. With a single thread this would wait for ever. */
  waitForChange(seen: number): void {
    if (this.threads === 1) throw new Stopped();
    this.waitWhile(words.changes, seen);
  }

  /** Ends the run: every thread that waits, now or later, throws `Stopped`. */
  stop(): void {
    Atomics.store(this.shared, words.stopped, 1);
    for (const word of [words.generation, words.changes]) {
      Atomics.add(this.shared, word, 1);
      Atomics.notify(this.shared, word);
    }
  }

  /**
   * Spins for a while, then sleeps until the word changes. No wake-up is lost: either the thread that changes the word sees the sleeper, or the
   * sleeper sees the change.
   */
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
