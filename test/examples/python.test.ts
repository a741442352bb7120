/**
 * A runtime in another language, written from docs/plan-format.md, runs plans of every collective: in place, in bulks, of sizes that do not
 * divide, with the fewest messages in flight, and compares with the tables of docs/collectives.md.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json } from '../../src/emit/index.ts';
import { type CollectiveKind, resolveTopology, searchDefaults, searchPlan } from '../../src/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { messageBytes } from '../../src/ir/shards.ts';
import { convert } from '../../src/jobs/convert.ts';
import { loadScheduleFile } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';
import { emptyFolder } from '../temporary.ts';

const script = new URL('../../examples/python/check_plan.py', import.meta.url).pathname;
const hasPython = spawnSync('python3', ['--version']).status === 0;

const kinds: readonly CollectiveKind[] = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'] as const),
  ...(['scatter', 'gather', 'alltoall', 'scan', 'exscan', 'barrier'] as const),
];

function check(plans: readonly string[], elements?: number): { readonly status: number | null; readonly text: string } {
  const folder = emptyFolder();
  const paths = plans.map((plan, index) => {
    const path = join(folder, `${index}.json`);
    writeFileSync(path, plan);
    return path;
  });
  const wanted = elements === undefined ? [] : ['--elements', `${elements}`];
  const { status, stdout, stderr } = spawnSync('python3', [script, ...wanted, ...paths], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

/** What `ccc compile --bulks 3 --engine library` writes. */
function compiled(kind: CollectiveKind, inPlace: boolean, counts?: readonly number[]): string {
  const topology = resolveTopology('ring:5');
  const root = ['broadcast', 'reduce', 'scatter', 'gather'].includes(kind) ? 2 : 0;
  const collective = { ...collectiveOf(kind, 5), root, inPlace, ...(counts === undefined ? {} : { counts }) };
  const size = counts === undefined ? 1000 : messageBytes(kind, 5, counts);
  const { bundle } = searchPlan({ ...searchDefaults, collective, topology, size, bulks: 3, engine: 'library' });
  return [...json.emit(bundle)].join('');
}

async function ofSchedule(name: string, wishes: { readonly ordered?: boolean; readonly inPlace?: boolean }) {
  const asked = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits: defaultLimits } as const;
  const { bundle } = await convert(loadScheduleFile(name).text, { ...asked, ranks: 4, ...wishes });
  return [...json.emit(bundle)].join('');
}

describe.skipIf(!hasPython)('examples/python (needs python3)', () => {
  it.each([
    [false, 137],
    [true, 137],
    [false, 2],
  ])('runs every collective, in place: %s, with %s elements on five ranks', (inPlace, elements) => {
    const { status, text } = check(
      kinds.map((kind) => compiled(kind, inPlace)),
      elements,
    );
    expect(text.match(/^right: .*, 5 ranks, /gm)).toHaveLength(kinds.length);
    expect(status).toBe(0);
  });

  it('runs shards of different sizes, and none', () => {
    const counts = [40, 0, 400, 4, 44];
    const pairs = Array.from({ length: 25 }, (_, i) => (i % 5 === 3 ? 0 : 4 * i));
    const sized = (['allgather', 'reducescatter', 'scatter', 'gather'] as const).flatMap((kind) =>
      [false, true].map((inPlace) => compiled(kind, inPlace, counts)),
    );
    const { status, text } = check([...sized, compiled('alltoall', false, pairs)]);
    expect(text.match(/^right: /gm)).toHaveLength(9);
    expect(status).toBe(0);
  });

  it('keeps the order of operands, runs groups, and uses scratch in turn', async () => {
    const plans = await Promise.all([
      ofSchedule('in-order-chain-reduce', { ordered: true }),
      ofSchedule('in-order-pairwise-reducescatter', { ordered: true, inPlace: true }),
      ofSchedule('reduce-exchange-broadcast-custom', {}),
      ofSchedule('reduce-exchange-broadcast-custom', { inPlace: true }),
    ]);
    const { status, text } = check(plans, 37);
    expect(text.match(/^right: /gm)).toHaveLength(4);
    expect(status).toBe(0);
  });

  it('sees what is wrong: a slot, an order that is not kept, a message that nobody takes', () => {
    const plan = compiled('allgather', false);
    const other = check([plan.replace(/"dst": \["output", (\d)/, '"dst": ["output", 4')]);
    expect(other.text).toMatch(/wrong: .* rank \d output element \d+: /);
    expect(other.status).toBe(1);
    const unmatched = check([plan.replace('"op": "recv", "peer": 1', '"op": "recv", "peer": 3')]);
    expect(unmatched.text).toContain('wait for each other');
    expect(unmatched.status).toBe(1);
  });
});
