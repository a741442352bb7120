/** What the workers of a job have found so far, and which of their results is the answer. */
import type { CccError } from '../../ir/diagnostic.ts';

export class WorkerResults<Result> {
  private readonly results = new Map<number, Result>();
  private readonly failures = new Map<number, CccError>();
  private readonly finished = new Set<number>();
  private readonly workers: number;
  private readonly costOf: (result: Result) => number;
  private bestCost = Number.POSITIVE_INFINITY;

  /** @param costOf the value by which results are compared; smaller is better */
  constructor(workers: number, costOf: (result: Result) => number) {
    this.workers = workers;
    this.costOf = costOf;
  }

  /** Whether all workers have sent their last message. */
  get isComplete(): boolean {
    return this.finished.size === this.workers;
  }

  get isEmpty(): boolean {
    return this.results.size === 0;
  }

  hasFinished(index: number): boolean {
    return this.finished.has(index);
  }

  /** Takes the result of worker `index`, which replaces that worker's earlier one. Returns whether no result before was better. */
  found(index: number, result: Result, isLast: boolean): boolean {
    this.results.set(index, result);
    if (isLast) this.finished.add(index);
    const cost = this.costOf(result);
    const isBetter = cost <= this.bestCost;
    this.bestCost = Math.min(this.bestCost, cost);
    return isBetter;
  }

  failed(index: number, error: CccError): void {
    this.failures.set(index, error);
    this.finished.add(index);
  }

  /**
   * The best result. Of equally good ones it is that of the worker with the lowest number, so that the answer does not depend on which worker
   * was faster. A worker that met a limit keeps the result that it had reported before; any other failure concerns the request itself and discards
   * it.
   * @throws CccError the failure of the first worker, if there is no result
   */
  answer(): Result {
    for (const [index, { code }] of this.failures) {
      if (code !== 'stopped' && code !== 'limit') this.results.delete(index);
    }
    const byWorker = [...this.results].sort(([a], [b]) => a - b).map(([, result]) => result);
    if (byWorker.length > 0) return byWorker.reduce((a, b) => (this.costOf(b) < this.costOf(a) ? b : a));
    throw this.failures.get(Math.min(...this.failures.keys())) ?? new Error('no worker has reported anything');
  }
}
