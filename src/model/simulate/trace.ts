/** Records when each operation ran and what it waited for, so that the critical path can be read off at the end. */
import { maxTimedOperations } from '../../ir/limits.ts';
import { none } from '../../ir/none.ts';
import type { PathStep } from '../../ir/report.ts';
import type { Seconds } from '../../ir/units.ts';

/**
 * An instance is one operation in one bulk, numbered bulk · operations + operation. A send lasts from the start of its message to its arrival, a
 * reduction or copy as long as it occupies its engine; all other instances take no time.
 */
export class Trace {
  private readonly operations: number;
  private readonly startOf: Float64Array;
  private readonly endOf: Float64Array;
  private readonly causeOf: Int32Array;
  private readonly kept: boolean;

  constructor(operations: number, bulks: number) {
    const instances = operations * bulks;
    this.operations = operations;
    this.kept = instances <= maxTimedOperations;
    const length = this.kept ? instances : 0;
    this.startOf = new Float64Array(length);
    this.endOf = new Float64Array(length);
    this.causeOf = new Int32Array(length).fill(none);
  }

  instance(operation: number, bulk: number): number {
    return this.kept ? bulk * this.operations + operation : none;
  }

  /** The instance for which an instance waited last. */
  cause(instance: number): number {
    return instance === none ? none : this.causeOf[instance];
  }

  /** When an instance started, in seconds; 0 if times are not recorded. */
  start(instance: number): Seconds {
    return instance === none ? 0 : this.startOf[instance];
  }

  /** When an instance ended, in seconds; 0 if times are not recorded. */
  end(instance: number): Seconds {
    return instance === none ? 0 : this.endOf[instance];
  }

  setCause(instance: number, cause: number): void {
    if (instance !== none) this.causeOf[instance] = cause;
  }

  setTimes(instance: number, start: Seconds, end: Seconds): void {
    if (instance === none) return;
    this.startOf[instance] = start;
    this.endOf[instance] = end;
  }

  /** Extends the recorded duration of an instance to a later end. */
  prolong(instance: number, end: Seconds): void {
    if (instance !== none) this.endOf[instance] = end;
  }

  /** Start and end of each instance in seconds; empty if there are more instances than the limit on recorded ones. */
  times(): { readonly start: Float64Array; readonly end: Float64Array } {
    return { start: this.startOf, end: this.endOf };
  }

  /** The chain of causes that leads to an instance, from first to last. */
  pathTo(last: number): PathStep[] {
    const path: PathStep[] = [];
    for (let at = last; at !== none; at = this.causeOf[at]) {
      const bulk = Math.floor(at / this.operations);
      path.push({ operation: at - bulk * this.operations, bulk, start: this.startOf[at], end: this.endOf[at] });
    }
    return path.reverse();
  }
}
