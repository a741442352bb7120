/**
 * Hidden numbers of a machine are found again from times that a formula of the test makes. A chain of h hops passes C blocks of n = M/C bytes,
 * and lanes are the narrowest thing on the way: h (α + 2 o + n/B) + (C − 1)(o + n/B) and the launch (docs/time-model.md).
 */
import { describe, expect, it } from 'vitest';
import { type Calibration, type Configuration, calibrate, splitOf } from '../../src/calibrate/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { importPlan } from '../../src/jobs/convert.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { loadScheduleFile } from '../../src/read/schedule/index.ts';

const text = `format: ccc-topology
version: 1
name: chain
parameters:
  chipCount: { default: 4, minimum: 2, about: chips }
chips: chipCount
link: { latency: 1 us, bandwidth: 50 GB/s, occupancy: pipelined }
links:
  - for: r in 0 .. chipCount - 2
    duplex: r <-> r + 1
`;

function chain(ranks: number): Topology {
  return resolveTopology(`./chain.yaml:${ranks}`, { read: (name) => ({ name, text }) });
}

const hidden = { launch: 9e-6, overhead: 1.5e-6, bandwidth: 4e9, latency: 3e-6 };

function formula(hops: number, blocks: number, size: number): number {
  const { launch, overhead, bandwidth, latency } = hidden;
  const bytes = size / blocks / bandwidth;
  return launch + hops * (latency + 2 * overhead + bytes) + (blocks - 1) * (overhead + bytes);
}

async function configuration(ranks: number, chunks: number, timeOf = formula): Promise<Configuration> {
  const source = loadScheduleFile('pipelined-chain-broadcast').text;
  const asked = {
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: true,
    parameters: {},
    ranks,
    chunks,
    limits: defaultLimits,
  } as const;
  const { plan } = await importPlan(source, asked);
  const times = [4e3, 3e4, 2e5, 1e6, 8e6].map((size) => ({ size, seconds: timeOf(ranks - 1, chunks, size) }));
  const name = `${ranks} ranks, ${chunks} blocks`;
  return { name, plan, topology: chain(ranks), collective: 'broadcast', ranks, protocol: undefined, times };
}

function configurations(): Promise<Configuration[]> {
  const shapes = [2, 3, 5, 8].flatMap((ranks) => [1, 4, 32].map((chunks) => [ranks, chunks] as const));
  return Promise.all(shapes.map(([ranks, chunks]) => configuration(ranks, chunks)));
}

const request = {
  fit: undefined,
  fix: new Map<string, number>(),
  left: [],
  shouldStop: () => false,
  onProgress: () => {},
};

function numberOf({ parameters }: Calibration, name: string): number {
  const found = parameters.find(({ parameter }) => parameter.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found.parameter.unit === 'seconds' ? found.value : 1 / found.value;
}

function worst(predictions: Calibration['own']): number {
  return Math.max(...predictions.map(({ measured, predicted }) => Math.abs(predicted / measured - 1)));
}

describe('fitting', () => {
  it('finds hidden numbers again, and predicts plans that were left out', async () => {
    const found = await calibrate({ ...request, ...splitOf(await configurations(), 6, 3) });
    expect(found.left).toHaveLength(6);
    expect(numberOf(found, 'overhead') / hidden.overhead).toBeCloseTo(1, 1);
    expect(numberOf(found, 'bandwidth') / hidden.bandwidth).toBeCloseTo(1, 1);
    expect(numberOf(found, 'launch') / hidden.launch).toBeCloseTo(1, 1);
    expect(numberOf(found, 'link1.latency') / hidden.latency).toBeCloseTo(1, 1);
    expect(worst(found.unseen ?? [])).toBeLessThan(0.02);
    expect(found.parameters.find(({ parameter }) => parameter.name === 'link1.bandwidth')?.knowledge).toBe(
      'not determined',
    );
  });

  it('finds how long slices are, where they are shorter than those of the protocol by itself', async () => {
    const slice = 8 * 2 ** 10;
    const inSlices = (hops: number, blocks: number, size: number): number =>
      formula(hops, blocks * Math.ceil(size / blocks / slice), size);
    const fitted = [];
    for (const ranks of [2, 5]) {
      for (const chunks of [1, 4]) fitted.push({ ...(await configuration(ranks, chunks, inSlices)), protocol: 'LL' });
    }
    const found = await calibrate({ ...request, fitted });
    expect(found.set.protocol(found.values, 'LL').lane).toMatchObject({ slice, visible: 1 });
    expect(found.set.protocol(found.values, 'LL').isShaped).toBe(true);
    expect(worst(found.own)).toBeLessThan(0.02);
    // Who says what a lane moves wants no other slices either: those of LL are of 16 KiB.
    const kept = await calibrate({ ...request, fitted, fix: new Map([['LL.bandwidth', hidden.bandwidth]]) });
    expect(kept.set.protocol(kept.values, 'LL')).toMatchObject({ lane: { slice: 2 ** 14 }, isShaped: false });
  });

  it('keeps what is fixed, and finds the rest', async () => {
    const some = (await configurations()).slice(0, 6);
    const fix = new Map([['bandwidth', hidden.bandwidth]]);
    const found = await calibrate({
      ...request,
      fitted: some,
      fix,
      fit: ['overhead', 'launch', 'link1.latency'],
    });
    expect(numberOf(found, 'bandwidth')).toBeCloseTo(hidden.bandwidth, 0);
    expect(numberOf(found, 'link1.bandwidth')).toBeCloseTo(50e9, 0);
    expect(worst(found.own)).toBeLessThan(0.02);
  });

  it('leaves local work at what the file says of it', async () => {
    const lane = 'chip: { lane: { overhead: 1 us, bandwidth: 3 GB/s, local: { overhead: 2 us, bandwidth: 7 GB/s } } }';
    const saying = { read: (name: string) => ({ name, text: `${text}${lane}\n` }) };
    const topology = resolveTopology('./chain.yaml:3', saying);
    const fitted = [{ ...(await configuration(3, 4)), topology }];
    const { set, values } = await calibrate({ ...request, fit: ['launch', 'overhead'], fitted });
    expect(set.protocol(values, undefined).lane.local).toEqual({ overhead: 2e-6, bandwidth: 7e9 });
  });

  it('says which parameters to fix where configurations are too few', async () => {
    const few = [await configuration(3, 4)];
    const error =
      /1 configuration cannot determine 5 parameters: each determines 3; fix 2 of them .* such as without overhead, bandwidth; the/;
    await expect(calibrate({ ...request, fitted: few })).rejects.toThrow(error);
    await expect(calibrate({ ...request, fitted: few, fit: ['nonsense'] })).rejects.toThrow(/no parameter 'nonsense'/);
  });

  it('does not fit noise', async () => {
    let state = 7;
    const noise = (): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return 10 ** (-7 + (5 * state) / 2 ** 32);
    };
    const wild = await Promise.all([2, 3, 5].map((ranks) => configuration(ranks, 4, noise)));
    await expect(calibrate({ ...request, fitted: wild })).rejects.toThrow(/no parameters explain these times.*noise/);
  });

  it('tells the best so far from the first times on, with what it is fitted to', async () => {
    const told: Calibration[] = [];
    const onBetter = (soFar: Calibration) => told.push(soFar);
    const fitted = await configurations();
    const found = await calibrate({ ...request, fitted, shouldStop: () => told.length > 0, onBetter });
    expect(told.length).toBeGreaterThan(0);
    expect(told[0].stoppedEarly).toBe(true);
    expect(told[0].own.every(({ predicted }) => predicted > 0)).toBe(true);
    expect(new Set(told[0].own.map(({ configuration }) => configuration.name)).size).toBe(fitted.length);
    expect(found.parameters).toHaveLength(told[0].parameters.length);
    const before = told.length;
    const whole = await calibrate({ ...request, fitted, onBetter });
    expect(told.length).toBeGreaterThan(before);
    expect(worst(told[told.length - 1].own)).toBeLessThan(worst(told[0].own));
    expect(worst(whole.own)).toBeLessThan(worst(told[0].own));
  });

  it('gives the same numbers every time', async () => {
    const some = (await configurations()).slice(0, 4);
    const values = async () => (await calibrate({ ...request, fitted: some })).values;
    expect(await values()).toEqual(await values());
  });
});
