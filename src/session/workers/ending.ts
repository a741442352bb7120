/** When a job is stopped: by the caller's signal or at the end of its time limit; and what happens if it does not react. */
import { milliseconds } from './patience.ts';

/** A job without a result gets this share of its time limit in addition, if that is more than `patience`. */
const patienceShare = 0.1;
/** A process that has had next to no processor time gets at most this many times as long: then the machine is not busy, something is wrong. */
const maxStretch = 20;

/** When a job is to stop. */
export interface EndingConditions {
  /** The caller's wish to stop. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds on the clock of `performance.now()` at which the time limit is over. */
  readonly deadline?: number | undefined;
  /** The whole time limit in milliseconds, of which the patience is a share. */
  readonly timeLimit?: number | undefined;
  /** Processor time of the process so far, in milliseconds: on a busy machine far less than the time that has passed. */
  cpuMilliseconds(): number;
}

export interface EndingListener {
  /** The job is to stop with what it has. Called once. */
  onStop(): void;
  /** The job has had time to answer: from now on its last reported result will do. */
  onGraceOver(): void;
  /** Nothing has been found and waiting any longer is pointless. */
  onPatienceOver(): void;
}

/** Watches until the returned function is called. */
export function watchForEnding(conditions: EndingConditions, listener: EndingListener): () => void {
  const { signal, deadline, timeLimit = 0, cpuMilliseconds } = conditions;
  const timers: ReturnType<typeof setTimeout>[] = [];
  let hasStopped = false;
  const stop = (): void => {
    if (hasStopped) return;
    hasStopped = true;
    listener.onStop();
    timers.push(setTimeout(() => listener.onGraceOver(), milliseconds.grace));
  };
  const onAbort = (): void => {
    stop();
    timers.push(setTimeout(() => listener.onPatienceOver(), milliseconds.patience));
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  if (deadline !== undefined) {
    const started = deadline - timeLimit;
    const latest = Math.max(
      started + milliseconds.leastTime,
      deadline + Math.max(milliseconds.patience, timeLimit * patienceShare),
    );
    const muchTooLate = started + (latest - started) * maxStretch;
    const remaining = (instant: number): number => Math.max(0, instant - performance.now());
    const giveUp = (): void => {
      const missing = milliseconds.leastTime - cpuMilliseconds();
      if (missing <= 0 || performance.now() > muchTooLate) listener.onPatienceOver();
      else timers.push(setTimeout(giveUp, missing));
    };
    timers.push(setTimeout(stop, remaining(deadline)), setTimeout(giveUp, remaining(latest)));
  }
  return () => {
    signal?.removeEventListener('abort', onAbort);
    for (const timer of timers) clearTimeout(timer);
  };
}
