/** The compiled plan that programs receive: proved, with its time, its bound, and methods to simulate, write and emit it. */
import { CccError } from '../../ir/diagnostic.ts';
import { operationCount } from '../../ir/plan.ts';
import { type CostReport, optimality, type PathTime } from '../../ir/report.ts';
import { Routes } from '../../ir/routes.ts';
import { type Schedule, Steps } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { timeOfPath } from '../../model/index.ts';
import type { CandidateOutline, CandidateReport } from '../../search/comparing.ts';
import type { ProvedBundle } from '../../search/proved-bundle.ts';
import { BundledPlan } from '../bundled-plan.ts';
import { searching } from '../limits.ts';
import { type FoundPlan, received } from './found-plan.ts';
import { type IntactTime, intactTime } from './intact.ts';
import { describePipeline, type PipelineReport } from './pipeline.ts';
import { type PlanBound, planBound } from './plan-bound.ts';
import type { PlanContext } from './plan-context.ts';
import { type StagedTime, stagedTime } from './staged-time.ts';

/**
 * A compiled plan. Emitters and the runtime take its `bundle`.
 *
 * ```ts
 * const { certificate } = plan.bound;                 // why no plan can be faster than bound.seconds
 * const { seconds } = plan.simulate({ size: '4MiB' }); // the same programs with a smaller message
 * await plan.write('plan.json');                       // or a name that ends in .xml, .ts, …: the ending says the format
 * const text = await plan.emit('mscclpp');
 * ```
 */
export class CompiledPlan extends BundledPlan {
  readonly kind = 'full';
  readonly context: PlanContext;
  private readonly found: FoundPlan;

  constructor(found: FoundPlan, context: PlanContext) {
    super();
    this.found = found;
    this.context = context;
  }

  /** The proved plan with all that is known of it. @throws Error if a plan from a worker turns out to be wrong, which would be a bug */
  override get bundle(): ProvedBundle {
    return received(this.found.bundle);
  }

  override get name(): string {
    return this.found.bundle.proof.plan.name;
  }

  /** M in bytes; more than `asked` where the machine's messages are whole units of memory. */
  get size(): Bytes {
    return this.found.bundle.size;
  }

  /** M in bytes as it was asked for. */
  get asked(): Bytes {
    return this.found.asked;
  }

  /** Simulated time in seconds. */
  get time(): Seconds {
    return this.found.bundle.cost.seconds;
  }

  /** The simulation: time, messages, bytes, use of the links, critical path. */
  get cost(): CostReport {
    return this.found.bundle.cost;
  }

  /** The best lower bound on the time of any plan for the request, with its certificate. */
  get bound(): PlanBound {
    return planBound(this.found.bundle.bound);
  }

  /** bound / time: 1 for a plan that no plan can be faster than. */
  get optimality(): number {
    return optimality(this.bound.seconds, this.time);
  }

  /** How much longer the plan takes than the bound, as a share of the bound: 0.01 is 1 %; infinite where the bound is 0. */
  get gap(): number {
    return this.optimality === 0 ? Number.POSITIVE_INFINITY : 1 / this.optimality - 1;
  }

  /** The schedule that the plan was made of: who sends what to whom in which step. */
  get schedule(): Schedule {
    const { schedule } = this.found;
    return { ...schedule, steps: new Steps(schedule.steps) };
  }

  /** All candidates that were evaluated, best first. */
  get candidates(): readonly CandidateOutline[] {
    return this.found.candidates;
  }

  /** The candidates with their latency and bandwidth terms; undefined unless `explain` was asked for. */
  get explained(): readonly CandidateReport[] | undefined {
    return this.found.explained;
  }

  /** Candidates that were not evaluated, with the reason. */
  get dismissed(): FoundPlan['dismissed'] {
    return this.found.dismissed;
  }

  /** Times of NCCL's rings and trees; undefined unless `explain` was requested and NCCL has the collective. */
  get baselines(): FoundPlan['baselines'] {
    return this.found.baselines;
  }

  /** The results for each process group, if there are several. */
  get groups(): FoundPlan['groups'] {
    return this.found.groups;
  }

  /** The best time under each protocol of the machine, if there was a choice. */
  get protocols(): FoundPlan['protocols'] {
    return this.found.protocols;
  }

  /** The result of improving the plan by linear programming; undefined if that was not tried. */
  get inRounds(): FoundPlan['inRounds'] {
    return this.found.inRounds;
  }

  /** How much was done to find the plan. */
  get effort(): FoundPlan['effort'] {
    return this.found.effort;
  }

  /** Whether the search was ended before it had tried everything. */
  get stoppedEarly(): boolean {
    return this.found.stoppedEarly;
  }

  /** What the time is made of, along the critical path; undefined for runs too long for their path to be kept. */
  criticalPath(): PathTime | undefined {
    const { cost } = this;
    if (cost.criticalPath.length === 0) return undefined;
    return timeOfPath(cost.criticalPath, this.proved.plan, Routes.of(this.machine));
  }

  /** How the plan's bulks follow each other, and what another number of bulks would take; undefined if the search left no time for it. */
  pipeline(): PipelineReport | undefined {
    const { plan } = this.proved;
    const isLong = this.effort === 'quick' && operationCount(plan) * plan.bulks > searching.operationsExamined;
    if (this.stoppedEarly || isLong) return undefined;
    return describePipeline(plan, this.schedule, new Routes(this.machine), this.size, this.time);
  }

  /** The plan's time where the same chips keep their buffers in slower memory; undefined for machines without such memory. */
  staged(): StagedTime | undefined {
    if (this.stoppedEarly) return undefined;
    return stagedTime(this.schedule, this.bundle, this.asked);
  }

  /** The time of the same collective on the machine before links and chips were removed from it; undefined if nothing was removed. */
  intact(): Promise<IntactTime | undefined> {
    return intactTime(this.context, this.groups !== undefined, this.time);
  }

  private get machine(): Topology {
    const { topology } = this.found.bundle;
    if (topology === undefined) throw new CccError('unsupported', `${this.name} names no machine`);
    return topology;
  }
}
