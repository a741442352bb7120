/** Work in progress: await it for the outcome, or iterate over it for each better result. */

/** Callbacks by which running work reports to its caller. */
export interface JobListener<Update> {
  /** A result that is better than all before. */
  onBetter(update: Update): void;
}

/**
 * A search that has been started. Awaiting it gives the outcome; iterating over it gives each better result as it is found and ends with the search.
 * An iteration that reads slowly skips intermediate results, but never the last one.
 *
 * ```ts
 * const job = compile(allreduce(machine, { size: '1GiB' }));
 * for await (const better of job) console.log(better.time, better.gap);
 * const outcome = await job;
 * ```
 */
export class Job<Update, Result> implements PromiseLike<Result>, AsyncIterable<Update> {
  private readonly outcome: Promise<Result>;
  /** The latest result that no iteration has read yet, by number, so that several iterations can read. */
  private latest: { readonly number: number; readonly update: Update } | undefined;
  private hasEnded = false;
  private wake: () => void = () => {};
  private changed: Promise<void> = Promise.resolve();

  constructor(start: (listener: JobListener<Update>) => Promise<Result>) {
    this.renew();
    const onBetter = (update: Update): void => {
      this.latest = { number: (this.latest?.number ?? 0) + 1, update };
      this.signal();
    };
    this.outcome = start({ onBetter }).finally(() => {
      this.hasEnded = true;
      this.signal();
    });
  }

  // biome-ignore lint/suspicious/noThenProperty: a job is awaited like a promise
  then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((result: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.outcome.then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Update> {
    let read = 0;
    for (;;) {
      const { latest, hasEnded, changed } = this;
      if (latest !== undefined && latest.number > read) {
        read = latest.number;
        yield latest.update;
      } else if (hasEnded) {
        // Failures reach callers that only iterate, too.
        await this.outcome;
        return;
      } else await changed;
    }
  }

  private signal(): void {
    const { wake } = this;
    this.renew();
    wake();
  }

  private renew(): void {
    this.changed = new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
