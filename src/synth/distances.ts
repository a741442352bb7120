/**
 * Number of hops from `start` to each of `count` places by breadth-first search (Moore 1959), Infinity if unreachable.
 * @param next the places one hop away
 */
export function distancesFrom(start: number, count: number, next: (at: number) => Iterable<number>): Float64Array {
  const distance = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  distance[start] = 0;
  const reached = [start];
  for (const at of reached) {
    for (const to of next(at)) {
      if (distance[to] < Number.POSITIVE_INFINITY) continue;
      distance[to] = distance[at] + 1;
      reached.push(to);
    }
  }
  return distance;
}
