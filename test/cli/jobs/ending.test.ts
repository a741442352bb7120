/** When jobs are ended, by a clock that the test winds; and which of several workers' results is the answer. */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenForEnding } from '../../../src/cli/jobs/ending.ts';
import { WorkerResults } from '../../../src/cli/jobs/findings.ts';
import { CccError } from '../../../src/ir/diagnostic.ts';

describe('listening for the end', () => {
  let said: string[] = [];
  const listener = {
    onEnd: () => said.push('end'),
    onGraceOver: () => said.push('grace over'),
    onPatienceOver: () => said.push('patience over'),
    onAbort: () => said.push('abort'),
  };
  /** Microseconds of CPU time that the process has had. */
  const cpu = vi.spyOn(process, 'cpuUsage');
  beforeEach(() => {
    said = [];
    vi.useFakeTimers({ now: 0 });
    cpu.mockReturnValue({ user: 10_000_000, system: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => {
    cpu.mockRestore();
  });

  it('waits longer for a first answer where the machine has other work', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    cpu.mockReturnValue({ user: 500_000, system: 100_000 });
    const over = listenForEnding(1, listener);
    vi.advanceTimersByTime(3000);
    expect(said).toEqual(['end', 'grace over']);
    cpu.mockReturnValue({ user: 2_500_000, system: 500_000 });
    vi.advanceTimersByTime(2399);
    expect(said).toEqual(['end', 'grace over']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['end', 'grace over', 'patience over']);
    over();
    clock.mockRestore();
  });

  it('does not wait for ever for a process that gets no time at all', () => {
    cpu.mockReturnValue({ user: 0, system: 0 });
    const over = listenForEnding(performance.now() + 1, listener);
    vi.advanceTimersByTime(200_000);
    expect(said).toEqual(['end', 'grace over', 'patience over']);
    over();
  });

  it('says it at the limit, soon after that, and when nothing can be hoped for', () => {
    const limit = 60_000;
    const over = listenForEnding(performance.now() + limit, listener);
    vi.advanceTimersByTime(limit - 1);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['end']);
    vi.advanceTimersByTime(200);
    expect(said).toEqual(['end', 'grace over']);
    // A tenth of the limit later.
    vi.advanceTimersByTime(5799);
    expect(said).toEqual(['end', 'grace over']);
    vi.advanceTimersByTime(2);
    expect(said).toEqual(['end', 'grace over', 'patience over']);
    over();
  });

  it.each([
    { limit: 1, latest: 3000 },
    { limit: 2500, latest: 3500 },
    { limit: 8000, latest: 9000 },
  ])('hopes for a first answer until $latest ms where the limit is $limit ms', ({ limit, latest }) => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const over = listenForEnding(limit, listener);
    vi.advanceTimersByTime(latest - 1);
    expect(said).toEqual(['end', 'grace over']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['end', 'grace over', 'patience over']);
    over();
    clock.mockRestore();
  });

  it('says nothing after it has been told to end, nor without limit and Ctrl-C', () => {
    const over = listenForEnding(performance.now() + 100, listener);
    over();
    const other = listenForEnding(undefined, listener);
    vi.advanceTimersByTime(1e9);
    other();
    expect(said).toEqual([]);
    for (const signal of ['SIGINT', 'SIGTERM']) expect(process.listenerCount(signal)).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('takes %s for the end once', (signal) => {
    const over = listenForEnding(performance.now() + 1000, listener);
    process.emit(signal, signal);
    expect(said).toEqual(['end']);
    vi.advanceTimersByTime(999);
    expect(said).toEqual(['end', 'grace over']);
    over();
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'hopes for a first answer for a second after %s, without a limit too',
    (signal) => {
      const over = listenForEnding(undefined, listener);
      vi.advanceTimersByTime(60_000);
      process.emit(signal, signal);
      vi.advanceTimersByTime(999);
      expect(said).toEqual(['end', 'grace over']);
      vi.advanceTimersByTime(1);
      expect(said).toEqual(['end', 'grace over', 'patience over']);
      over();
    },
  );
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
