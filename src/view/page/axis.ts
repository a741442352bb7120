/** Ticks of a time axis, and times as text. */
import { formatSeconds } from '../../ir/units.ts';

/** About `wanted` ticks in a range, at multiples of 1, 2 or 5 times a power of ten. */
export function ticks(from: number, to: number, wanted: number): readonly number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const found: number[] = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to * (1 + 1e-12); at++) found.push(at * step);
  return found;
}

const units = [
  { name: 'ps', seconds: 1e-12 },
  { name: 'ns', seconds: 1e-9 },
  { name: 'µs', seconds: 1e-6 },
  { name: 'ms', seconds: 1e-3 },
  { name: 's', seconds: 1 },
] as const;

/** The label of a tick, in the unit of the last tick, with the digits that distinguish neighbours. @param step the distance between ticks */
export function tickText(value: number, step: number, last: number, clock: 'seconds' | 'steps'): string {
  if (clock === 'steps') return String(Number(value.toFixed(decimalsOf(step))));
  const unit = [...units].reverse().find(({ seconds }) => Math.abs(last) >= seconds) ?? units[0];
  return `${(value / unit.seconds).toFixed(decimalsOf(step / unit.seconds))} ${unit.name}`;
}

function decimalsOf(step: number): number {
  return step > 0 ? Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))) : 0;
}

/** A duration or an instant of a plan's clock as text. */
export function clockText(value: number, clock: 'seconds' | 'steps'): string {
  return clock === 'seconds' ? formatSeconds(value) : String(Number(value.toFixed(2)));
}
