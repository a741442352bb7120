/**
 * Whole chunks in so many steps as a whole-number program (docs/ilp.md): a column says whether a chunk starts over a way in a step. A chunk
 * comes to each rank once at most, to its targets once, is sent on only from where it has come, and a way carries one chunk at a time.
 */
import type { RoundsNetwork } from '../rounds/network.ts';
import type { Commodity } from '../rounds/problem.ts';
import { type LinearModel, ModelBuilder } from '../solver/index.ts';
import { type Grid, soonest } from './grid.ts';

/** Chunk, way and step of a column. */
export interface Start {
  readonly chunk: number;
  readonly way: number;
  readonly at: number;
}

export interface WholeChunksModel {
  readonly model: LinearModel;
  /** By column. */
  readonly starts: readonly Start[];
}

/** @param commodities one for each chunk; all have a source */
export function wholeChunksModel(
  commodities: readonly Commodity[],
  network: RoundsNetwork,
  grid: Grid,
  steps: number,
): WholeChunksModel {
  const builder = new ModelBuilder();
  const starts: Start[] = [];
  const { from, to } = network;
  /** Columns of a chunk over each way, by the step of their start; −1 where there is none. */
  const columns = commodities.map((commodity) => {
    const after = soonest(commodity, network, grid);
    return Array.from(from, (source, way) =>
      Array.from({ length: steps }, (_, at) => {
        const isPossible = to[way] !== commodity.source && at >= after[source] && at + grid.takes[way] <= steps;
        if (!isPossible) return -1;
        starts.push({ chunk: commodities.indexOf(commodity), way, at });
        return builder.column({ lower: 0, upper: 1, whole: true });
      }),
    );
  });
  const rowOf = (members: readonly number[], lower: number): void => {
    builder.row(lower, 1);
    for (const column of members) builder.add(column, 1);
  };
  const arriving = (chunk: number, rank: number, until: number): number[] =>
    columns[chunk].flatMap((ofWay, way) =>
      to[way] === rank ? ofWay.filter((column, at) => column >= 0 && at + grid.takes[way] <= until) : [],
    );
  for (const [chunk, { source, targets }] of commodities.entries()) {
    for (let rank = 0; rank < network.ranks; rank++) {
      if (rank !== source) rowOf(arriving(chunk, rank, steps), targets.includes(rank) ? 1 : 0);
    }
    for (const [way, ofWay] of columns[chunk].entries()) {
      if (from[way] === source) continue;
      for (const [at, column] of ofWay.entries()) {
        if (column < 0) continue;
        builder.row(0, Number.POSITIVE_INFINITY);
        builder.add(column, -1);
        for (const earlier of arriving(chunk, from[way], at)) builder.add(earlier, 1);
      }
    }
  }
  for (let way = 0; way < from.length; way++) {
    for (let at = 0; at < steps; at++) {
      rowOf(
        columns
          .flatMap((ofChunk) => ofChunk[way].slice(Math.max(0, at - grid.holds[way] + 1), at + 1))
          .filter((c) => c >= 0),
        0,
      );
    }
  }
  return { model: builder.build(), starts };
}
