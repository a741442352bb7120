/**
 * How many steps it is from one place to each of so many (breadth first: Moore 1959); Infinity where no way leads.
 *
 * @param next the places a step from one
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
