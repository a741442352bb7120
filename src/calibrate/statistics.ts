/** How far predictions are from measurements, and whether they put plans in the right order. */

/** The value below which `share` of the values lie, between two of them by a line (type 7 of Hyndman and Fan, 1996). NaN of no values. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of a sample; 0 of one value. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** exp |log(measured / predicted)| − 1: 0.5 for half as long again and for two thirds. */
export function relativeError(measured: number, predicted: number): number {
  return Math.exp(Math.abs(Math.log(measured / predicted))) - 1;
}

/** Places in ascending order from 1; equal values share the mean of their places. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => values[a] - values[b]);
  const places = new Array<number>(values.length);
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && values[order[end]] === values[order[first]]) end++;
    for (let at = first; at < end; at++) places[order[at]] = (first + 1 + end) / 2;
    first = end;
  }
  return places;
}

/** Spearman's ρ: the correlation of ranks. Undefined where one side has fewer than two different values. */
export function spearman(a: readonly number[], b: readonly number[]): number | undefined {
  const [x, y] = [ranks(a), ranks(b)];
  const [middleX, middleY] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  x.forEach((value, index) => {
    xy += (value - middleX) * (y[index] - middleY);
    xx += (value - middleX) ** 2;
    yy += (y[index] - middleY) ** 2;
  });
  return xx === 0 || yy === 0 ? undefined : xy / Math.sqrt(xx * yy);
}

/** How much longer the plan takes that predictions would choose than the one that measured best. */
export function regret(measured: readonly number[], predicted: readonly number[]): number {
  const chosen = predicted.indexOf(Math.min(...predicted));
  return measured[chosen] / Math.min(...measured) - 1;
}
