/** When jobs are stopped, by a clock that the test winds; and which of several workers' results is the answer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import { type EndingConditions, watchForEnding } from '../../src/session/workers/ending.ts';
import { WorkerResults } from '../../src/session/workers/findings.ts';

describe('watching for the end of a job', () => {
  let said: string[] = [];
  const listener = {
    onStop: () => said.push('stop'),
    onGraceOver: () => said.push('grace over'),
    onPatienceOver: () => said.push('patience over'),
  };
  /** Milliseconds of processor time that the process has had. */
  let cpu = 10_000;
  const cpuMilliseconds = (): number => cpu;
  beforeEach(() => {
    said = [];
    cpu = 10_000;
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Watches a job with a limit that counts from the start of the process, which is now. */
  function watchLimit(timeLimit: number, conditions: Partial<EndingConditions> = {}): () => void {
    return watchForEnding({ deadline: timeLimit, timeLimit, cpuMilliseconds, ...conditions }, listener);
  }
  /** Lets a clock run that starts at 0, whatever the process has done before. */
  function atStart<Result>(watch: () => Result): Result {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const result = watch();
    clock.mockRestore();
    return result;
  }

  it('waits longer for a first result where the machine has other work', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    cpu = 600;
    const over = watchLimit(1);
    vi.advanceTimersByTime(3000);
    expect(said).toEqual(['stop', 'grace over']);
    cpu = 3000;
    vi.advanceTimersByTime(2399);
    expect(said).toEqual(['stop', 'grace over']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['stop', 'grace over', 'patience over']);
    over();
    clock.mockRestore();
  });

  it('does not wait for ever for a process that gets no time at all', () => {
    cpu = 0;
    const over = watchForEnding({ deadline: performance.now() + 1, timeLimit: 1, cpuMilliseconds }, listener);
    vi.advanceTimersByTime(200_000);
    expect(said).toEqual(['stop', 'grace over', 'patience over']);
    over();
  });

  it('stops at the limit, takes any result soon after that, and gives up when nothing can be hoped for', () => {
    const timeLimit = 60_000;
    const over = watchForEnding({ deadline: performance.now() + timeLimit, timeLimit, cpuMilliseconds }, listener);
    vi.advanceTimersByTime(timeLimit - 1);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['stop']);
    vi.advanceTimersByTime(200);
    expect(said).toEqual(['stop', 'grace over']);
    // A tenth of the limit later.
    vi.advanceTimersByTime(5799);
    expect(said).toEqual(['stop', 'grace over']);
    vi.advanceTimersByTime(2);
    expect(said).toEqual(['stop', 'grace over', 'patience over']);
    over();
  });

  it.each([
    { limit: 1, latest: 3000 },
    { limit: 2500, latest: 3500 },
    { limit: 8000, latest: 9000 },
  ])('waits for a first result until $latest ms where the limit is $limit ms', ({ limit, latest }) => {
    const over = atStart(() => watchLimit(limit));
    vi.advanceTimersByTime(latest - 1);
    expect(said).toEqual(['stop', 'grace over']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['stop', 'grace over', 'patience over']);
    over();
  });

  it('calls nothing after the watch has ended, nor without limit and signal', () => {
    const { signal } = new AbortController();
    const over = watchForEnding(
      { deadline: performance.now() + 100, timeLimit: 100, signal, cpuMilliseconds },
      listener,
    );
    over();
    const other = watchForEnding({ cpuMilliseconds }, listener);
    vi.advanceTimersByTime(1e9);
    other();
    expect(said).toEqual([]);
  });

  it('stops once, whether by the signal or by the limit', () => {
    const controller = new AbortController();
    const conditions = { deadline: performance.now() + 1000, timeLimit: 1000, signal: controller.signal };
    const over = watchForEnding({ ...conditions, cpuMilliseconds }, listener);
    controller.abort();
    expect(said).toEqual(['stop']);
    vi.advanceTimersByTime(999);
    expect(said).toEqual(['stop', 'grace over']);
    over();
  });

  it('waits for a first result for a second after the signal, without a limit too', () => {
    const controller = new AbortController();
    const over = watchForEnding({ signal: controller.signal, cpuMilliseconds }, listener);
    vi.advanceTimersByTime(60_000);
    controller.abort();
    vi.advanceTimersByTime(999);
    expect(said).toEqual(['stop', 'grace over']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['stop', 'grace over', 'patience over']);
    over();
  });

  it('stops at once where the signal has been given before', () => {
    watchForEnding({ signal: AbortSignal.abort(), cpuMilliseconds }, listener)();
    expect(said).toEqual(['stop']);
  });
});

describe('the answer of several workers', () => {
  const costOf = (result: { readonly cost: number }): number => result.cost;

  it('is the best, and of equally good ones that of the first worker, whoever spoke first', () => {
    const findings = new WorkerResults(3, costOf);
    findings.found(2, { cost: 4 }, true);
    findings.found(1, { cost: 4 }, false);
    findings.found(0, { cost: 5 }, true);
    expect(findings.isComplete).toBe(false);
    const second = { cost: 4 };
    findings.found(1, second, true);
    expect(findings.isComplete).toBe(true);
    expect(findings.answer()).toBe(second);
  });

  it('is what one of them found where others failed, and the first failure where all did', () => {
    const [early, late] = [new CccError('no-plan', 'first'), new CccError('limit', 'second')];
    const findings = new WorkerResults(2, costOf);
    findings.failed(1, late);
    expect(findings.isEmpty).toBe(true);
    findings.failed(0, early);
    expect(() => findings.answer()).toThrow(early);
    const other = new WorkerResults(2, costOf);
    other.failed(0, early);
    other.found(1, { cost: 1 }, true);
    expect(other.answer()).toEqual({ cost: 1 });
  });

  it('is what a worker had before it failed', () => {
    const findings = new WorkerResults(1, costOf);
    findings.found(0, { cost: 3 }, false);
    findings.failed(0, new CccError('stopped', 'no memory'));
    expect(findings.isComplete).toBe(true);
    expect(findings.answer()).toEqual({ cost: 3 });
  });

  it('is the failure where that is about what was asked, whatever had been found', () => {
    const findings = new WorkerResults(1, costOf);
    const failure = new CccError('unsupported', 'there is no such thing');
    findings.found(0, { cost: 3 }, false);
    findings.failed(0, failure);
    expect(() => findings.answer()).toThrow(failure);
  });
});
