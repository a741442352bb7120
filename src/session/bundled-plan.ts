/** What can be done with every proved plan, wherever it comes from. */
import { json, type PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { CostReport, Timeline } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import { simulate, timeline } from '../model/index.ts';
import type { ProvedPlan } from '../verify/index.ts';
import { type BytesLike, bytesOf } from './collectives.ts';
import { platform } from './platform.ts';
import { textOf, writeTarget } from './targets.ts';

/** For which message and machine something is simulated; by default those of the plan. */
export interface SimulationOptions {
  readonly size?: BytesLike | undefined;
  readonly topology?: Topology | undefined;
}

/** A proved plan together with its machine, size, element type, time and bound, as far as these are known. */
export abstract class BundledPlan {
  /** The proved plan with everything that is known about it, in the form that emitters take. */
  abstract get bundle(): PlanBundle;

  /** The plan and its proof: what the runtime takes. */
  get proved(): ProvedPlan {
    return this.bundle.proved;
  }

  get name(): string {
    return this.proved.plan.name;
  }

  /** What was proved, one line for each check. */
  get proof(): readonly string[] {
    return this.proved.verification.proved;
  }

  /** The plan as JSON text (format `ccc-plan`). */
  get text(): string {
    return [...json.emit(this.bundle)].join('');
  }

  /**
   * The plan simulated: time in seconds, messages, bytes, use of the links, critical path.
   * @throws CccError 'usage' if neither the plan nor the options say for which machine and size
   */
  simulate(options: SimulationOptions = {}): CostReport {
    const { topology, size } = this.subject(options);
    return simulate(this.proved.plan, Routes.of(topology), size);
  }

  /** When each operation runs, and which message occupies which link when, in the simulation. @throws CccError as `simulate` */
  timeline(options: SimulationOptions = {}): Timeline {
    const { topology, size } = this.subject(options);
    return timeline(this.proved.plan, Routes.of(topology), size);
  }

  /**
   * The text of a target format: `json`, `ts`, `mpi-c`, `msccl-xml`, `mscclpp`, `html`, … (`emitters` lists them).
   * @throws CccError 'unknown-name', 'unsupported' with all that the format lacks
   */
  emit(format = 'json'): Promise<string> {
    return textOf(format, this.bundle);
  }

  /** The plan as a page for the browser, as `ccc view` writes it. */
  page(): Promise<string> {
    return this.emit('html');
  }

  /**
   * Writes the plan to a file, whole or not at all.
   * @param format default: what the ending of the path says (.json, .xml, .ts, .c, .goal, .html)
   * @throws CccError 'usage' for an ending of no format, 'file', and those of `emit`
   */
  write(path: string, format?: string): Promise<void> {
    return writeTarget(path, format, this.bundle, platform());
  }

  private subject({ size, topology }: SimulationOptions): { readonly topology: Topology; readonly size: Bytes } {
    const machine = topology ?? this.bundle.topology;
    const message = size === undefined ? this.bundle.size : bytesOf(size);
    if (machine === undefined) throw new CccError('usage', `${this.name} names no machine: give { topology }`);
    if (message === undefined) throw new CccError('usage', `${this.name} names no size: give { size }`);
    return { topology: machine, size: message };
  }
}
