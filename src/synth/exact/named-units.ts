/**
 * From numbers of chunks to chunks: flows count how many chunks of a rank go over a way in a step, and any of them would do. Names
 * are given backwards, from where the chunks end up, so that every one is where it is wanted; ways in circles are then left out.
 */
import { Moves } from '../list/spread.ts';
import type { Instance } from './instance.ts';

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
export function namedMoves(
  instance: Instance,
  sources: readonly number[],
  sent: SentCounts,
  roundsOf: readonly number[],
): Moves {
  const { machine, steps } = instance;
  const hops: { readonly item: number; readonly hop: Hop }[] = [];
  for (const source of sources) {
    for (const [item, path] of pathsFrom(source, instance, sent)) {
      for (const hop of withoutCircles(path, instance)) hops.push({ item, hop });
    }
  }
  hops.sort((a, b) => a.hop.step - b.hop.step || a.hop.way - b.hop.way || a.item - b.item);
  const moves = new Moves(true);
  let next = 0;
  for (let step = 0; step < steps; step++) {
    for (; next < hops.length && hops[next].hop.step === step; next++) {
      const { from, to } = machine.ways[hops[next].hop.way];
      moves.add(from, to, hops[next].item);
    }
    moves.endStep(roundsOf[step]);
  }
  return moves;
}

/** The hops of every chunk of one source, the first one first. */
function pathsFrom(source: number, instance: Instance, sent: SentCounts): Map<number, Hop[]> {
  const { machine, steps } = instance;
  const paths = new Map<number, Hop[]>();
  let held = Array.from({ length: machine.ranks }, (_, rank) => itemsFor(source, rank, instance));
  for (const items of held) for (const item of items) paths.set(item, []);
  for (let step = steps - 1; step >= 0; step--) {
    const left: number[][] = held.map(() => []);
    machine.ways.forEach(({ from, to }, way) => {
      for (let count = sent(source, way, step); count > 0; count--) {
        const item = held[to].pop();
        if (item === undefined) throw new Error(`rank ${to} has sent more chunks of rank ${source} than it got`);
        paths.get(item)?.unshift({ step, way });
        left[from].push(item);
      }
    });
    held = held.map((items, rank) => [...items, ...left[rank]]);
  }
  return paths;
}

/** The chunks that a source has for a rank, by the numbers that `Answer` gives them. */
function itemsFor(source: number, rank: number, { kind, chunks, machine }: Instance): number[] {
  const first = (kind === 'alltoall' ? source * machine.ranks + rank : rank) * chunks;
  return Array.from({ length: chunks }, (_, c) => first + c);
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
