/** Integer programs whose solutions are the schedules of one instance. */
import type { LinearModel } from '../../solver/index.ts';
import { Moves, spreadSchedule } from '../list/spread.ts';
import type { Instance, ScheduleMaker } from './instance.ts';
import { routedSchedule } from './routed.ts';
import { disjointSplits, setImage, sumsSchedule } from './sums.ts';
import type { Renumbering } from './symmetry.ts';
import { type Item, Unrolled } from './unrolled.ts';

export interface InstanceModel {
  readonly model: LinearModel;
  /** The schedule that a solution of the model describes. */
  scheduleOf(values: Float64Array): ScheduleMaker;
}

/**
 * @param symmetry renumberings under which the schedules must be invariant; the identity alone for any schedule
 * @param isDivided relaxes the integrality of chunks: if that is infeasible, so is the instance; its solutions are no
 * schedules
 */
export function modelOf(instance: Instance, symmetry: readonly Renumbering[], isDivided = false): InstanceModel {
  const { kind, machine, root } = instance;
  const unrolled = new Unrolled(instance, symmetry);
  if (kind === 'allreduce') return sums(instance, unrolled, symmetry);
  const ranks = Array.from({ length: machine.ranks }, (_, rank) => rank);
  // Of ranks that are images of each other, only the first.
  const first = ranks.filter((rank) => symmetry.every((image) => image.ranks[rank] >= rank));
  const starts = kind === 'broadcast' || kind === 'scatter' ? [root] : first;
  const isRouted = kind === 'scatter' || kind === 'alltoall';
  return (isRouted ? routed : spread)(instance, unrolled, starts, isDivided);
}

/** Allgather and broadcast: every rank receives every chunk once. */
function spread(instance: Instance, unrolled: Unrolled, starts: readonly number[], isDivided: boolean): InstanceModel {
  const { kind, machine, chunks } = instance;
  const item = { amount: 1, wanted: () => 1, whole: true };
  for (const start of starts) {
    if (isDivided) unrolled.addDivided(start, chunks);
    else for (let c = 0; c < chunks; c++) unrolled.add([{ ...item, start }]);
  }
  return {
    model: unrolled.build(),
    scheduleOf: (values) => {
      const chosen = unrolled.chosen(values).map(({ image, item, ...where }) => {
        const start = image.ranks[starts[Math.floor(item / chunks)]];
        return { ...where, item: (kind === 'broadcast' ? 0 : start * chunks) + (item % chunks) };
      });
      chosen.sort((a, b) => a.route - b.route || a.item - b.item);
      const moves = new Moves();
      for (const [step, rounds] of unrolled.rounds(values).entries()) {
        for (const { route, item } of chosen.filter((sending) => sending.step === step)) {
          moves.add(machine.routes[route].from, machine.routes[route].to, item);
        }
        moves.endStep(rounds);
      }
      return (name, collective, width) => spreadSchedule(moves, name, collective, width);
    },
  };
}

/** Scatter and alltoall: the chunks of a source are counted as a flow, and distinguished afterwards. */
function routed(instance: Instance, unrolled: Unrolled, starts: readonly number[], isDivided: boolean): InstanceModel {
  const { machine, chunks } = instance;
  const item = { amount: chunks * machine.ranks, wanted: () => chunks, whole: !isDivided, gone: true };
  for (const start of starts) unrolled.add([{ ...item, start }]);
  return {
    model: unrolled.build(),
    scheduleOf: (values) => {
      const counts = new Map(
        unrolled
          .chosen(values)
          .map(({ image, item, route, step, amount }) => [`${image.ranks[starts[item]]} ${route} ${step}`, amount]),
      );
      const sent = (source: number, route: number, step: number) => counts.get(`${source} ${route} ${step}`) ?? 0;
      return routedSchedule(instance, sent, unrolled.rounds(values));
    },
  };
}

/**
 * Allreduce by partial sums of a chunk over sets of ranks: a rank has a sum if it had it before, if it received it, or
 * if it has two disjoint sums that make it up; finally every rank has the sum over all ranks. Only the columns of sent
 * sums need to be integers, since having more of a sum never hurts.
 * @param symmetry as many renumberings as divide C: chunks are permuted with the ranks, in blocks
 */
function sums(instance: Instance, unrolled: Unrolled, symmetry: readonly Renumbering[]): InstanceModel {
  const { machine, chunks } = instance;
  const all = 2 ** machine.ranks - 1;
  const items = Array.from({ length: all }, (_, index): Item => {
    const set = index + 1;
    const start = Number.isInteger(Math.log2(set)) ? Math.log2(set) : undefined;
    const parts = disjointSplits(set).map(([one, other]) => [one - 1, other - 1] as const);
    return { start, amount: 1, wanted: () => (set === all ? 1 : 0), whole: true, parts };
  });
  for (let block = 0; block < chunks / symmetry.length; block++) unrolled.add(items);
  return {
    model: unrolled.build(),
    scheduleOf: (values) => {
      const sent = unrolled.chosen(values).map(({ image, item, route, step }) => ({
        // The k-th chunk of a block corresponds to the k-th renumbering.
        chunk: Math.floor(item / all) * symmetry.length + symmetry.indexOf(image),
        set: setImage((item % all) + 1, image.ranks),
        route,
        step,
      }));
      return sumsSchedule(machine, sent, unrolled.rounds(values));
    },
  };
}
