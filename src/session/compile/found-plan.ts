/**
 * A search result as plain data, which can be posted between threads. `postMessage` copies only the fields of a proof, so the kernel of the receiving
 * thread checks the plan again before it counts as proved.
 */
import { Steps } from '../../ir/schedule.ts';
import type { GroupsResult } from '../../process-groups/groups.ts';
import type { Baselines } from '../../search/baselines.ts';
import type { CandidateReport } from '../../search/comparing.ts';
import type { CompileResult } from '../../search/compile.ts';
import type { ProvedBundle } from '../../search/proved-bundle.ts';
import { type ProofParts, proveAgain } from '../../verify/index.ts';
import type { Compiled } from './best-found.ts';

/** A plan with its time and bound, and its proof taken apart. */
export interface PostedBundle extends Omit<ProvedBundle, 'proved' | 'timeline'> {
  readonly proof: ProofParts;
}

export interface FoundPlan extends Omit<CompileResult, 'explain' | 'bundle'> {
  readonly bundle: PostedBundle;
  /** Value of the plan under the objective; smaller is better. */
  readonly value: number;
  /** The candidates with their latency and bandwidth terms, if these were asked for. */
  readonly explained: readonly CandidateReport[] | undefined;
  /** What NCCL would do, if that was asked for. */
  readonly baselines?: Baselines | undefined;
  readonly groups?: GroupsResult['groups'];
}

/** The bundles of plans that were made in this thread, by the data that would be posted: their proofs are still valid. */
const provedHere = new WeakMap<PostedBundle, ProvedBundle>();

export function foundPlan({ explain, bundle, ...result }: Compiled, value: number): FoundPlan {
  return { ...result, bundle: posted(bundle), value, explained: undefined };
}

export function posted(bundle: ProvedBundle): PostedBundle {
  const { proved, timeline, ...rest } = bundle;
  const { plan, options } = proved;
  const found = { ...rest, proof: { plan, options } };
  provedHere.set(found, bundle);
  return found;
}

/**
 * The proved bundle of a plan that may have come from another thread.
 * @throws CccError 'unproved' if the plan is not correct, which would be a bug: it was when it was sent
 */
export function received(bundle: PostedBundle): ProvedBundle {
  const known = provedHere.get(bundle);
  if (known !== undefined) return known;
  const { proof, ...rest } = bundle;
  const proved = { ...rest, proved: proveAgain(proof) };
  provedHere.set(bundle, proved);
  return proved;
}

/** Restores the result as the search returned it, since posting between threads loses classes. */
export function resultOf(found: FoundPlan): CompileResult {
  const { schedule, explained = [], bundle } = found;
  const steps = new Steps(schedule.steps);
  return { ...found, bundle: received(bundle), schedule: { ...schedule, steps }, explain: () => explained };
}
