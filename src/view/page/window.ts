/** The part of the time that the timeline shows. */
import type { State } from './state.ts';

/** No closer than this part of the whole. */
const closest = 1e-7;

/** The window made wider or narrower round an instant that keeps its place. */
export function zoomed(
  { from, to, time }: Pick<State, 'from' | 'to' | 'time'>,
  duration: number,
  factor: number,
  around?: number,
): Pick<State, 'from' | 'to'> {
  const width = to - from;
  const wanted = Math.min(duration, Math.max(duration * closest, width * factor));
  if (!(wanted < duration)) return { from: 0, to: duration };
  const isSeen = time >= from && time <= to;
  const pivot = around ?? (isSeen ? time : (from + to) / 2);
  const start = Math.min(duration - wanted, Math.max(0, pivot - ((pivot - from) / width) * wanted));
  return { from: start, to: start + wanted };
}

/** The window moved, within the whole. */
export function panned(
  { from, to }: Pick<State, 'from' | 'to'>,
  duration: number,
  by: number,
): Pick<State, 'from' | 'to'> {
  const shift = Math.max(-from, Math.min(duration - to, by));
  return { from: from + shift, to: to + shift };
}
