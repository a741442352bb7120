/**
 * Dependencies in MSCCL: a step with `depid` waits until that thread block has finished step `deps` or a later one, but thread blocks publish
 * only the end of steps with `hasdep="1"`. So it waits for the first such step at or behind `deps`. A `nop` finishes when the step before it
 * and the step for which it waits have finished; plans have no such operation, so that its dependencies pass to the steps that wait for it.
 */
import { CccError } from '../../ir/diagnostic.ts';
import type { Finding } from '../../ir/verification.ts';
import { readable } from '../limits.ts';
import type { MscclGpu, MscclStep, MscclThreadBlock } from './algorithm.ts';
import { flaw, stepName } from './flaws.ts';

export class MscclWaits {
  readonly flaws: Finding[] = [];
  private visits = 0;

  /**
   * For each step of a GPU that has operations: the other such steps that must finish first, besides those before it in its thread block.
   * @throws CccError 'malformed' for a thread block that does not exist, 'limit'
   */
  of(gpu: MscclGpu, wait: (step: MscclStep, earlier: MscclStep) => void): void {
    const awaited = this.awaitedBy(gpu);
    const previous = (step: MscclStep): MscclStep | undefined => gpu.blocks.get(step.block)?.steps[step.index - 1];
    this.findCircles(gpu, awaited, previous);
    for (const { steps } of gpu.blocks.values()) {
      for (const step of steps) {
        if (step.type === 'nop') continue;
        const before = previous(step);
        const roots = [awaited.get(step), before?.type === 'nop' ? before : undefined];
        for (const earlier of this.finishedWith(roots, awaited, previous)) {
          if (earlier.block !== step.block) wait(step, earlier);
          else if (earlier.index >= step.index) this.flaws.push(circle(step));
        }
      }
    }
  }

  /** By waiting step: the publishing step for which it waits. */
  private awaitedBy(gpu: MscclGpu): Map<MscclStep, MscclStep> {
    const published = new Map([...gpu.blocks.values()].map((block) => [block.id, publishedFrom(block)]));
    const awaited = new Map<MscclStep, MscclStep>();
    for (const { steps } of gpu.blocks.values()) {
      for (const step of steps) {
        if (step.wait === undefined) continue;
        const publishing = published.get(step.wait.block);
        if (publishing === undefined) {
          throw step.element.malformed('depid', `gpu ${gpu.id} has no <tb> with id ${step.wait.block}`);
        }
        const target = publishing[step.wait.step];
        if (target === undefined) this.flaws.push(neverPublished(step, step.wait));
        else awaited.set(step, target);
      }
    }
    return awaited;
  }

  /** The steps with operations on which the roots depend, followed through `nop` steps. */
  private finishedWith(
    roots: readonly (MscclStep | undefined)[],
    awaited: ReadonlyMap<MscclStep, MscclStep>,
    previous: (step: MscclStep) => MscclStep | undefined,
  ): readonly MscclStep[] {
    const open = [...roots];
    if (open.every((step) => step === undefined)) return [];
    const seen = new Set<MscclStep>();
    const found: MscclStep[] = [];
    while (open.length > 0) {
      const step = open.pop();
      if (step === undefined || seen.has(step)) continue;
      if (this.visits++ >= readable.visits) {
        throw new CccError('limit', `waits pass through more than ${readable.visits} steps in all`, step.element.range);
      }
      seen.add(step);
      if (step.type === 'nop') open.push(previous(step), awaited.get(step));
      else found.push(step);
    }
    return found;
  }

  /** Finds cycles that consist of `nop` steps alone. The verifier cannot see them, since `nop` steps have no operations. */
  private findCircles(
    gpu: MscclGpu,
    awaited: ReadonlyMap<MscclStep, MscclStep>,
    previous: (step: MscclStep) => MscclStep | undefined,
  ): void {
    const waiting = new Map<MscclStep, number>();
    const waiters = new Map<MscclStep, MscclStep[]>();
    const free: MscclStep[] = [];
    for (const { steps } of gpu.blocks.values()) {
      for (const step of steps) {
        if (step.type !== 'nop') continue;
        const needs = [previous(step), awaited.get(step)].filter((need) => need?.type === 'nop');
        waiting.set(step, needs.length);
        if (needs.length === 0) free.push(step);
        for (const need of needs) {
          if (need === undefined) continue;
          const others = waiters.get(need);
          if (others === undefined) waiters.set(need, [step]);
          else others.push(step);
        }
      }
    }
    for (let step = free.pop(); step !== undefined; step = free.pop()) {
      for (const waiter of waiters.get(step) ?? []) {
        const left = (waiting.get(waiter) ?? 0) - 1;
        waiting.set(waiter, left);
        if (left === 0) free.push(waiter);
      }
    }
    const stuck = [...waiting].find(([, left]) => left > 0);
    if (stuck !== undefined) this.flaws.push(circle(stuck[0]));
  }
}

/** By position in a thread block: the first publishing step at or behind it. */
function publishedFrom({ steps }: MscclThreadBlock): readonly (MscclStep | undefined)[] {
  const result: (MscclStep | undefined)[] = new Array(steps.length);
  let next: MscclStep | undefined;
  for (let index = steps.length - 1; index >= 0; index--) {
    if (steps[index].publishes) next = steps[index];
    result[index] = next;
  }
  return result;
}

function neverPublished(step: MscclStep, wait: { readonly block: number; readonly step: number }): Finding {
  const message =
    `${stepName(step)} waits until tb ${wait.block} has finished step ${wait.step} or a later one, ` +
    'but none of them has hasdep="1": nobody is ever told.';
  return flaw('deadlock', step, message);
}

function circle(step: MscclStep): Finding {
  return flaw('deadlock', step, `${stepName(step)} waits, through others, for itself.`);
}
