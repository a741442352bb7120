/** Statistics of predictions: errors against measurements, and rank correlation of plans. */

/** A quantile, with linear interpolation (type 7 of Hyndman and Fan, 1996). NaN for no values. @param share from 0 to 1 */
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

/** The standard deviation of a sample; 0 for one value. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** The relative error exp |log(measured / predicted)| − 1: 0.5 both for 1.5 times and for two thirds of the predicted time. */
export function relativeError(measured: number, predicted: number): number {
  return Math.exp(Math.abs(Math.log(measured / predicted))) - 1;
}

/** Ranks in ascending order, from 1; equal values share the mean of their ranks. */
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

/** Spearman's ρ, the correlation of ranks; undefined if either side has fewer than two different values. */
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

/** The regret of choosing by predictions: how much longer the chosen plan takes than the fastest one, as a share. */
export function regret(measured: readonly number[], predicted: readonly number[]): number {
  const chosen = predicted.indexOf(Math.min(...predicted));
  return measured[chosen] / Math.min(...measured) - 1;
}
