/** Runs of consecutive ranks, nested: which rank of a run looks after which chunks of its sum and of what comes before it. */

export interface Run {
  /** Its ranks: `first` … `end` − 1. */
  readonly first: number;
  readonly end: number;
  /** In rank order; none in a run of one rank. */
  readonly parts: readonly Run[];
  /** Levels of parts below it. */
  readonly height: number;
  /** Somebody after it needs the sum of its ranks. */
  readonly isSummed: boolean;
  /** Those who look after the part that has more of them do so for all. */
  readonly isOfOnePart: boolean;
}

/** A run of parts that are made for the ranks at which they begin; `cuts` are those of all but the first. */
function runOf(
  first: number,
  end: number,
  isSummed: boolean,
  cuts: readonly number[],
  part: (first: number, end: number, isSummed: boolean) => Run,
): Run {
  const starts = [first, ...cuts];
  const parts = starts.map((start, index) => {
    const next = starts[index + 1];
    return part(start, next ?? end, isSummed || next !== undefined);
  });
  return {
    first,
    end,
    parts,
    height: 1 + Math.max(...parts.map(({ height }) => height)),
    isSummed,
    isOfOnePart: false,
  };
}

function single(rank: number, isSummed: boolean): Run {
  return { first: rank, end: rank + 1, parts: [], height: 0, isSummed, isOfOnePart: false };
}

/** Every rank is a part of its own. */
export function flatRun(first: number, end: number, isSummed: boolean): Run {
  if (end - first === 1) return single(first, isSummed);
  const cuts = Array.from({ length: end - first - 1 }, (_, index) => first + 1 + index);
  return runOf(first, end, isSummed, cuts, (rank, _, isSummed) => single(rank, isSummed));
}

/** Two parts, each made like it; looked after by the ranks of one part where sizes are odd. */
export function halvedRun(first: number, end: number, isSummed: boolean): Run {
  const size = end - first;
  if (size === 1) return single(first, isSummed);
  const run = runOf(first, end, isSummed, [first + halfOf(size)], halvedRun);
  return { ...run, isOfOnePart: !isSummed && !Number.isInteger(Math.log2(size)) };
}

/**
 * The largest power of two below a number, or half of that where little would be left: then a few ranks would get messages from many.
 */
export function halfOf(count: number): number {
  const half = 2 ** (Math.ceil(Math.log2(count)) - 1);
  return 4 * (count - half) < half ? half / 2 : half;
}

/**
 * By chunk, the rank that looks after it in a run, among those that do so in its parts: as many chunks as its weight among the
 * ranks of the run says.
 */
export function ownersOf(run: Run, ofParts: readonly Int32Array[], weights: Float64Array): Int32Array {
  const chunks = ofParts[0].length;
  if (run.isOfOnePart) return ofParts.reduce((most, owners) => (countOf(owners) > countOf(most) ? owners : most));
  const alike = new Map<string, number[]>();
  for (let chunk = 0; chunk < chunks; chunk++) {
    const key = ofParts.map((owners) => owners[chunk]).join(' ');
    const same = alike.get(key);
    if (same === undefined) alike.set(key, [chunk]);
    else same.push(chunk);
  }
  const shares = run.parts.map(({ first, end }) =>
    weights.subarray(first, end).reduce((sum, weight) => sum + weight, 0),
  );
  const owners = new Int32Array(chunks);
  for (const same of alike.values()) {
    const cuts = cutsOf(same.length, shares);
    let part = 0;
    same.forEach((chunk, index) => {
      while (index >= cuts[part]) part++;
      owners[chunk] = ofParts[part][chunk];
    });
  }
  return owners;
}

function countOf(owners: Int32Array): number {
  return new Set(owners).size;
}

/** Where each of some parts of so many things ends, in proportion to shares. */
function cutsOf(count: number, shares: readonly number[]): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let sum = 0;
  const cuts = shares.map((share) => {
    sum += share;
    return Math.round((count * sum) / whole);
  });
  cuts[cuts.length - 1] = count;
  return cuts;
}
