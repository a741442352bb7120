/** The best result of several searches for the same request. */
import { Routes } from '../../ir/routes.ts';
import type { GroupsResult } from '../../process-groups/groups.ts';
import { objectiveValue } from '../../search/comparing.ts';
import type { CompileRequest, CompileResult } from '../../search/compile.ts';

/** A result for one group of ranks, or for several groups at once. */
export type Compiled = CompileResult | GroupsResult;

export class BestFound {
  private found: Compiled | undefined;
  private value = Number.POSITIVE_INFINITY;
  /** Whether the complete search left candidates out for lack of time; undefined before it has ended. */
  private leftOut: boolean | undefined;
  private readonly request: Pick<CompileRequest, 'objective' | 'topology'>;
  private readonly report: (best: Compiled, value: number) => void;

  /** @param report called with each result that becomes the best so far, and with its value under the objective */
  constructor(
    request: Pick<CompileRequest, 'objective' | 'topology'>,
    report: (best: Compiled, value: number) => void,
  ) {
    this.request = request;
    this.report = report;
  }

  /** @throws Error before anything has been found */
  get best(): Compiled {
    if (this.found === undefined) throw new Error('there is no plan yet');
    return { ...this.found, stoppedEarly: this.leftOut ?? true };
  }

  /** Keeps an intermediate result of a search if it is better than the best so far. */
  consider(found: Compiled): void {
    const value = this.valueOf(found);
    if (value < this.value) this.keep(found, value);
  }

  /** Keeps the final result of a search even if it is only equally good, since the search has chosen among equally good plans. */
  conclude(found: Compiled): void {
    const value = this.valueOf(found);
    if (value <= this.value) this.keep(found, value);
  }

  /** As `conclude`, for the search that tries everything. Later searches may be cut short without making the result incomplete. */
  concludeAll(found: Compiled): void {
    this.leftOut = found.stoppedEarly;
    const value = this.valueOf(found);
    if (value <= this.value) this.keep(found, value);
    else this.report(this.best, this.value);
  }

  /** The value of a plan under the objective, in seconds: the smaller, the better. */
  valueOf({ bundle }: Compiled): number {
    const { objective, topology } = this.request;
    const machine = bundle.topology ?? topology;
    return objective === 'time'
      ? bundle.cost.seconds
      : objectiveValue(
          { checked: { plan: bundle.proved.plan, topology: machine }, cost: bundle.cost },
          objective,
          Routes.of(machine),
        );
  }

  private keep(found: Compiled, value: number): void {
    this.found = found;
    this.value = value;
    this.report(this.best, value);
  }
}
