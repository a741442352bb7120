/** Writes the report of `ccc compile --compact`, as text and as JSON. */

import type { CompactCompileResult } from '../../compact/compile.ts';
import type { SymmetricTopology } from '../../ir/compact.ts';
import { optimality } from '../../ir/report.ts';
import { counted, formatBytes, formatSeconds } from '../../ir/units.ts';
import { layOutReport, type ReportEntry } from '../compile/report.ts';
import { boundDocument, costDocument, verificationDocument } from '../plan-document.ts';
import { ratesText } from '../rates.ts';
import { displayLimits } from '../shown.ts';

/** Writes the report in lines of at most `width` columns where words allow. */
export function compactReport({ bundle, steps }: CompactCompileResult, width = displayLimits.width): string {
  const { proved, topology, cost, bound, size = 0 } = bundle;
  const { plan, verification } = proved;
  const { ranks, chunks } = plan.collective;
  const rate = ratesText(plan.collective, size, cost.seconds);
  const best = bound.certificates.at(0);
  const notes = topology === undefined || topology.notes.length === 0 ? '' : ` (${topology.notes.join('; ')})`;
  const entries: ReportEntry[] = [
    [
      'plan',
      plan.name,
      `${counted(steps, 'step')}, ${counted(chunks, 'chunk')} per shard, ${counted(plan.bulks, 'bulk')}`,
    ],
    [
      'compact',
      `one program of ${counted(plan.ops.kind.length, 'operation')} for ${counted(ranks, 'rank')}: each rank runs it with the peers shifted to its own place`,
    ],
    ['simulated time', `${formatSeconds(cost.seconds)} for ${formatBytes(size)}${notes}`],
    ...(rate === undefined ? [] : [['rate', rate] as const]),
    [
      'certified bound',
      `${formatSeconds(bound.seconds)}${best === undefined ? '' : ` (${best.kind}: ${best.reason})`}`,
    ],
    ['optimality', optimality(bound.seconds, cost.seconds).toFixed(4)],
    ['moved', `${formatBytes(cost.bytesMoved)} in ${counted(cost.messages, 'message')}`],
    ['proved', ...verification.proved],
    ...verification.findings.map(({ severity, message }): ReportEntry => [severity, message]),
  ];
  return layOutReport(entries, width);
}

/** Makes a document of the plan's time, bound and proof. */
export function compactDocument({ bundle, steps }: CompactCompileResult): object {
  const { proved, topology, size = 0, dtype, cost, bound, origin } = bundle;
  const { plan, verification } = proved;
  return {
    ok: true,
    name: plan.name,
    collective: plan.collective,
    symmetry: { shape: plan.shape },
    topology: topology?.name,
    notes: topology?.notes,
    size,
    dtype,
    bulks: plan.bulks,
    steps,
    operationsPerRank: plan.ops.kind.length,
    origin,
    cost: {
      ...costDocument(cost, plan.collective, size),
      linksOfEveryChip: linkUse(topology, cost),
    },
    bound: boundDocument(bound, cost.seconds),
    verification: verificationDocument(verification),
  };
}

function linkUse(topology: SymmetricTopology | undefined, { links, seconds }: CompactCompileResult['bundle']['cost']) {
  return links.map(({ link, messages, bytes, busy }) => ({
    offset: topology?.generators[link].offset,
    messages,
    bytes,
    busy,
    utilisation: seconds === 0 ? 0 : busy / seconds,
  }));
}
