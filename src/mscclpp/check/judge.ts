/**
 * Checks an MSCCL++ execution plan: the runtime accepts it, every event happens, no interleaving has a race, and the result is that of the collective
 * (docs/mscclpp.md). The first check that fails decides the verdict.
 */
import type { Collective } from '../../ir/collective.ts';
import { counted, formatBytes } from '../../ir/units.ts';
import type { Determinism, Finding, Verdict, Verification } from '../../ir/verification.ts';
import { describeDeterminism, determinismText } from '../../verify/explain/determinism.ts';
import type { ExecutionPlan } from '../execution-plan.ts';
import { acceptance } from './acceptance.ts';
import { accessesOf } from './accesses.ts';
import { checkBounds } from './bounds.ts';
import { checkCalls } from './calls.ts';
import { cellCollectiveOf, checkBufferSizes, saysResult } from './collective.ts';
import { CellLayout, type JudgedSize } from './layout.ts';
import { orderingOf } from './ordering.ts';
import { outcomeOf } from './outcome.ts';
import { eventsOf } from './program.ts';
import { checkProgress, checkSynchronisationCounts } from './progress.ts';
import { checkElementRaces } from './races.ts';
import { scalesOf } from './sizes.ts';
import { checkSwitches } from './switches.ts';

export interface JudgeOptions {
  /** Report an error, not a warning, if gpus reduce a chunk with different trees. */
  readonly bitwise?: boolean | undefined;
  /** The expected collective, for files that do not define it; its chunks are those of the file. */
  readonly collective?: Collective | undefined;
}

export interface Judgement {
  readonly collective: Collective;
  readonly verification: Verification;
}

/** @throws CccError 'limit' for plans with too many events, 'unsupported' for features that are not modelled */
export function judgeExecutionPlan(plan: ExecutionPlan, options: JudgeOptions = {}): Judgement {
  const refused = acceptance(plan);
  const collective = plan.gpus.length === 0 ? nobody : (options.collective ?? cellCollectiveOf(plan, 1));
  if (refused.length > 0) return { collective, verification: failed('malformed', refused) };
  const unfit = [...checkBufferSizes(plan), ...checkSwitches(plan)];
  if (unfit.length > 0) return { collective, verification: failed('malformed', unfit) };
  const scales = scalesOf(plan);
  const rungs = scales.map((scale) => climb(plan, scale, options));
  // Over all sizes, the verdict of the earliest check that fails decides.
  const worst = ladder
    .map((verdict) => rungs.find((rung) => rung.verdict === verdict))
    .find((rung) => rung !== undefined);
  if (worst !== undefined) return { collective, verification: failed(worst.verdict, worst.findings) };
  return { collective, verification: proved(plan, scales, rungs, options) };
}

const nobody: Collective = { kind: 'custom', ranks: 1, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false };

/** Verdicts of failed checks, in the order of the checks. */
const ladder: readonly Verdict[] = [
  'malformed',
  'mismatched',
  'deadlock',
  'race',
  'uninitialised',
  'wrong-result',
  'not-bitwise',
];

/** The outcome of the checks at one size. */
interface Rung {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly events: number;
  readonly determinism: Determinism | undefined;
}

function climb(plan: ExecutionPlan, scale: JudgedSize, { bitwise = false, collective: given }: JudgeOptions): Rung {
  const perChunk = scale.chunk / scale.cell;
  const collective = given === undefined || perChunk !== 1 ? cellCollectiveOf(plan, perChunk) : given;
  const layout = new CellLayout(plan, collective, scale);
  const program = eventsOf(layout);
  const { graph } = program;
  const at = (verdict: Verdict, findings: readonly Finding[], determinism?: Determinism): Rung => ({
    verdict,
    findings,
    events: graph.events.length,
    determinism,
  });
  const beyond = checkBounds(program, layout);
  if (beyond.length > 0) return at('malformed', beyond);
  const uncounted = checkSynchronisationCounts(program);
  if (uncounted.length > 0) return at('mismatched', uncounted);
  const ordering = orderingOf(program);
  const stuck = checkProgress(program, ordering.tickets);
  if (stuck.length > 0) return at('deadlock', stuck);
  if (!('order' in ordering)) throw new Error(`${plan.name} happens in full, and its order has a cycle`);
  const byCell = accessesOf(graph, layout.cells);
  const { races: late, warnings } = checkCalls(program, ordering, layout, byCell);
  const races = [...checkElementRaces(program, ordering, layout, byCell), ...late];
  if (races.length > 0) return at('race', races);
  const { uninitialised, wrong, determinism } = outcomeOf(graph, ordering.order, layout, collective);
  if (uninitialised.length > 0) return at('uninitialised', uninitialised);
  if (wrong.length > 0) return at('wrong-result', wrong);
  const differing = determinism === undefined ? [] : describeDeterminism(determinism, bitwise).list();
  return at(bitwise && differing.length > 0 ? 'not-bitwise' : 'correct', [...warnings, ...differing], determinism);
}

function failed(verdict: Verdict, findings: readonly Finding[]): Verification {
  return { verdict, findings, inflight: undefined, smallestInflight: undefined, determinism: undefined, proved: [] };
}

function proved(
  plan: ExecutionPlan,
  scales: readonly JudgedSize[],
  rungs: readonly Rung[],
  options: JudgeOptions,
): Verification {
  const { determinism } = rungs[0];
  const warnings = new Map(rungs.flatMap(({ findings }) => findings).map((finding) => [finding.message, finding]));
  const blocks = Math.max(...plan.gpus.map((gpu) => gpu.blocks.length));
  const events = Math.max(...rungs.map((rung) => rung.events));
  const result =
    saysResult(plan) || options.collective !== undefined
      ? `result: every output chunk holds what ${plan.collective} requires`
      : `result: not judged, since '${plan.collective}' does not say what it must be`;
  return {
    verdict: 'correct',
    findings: [...warnings.values()],
    inflight: undefined,
    smallestInflight: undefined,
    determinism,
    proved: [
      `taken: the runtime's limits hold; ${counted(blocks, 'block')} of a gpu must be resident at once`,
      'matched: every channel and semaphore counts as many signals as waits, and barriers are complete',
      `no deadlock: each of ${counted(events, 'event')} happens, whichever wait gets which signal`,
      'no data race in any interleaving: between nops, threads of a block are ordered by nothing',
      result,
      ...(determinism === undefined ? [] : [determinismText(determinism)]),
      ...(isSizeless(plan) ? [] : [`judged for chunks of ${scales.map(({ chunk }) => formatBytes(chunk)).join(', ')}`]),
    ],
  };
}

/** Whether the plan has neither groups of blocks nor pipelines, so that a verdict at one size holds for all sizes. */
function isSizeless({ gpus }: ExecutionPlan): boolean {
  return gpus.every(({ blocks }) =>
    blocks.every(({ operations }) => operations.every(({ share, loop }) => share === undefined && loop === undefined)),
  );
}
