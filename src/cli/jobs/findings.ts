/** What the workers of a job have found so far, and which of it is the answer. */
import type { CccError } from '../../ir/diagnostic.ts';

export class WorkerResults<Result> {
  private readonly results = new Map<number, Result>();
  private readonly failures = new Map<number, CccError>();
  private readonly finished = new Set<number>();
  private readonly workers: number;
  private readonly costOf: (result: Result) => number;

  constructor(workers: number, costOf: (result: Result) => number) {
    this.workers = workers;
    this.costOf = costOf;
  }

  /** All workers have said their last word. */
  get isComplete(): boolean {
    return this.finished.size === this.workers;
  }

  get isEmpty(): boolean {
    return this.results.size === 0;
  }

  hasFinished(index: number): boolean {
    return this.finished.has(index);
  }

  /** What worker `index` has found; it replaces what it had before. */
  found(index: number, result: Result, isLast: boolean): void {
    this.results.set(index, result);
    if (isLast) this.finished.add(index);
  }

  failed(index: number, error: CccError): void {
    this.failures.set(index, error);
    this.finished.add(index);
  }

  /**
   * The best result; of equally good ones that of the first worker, so that it does not depend on who was faster. What a worker had
   * found before it failed counts where it met a limit: any other failure is about what was asked.
   * @throws CccError why there is none
   */
  answer(): Result {
    for (const [index, { code }] of this.failures) {
      if (code !== 'stopped' && code !== 'limit') this.results.delete(index);
    }
    const byWorker = [...this.results].sort(([a], [b]) => a - b).map(([, result]) => result);
    if (byWorker.length > 0) return byWorker.reduce((a, b) => (this.costOf(b) < this.costOf(a) ? b : a));
    throw this.failures.get(Math.min(...this.failures.keys())) ?? new Error('no worker has said anything');
  }
}
