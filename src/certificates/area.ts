/** How much capacity a slot loses because the bytes of a message can be used only when the message has ended (docs/bounds.md, *Relays*). */
import type { Seconds } from '../ir/units.ts';

/**
 * The minimum of Σ [(i − 1)·a·wᵢ + wᵢ²/2], in seconds², over all sequences of messages that take wᵢ seconds each and fill the window W = Σ wᵢ; a is the
 * latency. It measures how much later than at the start of the window data become usable, summed over the data. The minimum has
 * wᵢ = θ − (i − 1)a for the first k messages, with the greatest k for which these are positive and the θ that makes the sum W. Each term is then
 * (θ² − (i − 1)²a²)/2.
 */
export function checkedStaggeredArea(window: Seconds, latency: Seconds): number {
  if (latency === 0 || window <= 0) return 0;
  const isTooMany = (count: number) => (latency * count * (count - 1)) / 2 >= window;
  let tooMany = 2;
  while (!isTooMany(tooMany)) tooMany *= 2;
  let count = tooMany / 2;
  for (let step = count / 2; step >= 1; step /= 2) if (!isTooMany(count + step)) count += step;
  const longest = (window + (latency * count * (count - 1)) / 2) / count;
  const squares = ((count - 1) * count * (2 * count - 1)) / 6;
  return (count * longest ** 2 - latency ** 2 * squares) / 2;
}
