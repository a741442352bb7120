/** Checks switch channels, which all gpus of their group create together, one after the other. */

import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { ExecutionPlan } from '../execution-plan.ts';
import { partLine } from './words.ts';

/** Finds groups that their gpus do not all declare equally often and for the same buffers. */
export function checkSwitches({ gpus }: ExecutionPlan): readonly Finding[] {
  const found = new CheckFindings('malformed');
  const declared = gpus.map(({ switches }) => {
    const byGroup = new Map<string, string[]>();
    for (const { ranks, buffer } of switches) {
      const group = ranks.join(' ');
      byGroup.set(group, [...(byGroup.get(group) ?? []), buffer]);
    }
    return byGroup;
  });
  gpus.forEach(({ id, switches, range }, gpu) => {
    for (const { ranks } of switches) {
      const group = ranks.join(' ');
      const own = declared[gpu].get(group)?.join();
      const other = ranks.find((rank) => declared[rank]?.get(group)?.join() !== own);
      if (other === undefined) continue;
      found.add(() => ({
        message: `gpu ${id} declares switch channels of gpus ${ranks.join(', ')} that gpu ${other} does not declare alike.`,
        story: [partLine(`gpu ${id}`, id, 0, range)],
      }));
    }
  });
  return found.list();
}
