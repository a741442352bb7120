/**
 * Simulates thread blocks on channels of the depth that the format guarantees. Nothing is chosen at run time, so that a deadlock does not depend on
 * timing, and one run decides.
 */
import { channelDepth, type EmittedGpu, type EmittedStep, type EmittedThreadBlock } from './target.ts';

/** A running thread block, with the other blocks for which it may wait or that it may wake. */
interface Runner {
  readonly steps: readonly EmittedStep[];
  readonly gpu: readonly Runner[];
  /** Number of finished steps. */
  done: number;
  readonly into: Connection | undefined;
  readonly out: Connection | undefined;
}

interface Connection {
  underWay: number;
  sender: Runner | undefined;
  receiver: Runner | undefined;
}

/** Whether all thread blocks finish. */
export function runsToTheEnd(gpus: readonly EmittedGpu[]): boolean {
  const runners = prepare(gpus);
  const open = [...runners];
  for (let runner = open.pop(); runner !== undefined; runner = open.pop()) {
    while (canStep(runner)) open.push(...step(runner));
  }
  return runners.every(({ done, steps }) => done === steps.length);
}

function prepare(gpus: readonly EmittedGpu[]): Runner[] {
  const connections = new Map<string, Connection>();
  const connection = (from: number, to: number, channel: number): Connection => {
    const key = `${from} ${to} ${channel}`;
    const known = connections.get(key) ?? { underWay: 0, sender: undefined, receiver: undefined };
    connections.set(key, known);
    return known;
  };
  return gpus.flatMap(({ blocks }, rank) => {
    const gpu: Runner[] = [];
    for (const block of blocks) gpu.push(runnerOf(block, rank, gpu, connection));
    return gpu;
  });
}

function runnerOf(
  { send, receive, channel, steps }: EmittedThreadBlock,
  rank: number,
  gpu: readonly Runner[],
  connection: (from: number, to: number, channel: number) => Connection,
): Runner {
  const into = receive < 0 ? undefined : connection(receive, rank, channel);
  const out = send < 0 ? undefined : connection(rank, send, channel);
  const runner = { steps, gpu, done: 0, into, out };
  if (into !== undefined) into.receiver = runner;
  if (out !== undefined) out.sender = runner;
  return runner;
}

const receives = new Set(['r', 'rcs', 'rrs', 'rrc', 'rrcs']);
const sends = new Set(['s', 'rcs', 'rrs', 'rrcs']);

/** Whether the next step can run. A step that forwards takes a message only when there is room to send it on. */
function canStep({ steps, gpu, done, into, out }: Runner): boolean {
  if (done === steps.length) return false;
  const { type, wait } = steps[done];
  if (wait !== undefined && gpu[wait.block].done <= wait.step) return false;
  if (receives.has(type) && (into?.underWay ?? 0) === 0) return false;
  return !sends.has(type) || (out?.underWay ?? 0) < channelDepth;
}

/** Finishes a step. Returns the thread blocks that may be able to continue because of it. */
function step(runner: Runner): readonly Runner[] {
  const { type } = runner.steps[runner.done++];
  const woken = runner.gpu.filter((other) => waitsFor(other, runner));
  if (receives.has(type) && runner.into !== undefined) {
    runner.into.underWay--;
    if (runner.into.sender !== undefined) woken.push(runner.into.sender);
  }
  if (sends.has(type) && runner.out !== undefined) {
    runner.out.underWay++;
    if (runner.out.receiver !== undefined) woken.push(runner.out.receiver);
  }
  return woken;
}

function waitsFor({ steps, done, gpu }: Runner, runner: Runner): boolean {
  const wait = done < steps.length ? steps[done].wait : undefined;
  return wait !== undefined && gpu[wait.block] === runner;
}
