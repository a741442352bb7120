import type { CollectiveRequest } from '../collectives.ts';
import type { CompileOptions } from './options.ts';
import type { PlainPlanRequest } from './plan-request.ts';

/** What a plan was searched for. */
export interface PlanContext {
  readonly collective: CollectiveRequest;
  readonly options: CompileOptions;
  /** The request as the search took it. */
  readonly request: PlainPlanRequest;
  /** What the caller should know about how the request was understood. */
  readonly notes: readonly string[];
}
