/** A schedule's plan simulated with any sizes of its chunks. */
import { type SizedRun, SizedRuns } from '../../cost/index.ts';
import { operationCount } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import { dataWindow, type Schedule } from '../../ir/schedule.ts';
import type { Bytes } from '../../ir/units.ts';
import { lower } from '../../lower/index.ts';
import type { SizeClasses } from '../../passes/index.ts';

export class Sizing {
  readonly classes: SizeClasses;
  readonly operations: number;
  /** Of a shard, or of the message where there are none. */
  readonly shardBytes: Bytes;
  private readonly runs: SizedRuns;

  constructor(schedule: Schedule, classes: SizeClasses, routes: Routes, size: Bytes) {
    const { collective } = schedule;
    const inputs = Array.from({ length: collective.ranks }, (_, rank) => dataWindow(collective, rank).input);
    const classAt = (rank: number, slot: number): number => classes.of[inputs[rank] + slot];
    const plan = lower(schedule);
    this.classes = classes;
    this.operations = operationCount(plan);
    this.shardBytes = size / classes.shards.length;
    this.runs = new SizedRuns(plan, routes, classes.count, classAt);
  }

  /** @param parts by class, as parts of a shard */
  run(parts: Float64Array): SizedRun & { readonly sizes: Float64Array } {
    const sizes = parts.map((part) => part * this.shardBytes);
    return { ...this.runs.run(sizes), sizes };
  }
}
