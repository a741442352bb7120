/** Command lists, run by an interpreter that knows nothing but their format, on real numbers. Machine by machine: machines.test.ts. */
import { describe, expect, it } from 'vitest';
import type { PlanBundle } from '../../../src/emit/index.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { messageBytes } from '../../../src/ir/shards.ts';
import { withTimeline } from '../../../src/jobs/timed.ts';
import { readPlan, resolveTopology, withGroup, withMap } from '../../../src/read/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { fromHalf, runCommandLists, toHalf } from './command-lists/index.ts';
import { bundleOf, drawn, emitterNamed, listsOf, machines, runAndCheck } from './lists.ts';

describe('command lists', () => {
  it.each(['allreduce', 'alltoall', 'scatter'] as const)('of %s in 3 bulks, staged, do what it means', async (kind) => {
    // No power of two: shards are rounded up, and chunks of a shard differ by a unit.
    const bundle = bundleOf(kind, machines['sg2260x4-ddr'], 50_000, { bulks: 3, root: 2 });
    const json = await listsOf(bundle);
    for (const seed of [1, 2]) runAndCheck(json, bundle, seed);
  });

  it.each([
    ['allgather', [4096, 0, 300, 128]],
    ['reducescatter', [256, 1000, 0, 8192]],
    ['alltoall', [0, 512, 300, 8, 64, 128, 0, 4096, 1000, 0, 2, 2, 256, 768, 6, 0]],
    // Without anything to swap; and shares of M that are no whole numbers in floating point.
    ['alltoall', [0, 0, 0, 9488, 11156, 3356, 11048, 0, 8284, 0, 0, 0, 0, 0, 0, 0]],
    ['scatter', [11632, 8068, 0, 0]],
  ] as const)('of %s with shards of different sizes do what it means', async (kind, counts) => {
    for (const name of ['sg2260x4', 'sg2260x4-ddr']) {
      const bundle = bundleOf(kind, machines[name], messageBytes(kind, 4, counts), { counts });
      runAndCheck(await listsOf(bundle), bundle, 1);
    }
  });

  it('are refused for plans with operations of no bytes, whose signals nobody would give', () => {
    const equal = bundleOf('allgather', machines['sg2260x4-ddr'], 16384, { counts: [4096, 4096, 4096, 4096] });
    const { plan } = equal.proved;
    const { proved } = prove({ ...plan, collective: { ...plan.collective, counts: [0, 4096, 8192, 4096] } });
    if (proved === undefined) throw new Error('shards of other sizes make a right plan wrong');
    expect(emitterNamed('sg2260').check({ ...equal, proved })).toEqual([expect.stringContaining('move no bytes')]);
  });

  it.each([256, 0])(
    'keep to the shorter slot where a plan copies a longer chunk into a shard of %i bytes',
    async (short) => {
      const counts = [4096, short, 4096, 4096];
      const wanted = { counts, algorithm: 'ring-allgather', bulks: 1 };
      const bundle = bundleOf('allgather', machines.sg2260x4, messageBytes('allgather', 4, counts), wanted);
      const document = JSON.parse([...(await emitterNamed('json').emit(bundle))].join(''));
      // Behind all that comes from rank 3 but the shard itself, which comes last.
      const { ops } = document.programs[0].lanes.find(({ ops }: { ops: { peer?: number }[] }) => ops[0].peer === 3);
      const at = short === 0 ? ops.length : ops.length - 1;
      ops.splice(at, 0, { op: 'copy', src: ['input', 0, 1], dst: ['output', 1, 1], step: 3 });
      const { plan } = readPlan({ name: 'plan.json', text: JSON.stringify(document) }, { limits: defaultLimits });
      const { proved } = prove(plan);
      if (proved === undefined) throw new Error('the copy makes a right plan wrong');
      const copying = withTimeline({ ...bundle, proved });
      if (short > 0) runAndCheck(await listsOf(copying), copying, 1);
      else expect(emitterNamed('sg2260').check(copying)).toEqual([expect.stringContaining('move no bytes')]);
    },
  );

  it('combine in rank order where that is asked for', async () => {
    // In half precision 2048 + 1 is 2048, and so are all sums in rank order; where 1 and 1 meet first it is 2050.
    const values = [1, 2048, 1, 0];
    const bundle = bundleOf('allreduce', machines['sg2260x4-ddr'], 4096, { ordered: true });
    const json = await listsOf(bundle);
    expect(JSON.parse(json).collective.ordered).toBe(true);
    const fill = (rank: number, input: Uint8Array): void => {
      const data = new DataView(input.buffer, input.byteOffset, input.byteLength);
      for (let at = 0; at < input.length; at += 2) data.setUint16(at, toHalf(values[rank]), true);
    };
    for (const { output } of runCommandLists(json, fill, drawn(1)).chips) {
      const data = new DataView(output.buffer, output.byteOffset, output.byteLength);
      for (let at = 0; at < 4096; at += 2) expect(fromHalf(data.getUint16(at, true))).toBe(2048);
    }
  });

  it.each([
    ['sg2260x4', 0, 1],
    ['sg2260x4-ddr', 1, 3],
    ['sg2260x8', 7, 0],
  ] as const)('of a send and a receive on %s, from rank %i to %i', async (name, source, target) => {
    const bundle = bundleOf('custom', machines[name], 20_000, {
      algorithm: 'send-custom',
      parameters: { source, target },
    });
    const json = await listsOf(bundle);
    const fill = (rank: number, input: Uint8Array): void => {
      for (let i = 0; rank === source && i < input.length; i++) input[i] = (i * 7 + (i >> 8)) % 251;
    };
    const { chips } = runCommandLists(json, fill, drawn(2));
    const { output } = chips[target];
    expect(output.length).toBe(20_096);
    expect(output.findIndex((value, i) => value !== (i * 7 + (i >> 8)) % 251)).toBe(-1);
  });

  it.each([
    ['f32', 'sum'],
    ['i32', 'max'],
    ['f32', 'prod'],
  ] as const)('combine %s by %s', async (dtype, op) => {
    const bundle = bundleOf('allreduce', machines.sg2260x4, 4096, { dtype, op });
    runAndCheck(await listsOf(bundle), bundle, 1);
  });

  it('send on piece by piece what a port cannot hold at once', async () => {
    // Chunks of 28 and 29 units: ranks that swap five of them do so in more commands than the two that a port holds.
    const machine = withMap(machines['sg2260x4-ddr'], [1, 2, 0, 3]);
    const wanted = { op: 'prod', dtype: 'f32', bulks: 5 } as const;
    const bundle = bundleOf('alltoall', machine, 462_912, wanted);
    const json = await listsOf(bundle);
    for (const seed of [1, 2, 3]) runAndCheck(json, bundle, seed);
  });

  it('of a barrier let nobody through before everybody has come', async () => {
    for (const name of ['sg2260x4', 'sg2260x4-ddr']) {
      const json = await listsOf(bundleOf('barrier', machines[name], 2));
      expect(runCommandLists(json, () => {}, drawn(1)).commands).toBeGreaterThan(0);
    }
  });

  it('use numbers again only when they are free, however many bulks there are', async () => {
    const { messages } = machines['sg2260x4-ddr'];
    const few = { ...machines['sg2260x4-ddr'], messages: messages && { ...messages, ids: 48 } };
    const bundle = bundleOf('allreduce', few, 2 ** 17, { bulks: 20 });
    const json = await listsOf(bundle);
    const { chips } = JSON.parse(json);
    const given = chips[0].queues.flatMap(({ commands }: { commands: { post?: { id: number }[] }[] }) =>
      commands.flatMap(({ post = [] }) => post.map(({ id }) => id)),
    );
    // More signals than numbers.
    expect(given.length).toBeGreaterThan(2 * 48);
    expect(Math.max(...given)).toBeLessThan(48);
    for (const seed of [1, 2, 3]) runAndCheck(json, bundle, seed);
  });

  it('name the chips of a group in its order', async () => {
    const ring = withGroup(machines.sg2260x8, [7, 6, 2, 3]);
    const bundle = bundleOf('allgather', ring, 2 ** 14);
    const json = await listsOf(bundle);
    expect(JSON.parse(json).chipMap).toEqual([7, 6, 2, 3]);
    runAndCheck(json, bundle, 1);
  });

  it('can be read', async () => {
    const bundle = bundleOf('allgather', machines.sg2260x4, 1024, { chunks: 1, bulks: 1, algorithm: 'ring-allgather' });
    const text = [...(await emitterNamed('sg2260-listing').emit(bundle))].join('');
    const shown = text.slice(text.indexOf('rank 1 on'), text.indexOf('rank 2 on')).trim();
    expect(shown).toBe(`rank 1 on chip 1: input 256 B in ddr, output 1 KiB in ddr, scratch 0 B in l2
  send to rank 2
    bulk 0 send input+0 [128]
    bulk 0 wait 0, send output+0 [128]
    bulk 0 wait 1, send output+768 [128]
  receive from rank 0
    bulk 0 receive output+0 [128], post 0
    bulk 0 receive output+768 [128], post 1
    bulk 0 receive output+512 [128]
  copy
    bulk 0 copy input+0 [128] to output+256 [128]`);
  });
});

describe('what cannot be written', () => {
  const lacks = (bundle: PlanBundle) => emitterNamed('sg2260').check(bundle).join('; ');

  it('is said', () => {
    const { sg2260x4 } = machines;
    expect(lacks(bundleOf('allgather', resolveTopology('ring:4'), 4096))).toContain('a machine that states limits');
    const full = { ...resolveTopology('full:4'), messages: sg2260x4.messages };
    const far = { ...bundleOf('alltoall', full, 4096), topology: sg2260x4 };
    expect(lacks(far)).toContain('rank 0 has no link to rank 2');
    const bundle = bundleOf('allgather', sg2260x4, 4096);
    expect(lacks({ ...bundle, size: undefined })).toContain('a size');
    expect(lacks({ ...bundle, dtype: undefined })).toContain('an element type');
    const few = { ...sg2260x4, messages: sg2260x4.messages && { ...sg2260x4.messages, ids: 1 } };
    expect(lacks({ ...bundle, topology: few })).toContain('message ids');
  });
});
