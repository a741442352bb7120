/** Schedules on machines that stage messages are verified, converted, priced and put on frontiers as staged plans. */

import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/ir/limits.ts';
import { OperationCode, type Plan, planBuffers } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import { convert } from '../../src/jobs/convert.ts';
import { verifyText } from '../../src/jobs/verify-file.ts';
import { staged } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../src/read/index.ts';
import { shippedSource } from '../../src/read/shipped.ts';
import { pareto } from '../../src/search/pareto.ts';
import { collectiveOf } from '../collectives.ts';

const topology = resolveTopology('sg2260x4-ddr');
const [alpha, beta, copies, size] = [0.55e-6, 64e9, 128e9, 2 ** 26];
const name = 'split-chain-broadcast';
const request = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, limits: defaultLimits } as const;
// All is copied in, each half goes over three links, and the last half is copied out.
const inOneBulk = size / copies + 3 * (alpha + size / 2 / beta) + size / 2 / copies;

function sendsFromScratch({ ops }: Plan): boolean {
  const scratch = planBuffers.indexOf('scratch');
  return ops.kind.every((kind, o) => kind !== OperationCode.send || ops.srcBuffer[o] === scratch);
}

describe('on a machine that stages messages', () => {
  it('a schedule is converted to a staged plan', async () => {
    const source = shippedSource('schedules', name);
    const { bundle } = await convert(source, { ...request, topology, size });
    expect(sendsFromScratch(bundle.proved.plan)).toBe(true);
    expect(simulate(bundle.proved.plan, Routes.of(topology), size).seconds).toBeCloseTo(inOneBulk, 12);
  });

  it('a schedule is verified staged, with the time that this takes', async () => {
    const source = shippedSource('schedules', name);
    const { verdicts } = await verifyText(source, { ...request, topology, size, bitwise: false });
    expect(verdicts[0].verification.verdict).toBe('correct');
    expect(JSON.stringify(verdicts[0].verification)).toContain('2.361 ms');
  });

  it('points of a frontier are staged plans', () => {
    const { points } = pareto({ collective: collectiveOf('allgather', 4), topology, seed: 0, limits: defaultLimits });
    expect(points.length).toBeGreaterThan(0);
    for (const { proved } of points) expect(sendsFromScratch(proved.plan)).toBe(true);
  });

  it('what is staged is not staged again', () => {
    const once = staged(instantiate(loadScheduleFile(name), { ...request, ranks: 4 }), topology);
    expect(staged(once, topology)).toBe(once);
  });
});
