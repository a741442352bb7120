/**
 * What is proved of plans: the kernel decides, about candidates and about plans that leave. The ladder finds and explains what is wrong, and
 * says what was proved.
 */
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { type CheckedPlan, firstError, type ProvedPlan, type Verification, verdictText } from '../ir/verification.ts';
import { checkLimits, limitsText } from './checks/limits.ts';
import { checkedBy, decided, limitsFor, queryKernel } from './kernel.ts';
import { fitsMachine } from './machine.ts';
import { type VerifyOptions, verificationOfCorrect, verify } from './verify.ts';

/** The plan if it is correct, or else what is wrong with it. */
export type Check =
  | { readonly checked: CheckedPlan }
  | { readonly checked: undefined; readonly verification: Verification };

export interface Proof {
  readonly verification: Verification;
  /** If it is correct. */
  readonly proved: ProvedPlan | undefined;
}

/**
 * Candidates to which the kernel has said yes, with what it was asked and what there is to say of them: it need not be asked again when they leave.
 * Plans are not changed; what is made of one is another plan.
 */
const candidates = new WeakMap<Plan, Known>();

interface Known {
  readonly options: Pick<VerifyOptions, 'topology' | 'inflight' | 'ownership' | 'unwritten'>;
  readonly bitwise: true | undefined;
  verification?: Verification;
}

/** Has the kernel look at a candidate before it is priced; the ladder is climbed only where something is wrong. @throws as `judge` */
export function checkByKernel(plan: Plan, options: VerifyOptions = {}): Check {
  const { topology, inflight = topology?.inflight, ownership, unwritten, slots } = options;
  const answer = queryKernel(plan, { inflight, ownership, unwritten, slots });
  if (answer.ok && (topology === undefined || fitsMachine(plan, topology))) {
    // Whose bits differ the ladder has to say.
    if (answer.bitwise !== false) {
      const { bitwise } = answer;
      candidates.set(plan, { options: { topology, inflight: options.inflight, ownership, unwritten }, bitwise });
    }
    return { checked: { plan, topology } };
  }
  return { checked: undefined, verification: judgePlan(plan, options) };
}

/**
 * The verdict on a plan, by the kernel; what is wrong, and what a machine adds, in the words of the ladder.
 * @throws Disagreement; CccError 'limit' for a plan that is too large for either of them
 */
export function judgePlan(plan: Plan, options: VerifyOptions = {}): Verification {
  const verification = withLimits(plan, verify(plan, options), options);
  // Routes and ranks of a machine are nothing that the kernel knows of.
  if (verification.verdict === 'malformed' && options.topology !== undefined) return verification;
  return decided(plan, verification, options);
}

/** Verifies a plan and, if it is correct, vouches for it: the only place that makes a `ProvedPlan`. @throws as `judge` */
export function prove(plan: Plan, options: VerifyOptions = {}): Proof {
  const verification = judgePlan(plan, options);
  return { verification, proved: vouched(plan, verification) };
}

function vouched(plan: Plan, verification: Verification): ProvedPlan | undefined {
  if (verification.verdict !== 'correct') return undefined;
  // The one cast that stands for the proof: the brand exists in the type alone, so that nobody else can write it down.
  return { plan, verification } as ProvedPlan;
}

/**
 * Proves a candidate that was found correct, for the machine that it was checked for.
 * @throws as `judge`, and CccError 'limit' for one that exceeds what the machine states
 */
export function proveChecked(
  { plan, topology }: CheckedPlan,
  options: Omit<VerifyOptions, 'topology'> = {},
): ProvedPlan {
  const verification = ofCandidate(plan, { ...options, topology }) ?? judgePlan(plan, { ...options, topology });
  const proved = vouched(plan, verification);
  if (verification.verdict === 'over-capacity') {
    throw new CccError('limit', `${plan.name} does not fit: ${verdictText(verification)}`);
  }
  if (proved === undefined) throw new Error(`${plan.name} was found correct before: ${verdictText(verification)}`);
  return proved;
}

/** As `judge`, where the kernel has said yes to the plan already, of the same machine and with the same conditions; else undefined. */
function ofCandidate(plan: Plan, options: VerifyOptions): Verification | undefined {
  const known = candidates.get(plan);
  if (known === undefined || Object.keys(limitsFor(options.load)).length > 0) return undefined;
  const { topology, inflight, ownership, unwritten } = known.options;
  const isSame =
    topology === options.topology &&
    inflight === options.inflight &&
    ownership === options.ownership &&
    unwritten === options.unwritten;
  if (!isSame) return undefined;
  known.verification ??= verificationOfCorrect(plan, options, known.bitwise);
  return checkedBy('the kernel', withLimits(plan, known.verification, options));
}

/** Of a correct plan: whether it keeps to what the machine states of its commands. */
function withLimits(plan: Plan, verification: Verification, { load }: VerifyOptions): Verification {
  if (load === undefined || verification.verdict !== 'correct') return verification;
  const { messages, nodes, staging } = load.topology;
  const states =
    messages !== undefined || staging !== undefined || nodes.some(({ reduce }) => reduce?.operators !== undefined);
  if (!states) return verification;
  const found = checkLimits(plan, load).list();
  const findings = [...verification.findings, ...found];
  const error = firstError(found);
  if (error !== undefined) return { ...verification, verdict: error.code, findings };
  return { ...verification, findings, proved: [...verification.proved, limitsText(load)] };
}
