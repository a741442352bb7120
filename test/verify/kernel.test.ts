/** Who decides: the kernel's verdict must be the verifier's, and a plan about which they disagree leaves nobody without a trace. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proveCompact } from '../../src/compact/verify/prove.ts';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import { collectiveKinds } from '../../src/ir/collective.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import type { Plan } from '../../src/ir/plan.ts';
import type { Verification } from '../../src/ir/verification.ts';
import { checkPlan } from '../../src/kernel/check.ts';
import { readPlanFile } from '../../src/kernel/read.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { withMaterialSaved } from '../../src/session/internal-error.ts';
import type { VerifyOptions } from '../../src/verify/index.ts';
import { checkByKernel, judgePlan, proveChecked } from '../../src/verify/index.ts';
import { Disagreement, decided } from '../../src/verify/kernel.ts';
import { verify } from '../../src/verify/verify.ts';
import { collectiveOf } from '../collectives.ts';
import { layeredPlan, torus } from '../compact/machines.ts';
import { wordOf } from '../kernel/answers.ts';
import { planOf } from './plans.ts';

const collective = collectiveOf('broadcast', 2);
const right = planOf({ collective, programs: [[['copy i0 o0'], ['send i0 1']], [['recv o0 0']]] });
/** Rank 0 never fills its output. */
const wrong = planOf({ collective, programs: [[['send i0 1']], [['recv o0 0']]] });

function disagreement(plan: Plan, verifierSawIn: Plan): Disagreement {
  try {
    decided(plan, verify(verifierSawIn), {});
  } catch (error) {
    if (error instanceof Disagreement) return error;
    throw error;
  }
  throw new Error('they agree');
}

/** The same plan as a candidate, and what leaves of it. */
function leaving(plan: Plan, changed: Partial<Plan>, options: VerifyOptions): Verification {
  const { checked } = checkByKernel(plan, {});
  if (checked === undefined) throw new Error('it is right');
  return proveChecked({ ...checked, plan: { ...checked.plan, ...changed } }, options).verification;
}

describe('the kernel decides', () => {
  it('and is named where it said yes', () => {
    expect(judgePlan(right).checkedBy).toBe('the kernel (ccc-check)');
    expect(judgePlan(right).proved.at(-1)).toBe('checked by the kernel (ccc-check)');
    expect(decided(right, judgePlan(right), {})).toEqual(judgePlan(right));
    expect(judgePlan(wrong)).toEqual(verify(wrong));
    expect(verify(right).checkedBy).toBeUndefined();
  });

  it('about what was made of a candidate, and about other conditions, anew', () => {
    expect(leaving(right, {}, {})).toEqual(judgePlan(right));
    expect(leaving(right, {}, { ownership: 'strict', inflight: 0 })).toEqual(
      judgePlan(right, { ownership: 'strict', inflight: 0 }),
    );
    expect(() => leaving(right, wrong, {})).toThrow('wrong-result');
    const { checked } = checkByKernel(right, {});
    if (checked === undefined) throw new Error('it is right');
    const fewer = resolveTopology('ring:3');
    expect(() => proveChecked({ ...checked, topology: fewer })).toThrow('malformed');
    for (const options of [{ ownership: 'strict' }, { inflight: 1 }, {}] as const) {
      expect(proveChecked(checked, options).verification).toEqual(judgePlan(right, options));
    }
  });

  it('and a verifier that says otherwise is a bug, with both findings and the plan', () => {
    const tooStrict = disagreement(right, wrong);
    expect(tooStrict.message).toMatch(/the verifier finds test wrong-result .*, the kernel correct/);
    const tooLax = disagreement(wrong, right);
    expect(tooLax.message).toMatch(/the verifier finds test correct, the kernel wrong-result/);
    expect(tooLax.plan).toBe(wrong);
  });

  it('and the plan is saved as plan JSON for whoever reports it', () => {
    const told = String(withMaterialSaved(disagreement(wrong, right)));
    const path = /what reproduces this is in (\S+)$/.exec(told)?.[1] ?? '';
    const kept = readPlanFile(JSON.parse(readFileSync(path, 'utf8')));
    expect(wordOf(() => checkPlan(kept))).toBe('wrong-result');
  });

  it('and what is too large for it is not proved', () => {
    expect(() => decided(right, verify(right), { slots: 2 })).toThrow(CccError);
    expect(() => decided(right, verify(right), { slots: 2 })).toThrow('too large for the kernel');
  });

  it('and agrees about every collective in several chunks, those without data and with shards of no bytes among them', () => {
    const kinds = collectiveKinds.filter((kind) => kind !== 'custom');
    const request = { ...searchDefaults, topology: resolveTopology('mi300x'), effort: 'quick', size: 1024 } as const;
    for (const kind of kinds) {
      const { bundle } = searchPlan({ ...request, collective: collectiveOf(kind, 8), chunks: 2 });
      expect(bundle.proved.verification.verdict).toBe('correct');
    }
    const counts = [0, 4, 0, 8, 4, 0, 4, 0];
    for (const kind of ['allgather', 'reducescatter', 'scatter', 'gather'] as const) {
      const { bundle } = searchPlan({ ...request, collective: collectiveOf(kind, 8, { counts }), chunks: 2 });
      expect(bundle.proved.verification.verdict).toBe('correct');
    }
  });

  it('about compact plans of which it can see all programs', () => {
    const small = proveCompact(layeredPlan(torus([3, 4]), {}));
    expect(small.verification.checkedBy).toBe('the kernel (ccc-check)');
    const large = proveCompact(layeredPlan(torus([20, 20]), {}));
    expect(large.verification.checkedBy).toMatch(
      /^the verifier on the program of rank 0 alone, since the \d+ operations/,
    );
  });
});
