/**
 * Decides who may claim that a plan is correct. The kernel decides, both on candidates of a search and on plans that leave the compiler; `verify`
 * explains mistakes and lists what was shown. No code in this file makes a `ProvedPlan` unless the kernel has accepted that very plan.
 */
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import type { Topology } from '../ir/topology.ts';
import { type CheckedPlan, firstError, type Verification, verdictText } from '../ir/verification.ts';
import { checkLimits, limitsText } from './checks/limits.ts';
import { checkedBy, decided, kernelName, limitsFor, queryKernel } from './kernel.ts';
import { fitsMachine } from './machine.ts';
import { deepFrozen, plainCopy, type Seal, sealOf } from './seal.ts';
import { type VerifyOptions, verificationOfCorrect, verify } from './verify.ts';

/** The parts of a proof, as they are posted between threads. The receiver does not trust them: `proveAgain` queries the kernel of its own thread. */
export interface ProofParts {
  readonly plan: Plan;
  /** What the plan was checked for. */
  readonly options: VerifyOptions;
}

/** What emitters get of a proved plan: a private copy of the plan, equal to the one that the kernel accepted. */
export interface OpenedProof extends ProofParts {
  readonly verification: Verification;
}

/** Only this file has the symbol, and the constructor of `ProvedPlan` throws without it. */
const permission = Symbol('the kernel has accepted the plan');

let vouchFor: (plan: Plan, seal: Seal, verification: Verification, options: VerifyOptions) => ProvedPlan;

/**
 * A plan that the kernel has accepted, with what was shown of it. Emitters and the runtime take nothing else. `prove` and `proveChecked` are the
 * only makers: the constructor refuses everybody else, and what matters lies in private fields, which spreading, structured clones, JSON and changed
 * prototypes lose.
 *
 * `plan` is for reading. Its typed arrays can be changed, since JavaScript has no way to freeze them; what is written therefore comes from
 * `ProvedPlan.open`, which refuses a plan that is no longer the one that the kernel accepted.
 */
export class ProvedPlan {
  readonly #plan: Plan;
  readonly #seal: Seal;
  readonly #verification: Verification;
  readonly #options: VerifyOptions;
  readonly #machineSeal: Seal | undefined;

  static {
    vouchFor = (plan, seal, verification, options) => new ProvedPlan(permission, plan, seal, verification, options);
    Object.freeze(ProvedPlan.prototype);
  }

  private constructor(given: symbol, plan: Plan, seal: Seal, verification: Verification, options: VerifyOptions) {
    if (given !== permission) throw forged('only the verifier makes a proof, by asking the kernel');
    this.#plan = plan;
    this.#seal = seal;
    this.#verification = verification;
    this.#options = options;
    const machine = machineOf(options);
    this.#machineSeal = machine && firstSealOf(machine);
    Object.freeze(this);
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** What was shown of the plan; it cannot be changed. */
  get verification(): Verification {
    return this.#verification;
  }

  /** What the plan was checked for; it cannot be changed. */
  get options(): VerifyOptions {
    return this.#options;
  }

  /**
   * The plan as the kernel accepted it, to be written or run.
   *
   * @throws CccError 'unproved' for anything that the verifier has not made, and for a plan or a machine that was changed since it was checked
   */
  static open(this: void, proved: ProvedPlan): OpenedProof {
    if (!(#plan in proved)) throw forged('it was put together by hand or copied from a proof, which loses the proof');
    const plan = plainCopy(proved.#plan);
    const options = proved.#options;
    if (sealOf(plan) !== proved.#seal) throw forged('the plan was changed after the kernel had accepted it');
    const machine = machineOf(options);
    if (machine !== undefined && sealOf(machine) !== proved.#machineSeal) {
      throw forged(`the topology ${machine.name} was changed after the kernel had accepted the plan for it`);
    }
    return { plan, options, verification: proved.#verification };
  }
}
Object.freeze(ProvedPlan);

/** Returns the error for an object that claims to be a proof and is none. @param why what is wrong with it */
export function forged(why: string): CccError {
  return new CccError('unproved', `this is no proof of a plan: ${why}; prove() makes one of a plan that is correct`);
}

/** The topology that a plan was checked for, if any. */
export function machineOf({ topology, load }: VerifyOptions): Topology | undefined {
  return topology ?? load?.topology;
}

/** By topology: its digest when a plan was first proved for it. */
const topologySeals = new WeakMap<Topology, Seal>();

function firstSealOf(topology: Topology): Seal {
  const seal = topologySeals.get(topology) ?? sealOf(topology);
  topologySeals.set(topology, seal);
  return seal;
}

/** The plan if it is correct, otherwise what is wrong with it. */
export type Check =
  | { readonly checked: CheckedPlan }
  | { readonly checked: undefined; readonly verification: Verification };

export interface Proof {
  readonly verification: Verification;
  /** If it is correct. */
  readonly proved: ProvedPlan | undefined;
}

/** Candidates that the kernel has accepted, each with the conditions of the check. A candidate that is emitted unchanged is not checked twice. */
const candidates = new WeakMap<Plan, Accepted>();

interface Accepted {
  readonly seal: Seal;
  readonly options: Pick<VerifyOptions, 'topology' | 'inflight' | 'ownership' | 'unwritten'>;
  readonly bitwise: true | undefined;
  verification?: Verification;
}

/**
 * Lets the kernel check a candidate before it is simulated. `verify` runs only to explain a mistake.
 * @returns a private copy of the plan
 * @throws as `judgePlan`
 */
export function checkByKernel(given: Plan, options: VerifyOptions = {}): Check {
  const plan = plainCopy(given);
  const { topology, inflight = topology?.inflight, ownership, unwritten, slots } = options;
  const answer = queryKernel(plan, { inflight, ownership, unwritten, slots });
  if (answer.ok && (topology === undefined || fitsMachine(plan, topology))) {
    // If the trees of ranks differ, the acceptance is not stored, so that `verify` runs later and finds out which ranks differ.
    if (answer.bitwise !== false) {
      const asked = { topology, inflight: options.inflight, ownership, unwritten };
      candidates.set(plan, { seal: sealOf(plan), options: asked, bitwise: answer.bitwise });
    }
    return { checked: { plan, topology } };
  }
  return { checked: undefined, verification: judgePlan(plan, options) };
}

/**
 * Returns the verdict on a plan: the kernel's verdict, with what `verify` says about mistakes and about the machine.
 * @throws Disagreement if the two contradict each other; CccError 'limit' for a plan that is too large for either of them
 */
export function judgePlan(plan: Plan, options: VerifyOptions = {}): Verification {
  const verification = withLimits(plan, verify(plan, options), options);
  // The kernel knows neither routes nor ranks of a machine, so on these `verify` decides alone.
  if (verification.verdict === 'malformed' && options.topology !== undefined) return verification;
  return decided(plan, verification, options);
}

/**
 * Verifies a plan and, if it is correct, vouches for a copy of it.
 *
 * ```ts
 * const { proved, verification } = prove(plan, { topology });
 * if (proved === undefined) throw new Error(verification.findings[0]?.message);
 * ```
 *
 * @throws as `judgePlan`
 */
export function prove(given: Plan, options: VerifyOptions = {}): Proof {
  const plan = plainCopy(given);
  const verification = judgePlan(plan, options);
  const proved = vouched(plan, verification, options);
  return { verification: proved?.verification ?? verification, proved };
}

/** Makes the proof. @param seal the digest of the plan when the kernel checked it */
function vouched(
  plan: Plan,
  verification: Verification,
  options: VerifyOptions,
  seal = sealOf(plan),
): ProvedPlan | undefined {
  if (verification.verdict !== 'correct') return undefined;
  const { load } = options;
  const kept = Object.freeze(load === undefined ? { ...options } : { ...options, load: Object.freeze({ ...load }) });
  return vouchFor(plan, seal, deepFrozen(plainCopy(verification)), kept);
}

/**
 * Proves a candidate that was accepted before, for the machine that it was checked for.
 * @throws as `judgePlan`; CccError 'limit' for a plan that exceeds a limit of the machine; Error for a plan that was changed into a wrong one
 */
export function proveChecked(
  { plan: given, topology }: CheckedPlan,
  options: Omit<VerifyOptions, 'topology'> = {},
): ProvedPlan {
  const whole = { ...options, topology };
  const plan = plainCopy(given);
  const accepted = acceptedAs(given, plan, whole);
  const verification = accepted === undefined ? judgePlan(plan, whole) : verificationOf(accepted, plan, whole);
  const proved =
    accepted === undefined ? vouched(plan, verification, whole) : vouched(given, verification, whole, accepted.seal);
  if (verification.verdict === 'over-capacity') {
    throw new CccError('limit', `${plan.name} does not fit: ${verdictText(verification)}`);
  }
  if (proved === undefined) throw new Error(`${plan.name} was found correct before: ${verdictText(verification)}`);
  return proved;
}

/**
 * Proves a plan that another thread has proved, by querying the kernel of this thread.
 * @throws as `proveChecked`, and CccError 'unproved' for a plan that is not correct
 */
export function proveAgain({ plan: given, options }: ProofParts): ProvedPlan {
  const found = checkByKernel(given, options);
  if (found.checked !== undefined) return proveChecked(found.checked, options);
  throw new CccError(
    'unproved',
    `${given.name} is not correct as another thread has sent it: ${verdictText(found.verification)}`,
  );
}

/** Returns the kernel's earlier acceptance of the candidate, if it was for the same plan under the same conditions. */
function acceptedAs(given: Plan, plan: Plan, options: VerifyOptions): Accepted | undefined {
  const accepted = candidates.get(given);
  if (accepted === undefined || Object.keys(limitsFor(options.load)).length > 0) return undefined;
  const { topology, inflight, ownership, unwritten } = accepted.options;
  const isSame =
    topology === options.topology &&
    inflight === options.inflight &&
    ownership === options.ownership &&
    unwritten === options.unwritten;
  return isSame && sealOf(plan) === accepted.seal ? accepted : undefined;
}

/** As `judgePlan`, without querying the kernel again. */
function verificationOf(accepted: Accepted, plan: Plan, options: VerifyOptions): Verification {
  accepted.verification ??= verificationOfCorrect(plan, options, accepted.bitwise);
  return checkedBy(kernelName, withLimits(plan, accepted.verification, options));
}

/** Adds to the verification of a correct plan whether it respects the machine's limits on commands. */
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
