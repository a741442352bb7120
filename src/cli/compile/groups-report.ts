/** What `ccc compile` adds about process groups that work at the same time. */

import { formatSeconds, type Seconds } from '../../ir/units.ts';
import type { GroupShare } from '../../process-groups/groups.ts';
import { elide, formatWideTable } from '../show/table.ts';
import { displayLimits } from '../shown.ts';

/**
 * Writes a table of the groups. The difference between a group's time alone and the plan's time is what the groups lose to contention with each
 * other.
 */
export function groupsText(groups: readonly GroupShare[], together: Seconds, width: number | undefined): string {
  const rows = groups.map(groupRow);
  const longest = Math.max(...groups.map(({ aloneSeconds }) => aloneSeconds));
  const delay = longest === 0 ? 1 : together / longest;
  const contention =
    delay > 1 + 1e-9
      ? `Together the groups take ${formatSeconds(together)}, ${delay.toFixed(2)} times as long as the slowest one alone, because they share links.`
      : 'Together the groups take no longer than the slowest one alone.';
  const header = ['group', 'schedule', 'alone', 'optimality alone'];
  const table = formatWideTable({ header, rows }, 1, width ?? Number.POSITIVE_INFINITY);
  return `${groups.length} groups at once:\n${table}\n${contention}\n`;
}

function groupRow({ ranks, name, aloneSeconds, aloneOptimality }: GroupShare): readonly string[] {
  const chips = elide(ranks.map(String), displayLimits.nodesInTable, () => '…').join(' ');
  return [chips, name, formatSeconds(aloneSeconds), aloneOptimality.toFixed(4)];
}
