/**
 * By how much a slot falls behind its bandwidth because relayed messages can be forwarded only after they have arrived
 * completely (relay.ts).
 */
import type { Seconds } from '../../ir/units.ts';

/** The minimum of Σ wᵢ(i − 1)a + wᵢ²/2 subject to Σ wᵢ = W. */
export function minStaggeredArea(window: Seconds, latency: Seconds): number {
  if (latency === 0 || window <= 0) return 0;
  // The largest number of messages with which the last one still has positive length: W > a·k(k − 1)/2.
  const messages = Math.max(1, Math.ceil((1 + Math.sqrt(1 + (8 * window) / latency)) / 2) - 1);
  const longest = window / messages + ((messages - 1) * latency) / 2;
  const squares = ((messages - 1) * messages * (2 * messages - 1)) / 6;
  return (messages * longest ** 2 - latency ** 2 * squares) / 2;
}
