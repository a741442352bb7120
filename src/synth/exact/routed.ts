/**
 * Turns flows into schedules: a flow says how many chunks of a rank take a route in a step, but not which. Chunks are
 * identified backwards from their destinations, so that each arrives where it is wanted; cycles of a chunk are then
 * removed.
 */
import { type Schedule, Steps } from '../../ir/schedule.ts';
import { alltoallSchedule, type Parcel, scatterSchedule } from '../list/routed/schedule.ts';
import type { Instance, ScheduleMaker } from './instance.ts';

/** `sent(source, route, step)`: how many of the source's chunks take the route in the step. */
export type SentCounts = (source: number, way: number, step: number) => number;

interface Hop {
  readonly step: number;
  readonly route: number;
}

/**
 * The schedule of a scatter or an alltoall with given counts.
 * @param roundsOf rounds of each step
 */
export function routedSchedule(instance: Instance, sent: SentCounts, roundsOf: readonly number[]): ScheduleMaker {
  const { kind, machine, chunks, root } = instance;
  const { ranks, routes } = machine;
  const sources = kind === 'scatter' ? [root] : Array.from({ length: ranks }, (_, rank) => rank);
  const routed = sources.flatMap((source) => {
    const parcels = Array.from({ length: ranks * chunks }, (_, index): Parcel => {
      return { source, destination: Math.floor(index / chunks), weight: 1, part: index % chunks, parts: chunks };
    });
    const hops = pathsOf(source, parcels, instance, sent);
    return parcels.map((parcel, index) => ({ parcel, hops: withoutCircles(hops[index], instance) }));
  });
  const steps = roundsOf.map((_, step) => {
    const messages = new Map<number, number[]>();
    for (const [index, { hops }] of routed.entries()) {
      for (const { route } of hops.filter((hop) => hop.step === step)) {
        messages.set(route, [...(messages.get(route) ?? []), index]);
      }
    }
    return [...messages].map(([route, items]) => ({ route, items })).sort((a, b) => a.route - b.route);
  });
  const parcels = routed.map(({ parcel }) => parcel);
  const paths = routed.map(({ hops }) => hops.map(({ route }) => route));
  const arcs = routes.map(({ from, to }) => ({ from, to, channel: 0 }));
  const made = kind === 'scatter' ? scatterSchedule : alltoallSchedule;
  return (name, collective, width): Schedule => {
    const schedule = made(name, collective, { arcs, ranks }, { parcels, paths, steps });
    return {
      ...schedule,
      steps: new Steps({ ...schedule.steps, rounds: Int32Array.from(roundsOf, (r) => r * width) }),
    };
  };
}

/** The hops of every parcel of one source, in order. */
function pathsOf(source: number, parcels: readonly Parcel[], { machine, steps }: Instance, sent: SentCounts): Hop[][] {
  const paths = parcels.map((): Hop[] => []);
  const held = Array.from({ length: machine.ranks }, (_, rank) =>
    [...parcels.keys()].filter((index) => parcels[index].destination === rank),
  );
  for (let step = steps - 1; step >= 0; step--) {
    const left: number[][] = held.map(() => []);
    for (const [route, { from, to }] of machine.routes.entries()) {
      for (let count = sent(source, route, step); count > 0; count--) {
        const index = held[to].pop();
        if (index === undefined) throw new Error(`rank ${to} has sent more chunks of rank ${source} than it got`);
        paths[index].unshift({ step, route });
        left[from].push(index);
      }
    }
    for (const [rank, items] of left.entries()) held[rank].push(...items);
  }
  return paths;
}

/** Removes what a chunk does between two visits to the same rank: it waits there instead. */
function withoutCircles(path: readonly Hop[], { machine }: Instance): readonly Hop[] {
  const kept: Hop[] = [];
  for (const hop of path) {
    const { to } = machine.routes[hop.route];
    kept.push(hop);
    const earlier = kept.findIndex(({ route }) => machine.routes[route].from === to);
    if (earlier >= 0) kept.splice(earlier);
  }
  return kept;
}
