/** When a job is to end: Ctrl-C, what schedulers and `timeout` send instead, and the time limit; and what happens when it does not. */
import { constants as system } from 'node:os';
import { patienceMilliseconds } from '../patience.ts';

/** Or this part of the limit, where that is more. */
const patienceShare = 0.1;
/** What is that long beyond its patience gets no CPU time for some other reason than a machine with much to do. */
const mostWaiting = 20;

/** What the first of ends the job, and the second the process. */
const endings = ['SIGINT', 'SIGTERM'] as const;

export interface EndingListener {
  /** The job is to end with what it has; said once. */
  onEnd(): void;
  /** It has had the time to answer: whatever there is will do. */
  onGraceOver(): void;
  /** The time limit has passed, and what there may be beyond it; or so long since Ctrl-C. */
  onPatienceOver(): void;
  /** The process ends now, without a result. */
  onAbort(): void;
}

/**
 * Listens until the function that it returns is called. The first Ctrl-C or SIGTERM is the end of the job; who presses or sends it again
 * means the process.
 *
 * @param timeLimit milliseconds from the start of the process
 */
export function listenForEnding(timeLimit: number | undefined, listener: EndingListener): () => void {
  const timers: NodeJS.Timeout[] = [];
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    listener.onEnd();
    timers.push(setTimeout(() => listener.onGraceOver(), patienceMilliseconds.grace));
  };
  const interrupt = (signal: (typeof endings)[number]): void => {
    if (hasEnded) {
      listener.onAbort();
      process.exit(128 + system.signals[signal]);
    }
    end();
    timers.push(setTimeout(() => listener.onPatienceOver(), patienceMilliseconds.patience));
  };
  for (const signal of endings) process.on(signal, interrupt);
  if (timeLimit !== undefined) {
    const latest = Math.max(
      patienceMilliseconds.leastTime,
      timeLimit + Math.max(patienceMilliseconds.patience, timeLimit * patienceShare),
    );
    const left = (instant: number): number => Math.max(0, instant - performance.now());
    const giveUp = (): void => {
      const missing = patienceMilliseconds.leastTime - cpuMilliseconds();
      if (missing <= 0 || performance.now() > latest * mostWaiting) listener.onPatienceOver();
      else timers.push(setTimeout(giveUp, missing));
    };
    timers.push(setTimeout(end, left(timeLimit)), setTimeout(giveUp, left(latest)));
  }
  return () => {
    for (const signal of endings) process.off(signal, interrupt);
    for (const timer of timers) clearTimeout(timer);
  };
}

/** CPU time of the process, all its threads together: where others are at work it is far less than the time that has passed. */
function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
