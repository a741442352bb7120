/**
 * The allreduce along the edges of a hypercube: recursive doubling with a part of the vector for each dimension, each of which takes the
 * dimensions in another order, so that all links are busy (Johnsson and Ho, "Optimum broadcasting and personalized communication in
 * hypercubes", IEEE Trans. Computers 38, 1989, rotate dimensions in this way). Recursive halving before and its reverse afterwards along some of
 * the dimensions saves bytes and costs a message in a row for each: with h of d dimensions halved, a link carries
 * M/d · (2(1 − 2⁻ʰ) + (d − h)·2⁻ʰ) in d + h messages.
 */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder } from '../../ir/schedule.ts';

/** Chunks that a schedule with so many halved dimensions needs at least. */
export function exchangeChunks(dimensions: number, halved: number): number {
  return dimensions * 2 ** halved;
}

/**
 * @param collective an allreduce of 2^d ranks whose C is a multiple of what `exchangeChunks` says
 * @param corners the rank at each corner
 * @param halved along how many dimensions the parts are scattered: 0 … d − 1
 * @throws Error if C is no such multiple
 */
export function exchangedAlongEdges(collective: Collective, corners: readonly number[], halved: number): Schedule {
  const dimensions = Math.log2(corners.length);
  const unit = collective.chunks / exchangeChunks(dimensions, halved);
  if (!Number.isInteger(unit)) throw new Error('C is no multiple of the pieces of all parts');
  const builder = new StepsBuilder();
  const part = { dimensions, halved, unit };
  for (let step = 0; step < dimensions + halved; step++) {
    const isGathered = step >= dimensions;
    const level = isGathered ? dimensions + halved - 1 - step : step;
    for (const [corner, rank] of corners.entries()) {
      for (let first = 0; first < dimensions; first++) {
        const bit = 2 ** ((first + level) % dimensions);
        const place = placeOf(isGathered ? corner : corner ^ bit, first, level, part);
        builder.add({
          kind: isGathered ? 'copy' : 'reduce',
          order: 'held-first',
          source: rank,
          destination: corners[corner ^ bit],
          channel: 0,
          pieces: [{ from: 'data', fromOffset: place.from, to: 'data', toOffset: place.from, count: place.count }],
          origin: undefined,
        });
      }
    }
    builder.endStep();
  }
  return { name: 'cubes', collective, scratch: 0, commutative: true, ring: false, steps: builder.build() };
}

/** What a corner keeps of a part, which takes the dimensions from `first` on, when it has been halved along those up to `level`. */
function placeOf(
  corner: number,
  first: number,
  level: number,
  { dimensions, halved, unit }: { readonly dimensions: number; readonly halved: number; readonly unit: number },
): { readonly from: number; readonly count: number } {
  let count = unit * 2 ** halved;
  let from = first * count;
  for (let i = 0; i <= Math.min(level, halved - 1); i++) {
    count /= 2;
    if (corner & (2 ** ((first + i) % dimensions))) from += count;
  }
  return { from, count };
}
