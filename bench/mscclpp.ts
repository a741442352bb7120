/**
 * `npx tsx bench/mscclpp.ts [--json] [--deletions]`: compiled plans as MSCCL++ execution plans, with signals and with packets: thread blocks of a
 * gpu, operations of a block, handshakes before messages and waits between blocks that are left out since others give their
 * order, and the CPU time of writing, reading back and proving. With `--deletions` each of the operations but `nop` is left out in turn: how
 * many of these plans the judge finds wrong, which should be all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPlan } from '../src/index.ts';
import { checkedTargetText } from '../src/jobs/written.ts';
import { judgeExecutionPlan } from '../src/mscclpp/check/index.ts';
import { readMscclpp } from '../src/mscclpp/read/index.ts';
import { executionFigures, mscclpp, mscclppPackets } from '../src/mscclpp/write/index.ts';
import { measure } from './measure.ts';

const machines: Readonly<Record<string, readonly string[]>> = {
  'ring:8': ['--topo', 'ring:8'],
  'full:8': ['--topo', 'full:8'],
  h100: ['--topo', 'h100'],
  mi300x: ['--topo', 'mi300x'],
  dgx1: ['--topo', 'dgx1'],
  'torus:2x4': ['--topo', 'torus:2x4'],
};
const collectives = ['allgather', 'reducescatter', 'allreduce', 'alltoall'] as const;
const emitters = [mscclpp, mscclppPackets] as const;

interface Written {
  readonly gpus: readonly { readonly threadblocks: readonly { readonly ops: { readonly name: string }[] }[] }[];
}

/** Of the plans without one operation each, how many are found to be wrong. */
function deletions(text: string): { readonly found: number; readonly deleted: number } {
  const document: Written = JSON.parse(text);
  let [found, deleted] = [0, 0];
  for (const { threadblocks } of document.gpus) {
    for (const { ops } of threadblocks) {
      for (let at = 0; at < ops.length; at++) {
        if (ops[at].name === 'nop') continue;
        const [lost] = ops.splice(at, 1);
        const less = readMscclpp({ name: 'less.json', text: JSON.stringify(document) });
        if (judgeExecutionPlan(less).verification.verdict !== 'correct') found++;
        deleted++;
        ops.splice(at, 0, lost);
      }
    }
  }
  return { found, deleted };
}

const folder = mkdtempSync(join(tmpdir(), 'ccc-mscclpp-'));
const file = join(folder, 'plan.json');
const asJson = process.argv.includes('--json');
const rows: object[] = [];
for (const [machine, options] of Object.entries(machines)) {
  for (const collective of collectives) {
    measure(['bin/ccc.js', 'compile', collective, ...options, '--size', '64MiB', '-o', file], 1);
    const { bundle } = await loadPlan(file);
    for (const emitter of emitters) {
      const { operations, ...figures } = executionFigures(bundle, emitter.name);
      const before = process.cpuUsage();
      const text = [...(await checkedTargetText(emitter, bundle))].join('');
      const { user, system } = process.cpuUsage(before);
      const most = Math.max(...operations);
      const mean = operations.reduce((sum, count) => sum + count, 0) / operations.length;
      const row = { machine, collective, format: emitter.name, plan: bundle.proved.plan.name, most, mean, ...figures };
      const lost = process.argv.includes('--deletions') ? deletions(text) : undefined;
      rows.push({ ...row, ...lost, cpuSeconds: (user + system) / 1e6 });
      if (asJson) continue;
      const { blocks, messages, handshakes, waits, waitsImplied } = figures;
      console.log(
        `${machine.padEnd(7)} ${collective.padEnd(13)} ${emitter.name.padEnd(10)} ${row.plan.padEnd(42)} ${String(blocks).padStart(3)} blocks, ` +
          `${mean.toFixed(1).padStart(5)} operations (most ${most}); left out ${messages - handshakes} of ${messages} handshakes, ` +
          `${waitsImplied} of ${waits} waits; ${((user + system) / 1e6).toFixed(2)} s` +
          (lost === undefined ? '' : `; ${lost.found} of ${lost.deleted} plans without an operation are found wrong`),
      );
    }
  }
}
rmSync(folder, { recursive: true });
if (asJson) console.log(JSON.stringify(rows));
