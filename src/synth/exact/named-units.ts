/**
 * From numbers of chunks to chunks: flows count how many chunks of a rank go over a way in a step, and any of them would do. Names
 * are given backwards, from where the chunks end up, so that every one is where it is wanted; ways in circles are then left out.
 */
import { Moves } from '../list/spread.ts';
import { type Instance, startsOf } from './instance.ts';

/** `sent(source, way, step)`: how many of the source's chunks go over the way in the step. */
export type SentCounts = (source: number, way: number, step: number) => number;

interface Hop {
  readonly step: number;
  readonly way: number;
}

/**
 * The moves of a scatter or an alltoall whose counts are given.
 * @param roundsOf the rounds of each step
 */
export function namedMoves(instance: Instance, sent: SentCounts, roundsOf: readonly number[]): Moves {
  const { machine } = instance;
  const hops = startsOf(instance).flatMap((source) =>
    [...pathsFrom(source, instance, sent)].flatMap(([item, path]) =>
      withoutCircles(path, instance).map((hop) => ({ item, ...hop })),
    ),
  );
  hops.sort((a, b) => a.step - b.step || a.way - b.way || a.item - b.item);
  const moves = new Moves(true);
  for (const [step, rounds] of roundsOf.entries()) {
    for (const { way, item } of hops.filter((hop) => hop.step === step)) {
      moves.add(machine.ways[way].from, machine.ways[way].to, item);
    }
    moves.endStep(rounds);
  }
  return moves;
}

/** The hops of every chunk of one source, the first one first. */
function pathsFrom(source: number, instance: Instance, sent: SentCounts): Map<number, Hop[]> {
  const { kind, chunks, machine, steps } = instance;
  const first = kind === 'alltoall' ? source * machine.ranks * chunks : 0;
  const paths = new Map<number, Hop[]>();
  let held = Array.from({ length: machine.ranks }, (_, rank) =>
    Array.from({ length: chunks }, (_unused, c) => first + rank * chunks + c),
  );
  for (const item of held.flat()) paths.set(item, []);
  for (let step = steps - 1; step >= 0; step--) {
    const left: number[][] = held.map(() => []);
    for (const [way, { from, to }] of machine.ways.entries()) {
      for (let count = sent(source, way, step); count > 0; count--) {
        const item = held[to].pop();
        if (item === undefined) throw new Error(`rank ${to} has sent more chunks of rank ${source} than it got`);
        paths.get(item)?.unshift({ step, way });
        left[from].push(item);
      }
    }
    held = held.map((items, rank) => [...items, ...left[rank]]);
  }
  return paths;
}

/** What a chunk does between two visits to a rank can be left out: it waits there instead. */
function withoutCircles(path: readonly Hop[], { machine }: Instance): Hop[] {
  const kept: Hop[] = [];
  for (const hop of path) {
    const { to } = machine.ways[hop.way];
    kept.push(hop);
    const earlier = kept.findIndex(({ way }) => machine.ways[way].from === to);
    if (earlier >= 0) kept.splice(earlier);
  }
  return kept;
}
