/** The best plan of several searches, said each time that there is a better one. */

import { Routes } from '../../ir/routes.ts';
import type { GroupsResult } from '../../process-groups/groups.ts';
import { objectiveValue } from '../../search/comparing.ts';
import type { CompileRequest, CompileResult } from '../../search/compile.ts';

/** For one group of ranks, or for several at once. */
export type CompiledOrGroups = CompileResult | GroupsResult;

export class BestFound {
  private found: CompiledOrGroups | undefined;
  private value = Number.POSITIVE_INFINITY;
  /** Whether something was left out for lack of time; undefined before everything has been tried. */
  private leftOut: boolean | undefined;
  private readonly request: Pick<CompileRequest, 'objective' | 'topology'>;
  private readonly say: (best: CompiledOrGroups, value: number) => void;

  /** @param say told the best so far, and what its objective makes of it */
  constructor(
    request: Pick<CompileRequest, 'objective' | 'topology'>,
    say: (best: CompiledOrGroups, value: number) => void,
  ) {
    this.request = request;
    this.say = say;
  }

  /** @throws Error before anything has been found */
  get best(): CompiledOrGroups {
    if (this.found === undefined) throw new Error('there is no plan yet');
    return { ...this.found, stoppedEarly: this.leftOut ?? true };
  }

  /** Keeps what a search has found on its way, if it is better. */
  consider(found: CompiledOrGroups): void {
    const value = this.valueOf(found);
    if (value < this.value) this.keep(found, value);
  }

  /** Keeps what a search has found in the end: of equally good plans it has chosen one. */
  conclude(found: CompiledOrGroups): void {
    const value = this.valueOf(found);
    if (value <= this.value) this.keep(found, value);
  }

  /** As `conclude`, for the search that tries everything: what comes after it is not missing when there is no time for it. */
  concludeAll(found: CompiledOrGroups): void {
    this.leftOut = found.stoppedEarly;
    const value = this.valueOf(found);
    if (value <= this.value) this.keep(found, value);
    else this.say(this.best, this.value);
  }

  /** What a plan is judged by: the less, the better. */
  valueOf({ bundle }: CompiledOrGroups): number {
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

  private keep(found: CompiledOrGroups, value: number): void {
    this.found = found;
    this.value = value;
    this.say(this.best, value);
  }
}
