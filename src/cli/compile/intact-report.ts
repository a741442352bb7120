/** What `ccc compile --without` reports about the machine before links and chips were removed from it. */
import { oneLine } from '../../ir/plain-text.ts';
import { formatSeconds } from '../../ir/units.ts';
import type { IntactTime } from '../../session/compile/intact.ts';

export function intactText({ topology, seconds, slowdown }: IntactTime): string {
  const takes = `${formatSeconds(seconds)} on ${oneLine(topology)}`;
  return `the whole machine: ${takes} by a quick search; this plan takes ${Number(slowdown.toPrecision(3))} times as long`;
}
