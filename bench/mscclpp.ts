/**
 * `npx tsx bench/mscclpp.ts [--json]`: compiled plans as MSCCL++ execution plans, with signals and with packets: thread blocks of a
 * gpu, operations of a block, handshakes before messages and waits between blocks that are left out since others give their
 * order, and the CPU time of writing, reading back and proving.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionFigures, mscclpp, mscclppPackets } from '../src/emit/mscclpp/index.ts';
import { written } from '../src/files/written.ts';
import { load } from '../src/index.ts';
import { measure } from './measure.ts';

/** Eight MI300X are linked pair by pair, 64 GB/s each way. */
const machines: Readonly<Record<string, readonly string[]>> = {
  'ring:8': ['--topo', 'ring:8'],
  'full:8': ['--topo', 'full:8'],
  h100: ['--topo', 'h100'],
  mi300x: ['--topo', 'full:8', '--link', '1us,64GB/s,pipelined'],
};
const collectives = ['allgather', 'reducescatter', 'allreduce', 'alltoall'] as const;
const emitters = [mscclpp, mscclppPackets] as const;

const folder = mkdtempSync(join(tmpdir(), 'ccc-mscclpp-'));
const file = join(folder, 'plan.json');
const asJson = process.argv.includes('--json');
const rows: object[] = [];
for (const [machine, options] of Object.entries(machines)) {
  for (const collective of collectives) {
    measure(['bin/ccc.js', 'compile', collective, ...options, '--size', '64MiB', '-o', file], 1);
    const bundle = await load(file);
    for (const emitter of emitters) {
      const { operations, ...figures } = executionFigures(bundle, emitter.name);
      const before = process.cpuUsage();
      await written(emitter, bundle);
      const { user, system } = process.cpuUsage(before);
      const most = Math.max(...operations);
      const mean = operations.reduce((sum, count) => sum + count, 0) / operations.length;
      const row = { machine, collective, format: emitter.name, plan: bundle.proved.plan.name, most, mean, ...figures };
      rows.push({ ...row, cpuSeconds: (user + system) / 1e6 });
      if (asJson) continue;
      const { blocks, messages, words, waits, waitsGiven } = figures;
      console.log(
        `${machine.padEnd(7)} ${collective.padEnd(13)} ${emitter.name.padEnd(10)} ${row.plan.padEnd(42)} ${String(blocks).padStart(3)} blocks, ` +
          `${mean.toFixed(1).padStart(5)} operations (most ${most}); left out ${messages - words} of ${messages} handshakes, ` +
          `${waitsGiven} of ${waits} waits; ${((user + system) / 1e6).toFixed(2)} s`,
      );
    }
  }
}
rmSync(folder, { recursive: true });
if (asJson) console.log(JSON.stringify(rows));
