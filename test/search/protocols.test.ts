/** Protocols and lanes are chosen by what simulation says, and plans say which. */
import { describe, expect, it } from 'vitest';
import { json } from '../../src/emit/index.ts';
import { mscclXml } from '../../src/emit/msccl/index.ts';
import { searchDefaults, searchPlan, simulate } from '../../src/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import { type Topology, withProtocol, withTiming } from '../../src/ir/topology.ts';
import { verifyText } from '../../src/jobs/verify-file.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { compileUnderProtocols } from '../../src/search/protocols.ts';
import { ncclTable } from '../../src/tune/nccl.ts';
import { tuneSizes } from '../../src/tune/tune.ts';
import { collectiveOf } from '../collectives.ts';

const h100 = resolveTopology('h100');
const under = Object.keys(h100.protocols ?? {}).map((name) => withProtocol(h100, name));

function request(topology: Topology, size: number) {
  return { ...searchDefaults, collective: collectiveOf('allgather', 8), topology, size, effort: 'quick' } as const;
}

describe('the protocol', () => {
  it.each([2 ** 10, 2 ** 24])('is the best of those that there are, for %i bytes', (size) => {
    const chosen = compileUnderProtocols(request(h100, size), under, searchPlan);
    const alone = under.map((topology) => searchPlan(request(topology, size)).bundle.cost.seconds);
    expect(chosen.bundle.cost.seconds).toBe(Math.min(...alone));
    expect(chosen.bundle.topology?.protocol).toBe(under[alone.indexOf(Math.min(...alone))].protocol);
    expect(chosen.protocols?.map(({ protocol }) => protocol).sort()).toEqual(['LL', 'LL128', 'Simple']);
  });

  it('has a plan that the target has room for, on fewer lanes where it needs to be', () => {
    const mi300x = resolveTopology('mi300x');
    const names = Object.keys(mi300x.protocols ?? {});
    const machines = names.map((name) => withProtocol(mi300x, name));
    const asked = { ...request(mi300x, 2 ** 14), algorithm: 'full-mesh-allgather' };
    const { lackingRoom } = mscclXml;
    const free = compileUnderProtocols(asked, machines, searchPlan);
    const kept = compileUnderProtocols({ ...asked, lackingRoom }, machines, searchPlan);
    expect(lackingRoom(free.bundle.proved.plan).join()).toMatch(/it needs \d+ thread blocks of a rank/);
    expect(mscclXml.check(kept.bundle)).toEqual([]);
    expect(kept.bundle.cost.seconds).toBeGreaterThan(free.bundle.cost.seconds);
    // Seven peers of a rank have a block each; thrice as many instances would need more than the runtime's 108.
    expect(kept.bundle.origin?.instances).toBe(8);
    const nothing = { ...asked, lackingRoom: () => ['no plan is small enough'] };
    expect(() => compileUnderProtocols(nothing, machines, searchPlan)).toThrow('no plan is small enough');
  });

  it('stands in the plan, and whoever reads it takes the machine under it', async () => {
    const { bundle } = searchPlan(request(withProtocol(h100, 'LL'), 2 ** 20));
    const text = [...(await json.emit(bundle))].join('');
    expect(JSON.parse(text)).toMatchObject({ protocol: 'LL', topology: { name: 'h100 --protocol LL' } });
    const xml = [...(await mscclXml.emit(bundle))].join('');
    expect(xml).toContain('proto="LL"');
    for (const [name, written] of [
      ['plan.json', text],
      ['plan.xml', xml],
    ]) {
      const wish = { topology: h100, size: 2 ** 20, root: 0, op: 'sum', ordered: false, inPlace: false } as const;
      const source = { name, text: written };
      const { verdicts } = await verifyText(source, { ...wish, bitwise: false, parameters: {}, limits: defaultLimits });
      expect(verdicts[0].verification.proved.join()).toMatch(/time: the plan takes .* on h100 --protocol LL/);
    }
  });

  it('is told to NCCL’s tuner with the channels that won', () => {
    const { topology: _, size: _size, effort: _effort, ...asked } = request(h100, 0);
    const tuned = tuneSizes({
      ...asked,
      topology: h100,
      alternatives: under,
      engine: 'library',
      algorithm: 'ring-allgather',
      sizes: [2 ** 12, 2 ** 26],
      tolerance: 0,
    });
    const rows =
      ncclTable('allgather', [tuned], 0)
        ?.split('\n')
        .filter((line) => line.startsWith('allgather')) ?? [];
    expect(rows[0]).toMatch(/^allgather,0,\d+,ring,ll,\d+,-1,8,-1,-1$/);
    expect(rows.at(-1)).toMatch(/,ring,(simple|ll128),\d+,-1,8,-1,-1$/);
  });
});

describe('lanes', () => {
  /** Lanes of a tenth of their link, and nothing else that takes time. */
  const slow = withTiming(resolveTopology('full:2'), {
    lane: { overhead: 0, bandwidth: 1e9, local: { bandwidth: 1e30 } },
  });
  const fast = {
    ...slow,
    links: slow.links.map((link) => ({ ...link, bandwidth: 1e10, latency: 0, occupancy: 'pipelined' as const })),
  };
  const copyAll = {
    ...request(fast, 2 ** 20),
    collective: collectiveOf('broadcast', 2),
    algorithm: 'linear-broadcast',
  };

  it('are as many for each message as make up for one lane’s bandwidth', () => {
    const { bundle } = searchPlan(copyAll);
    // Sixteen lanes move 16 GB/s, more than the link; eight do not.
    expect(bundle.origin).toMatchObject({ instances: 16, inOneInstance: 10 });
    expect(bundle.cost.seconds).toBeCloseTo(2 ** 20 / 1e10, 9);
    expect(simulate(bundle.proved.plan, Routes.of(fast), 2 ** 20).seconds).toBe(bundle.cost.seconds);
  });

  it('are no more than a chip has, and one where chunks are given', () => {
    const few = withTiming(fast, { lane: { count: 8 } });
    expect(searchPlan({ ...copyAll, topology: few }).bundle.origin?.instances).toBeLessThanOrEqual(8);
    expect(searchPlan({ ...copyAll, chunks: 1 }).bundle.origin?.instances).toBeUndefined();
  });
});
