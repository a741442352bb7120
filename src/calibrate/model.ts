/** Predicts the times of configurations from values of the parameters, and linearises the predictions. */

import { OperationCode, type Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { SimulatedTimes } from '../model/index.ts';
import type { Configuration } from './configuration.ts';
import { kindOfLinks } from './machine.ts';
import type { ParameterSet } from './parameters.ts';

/** One measured time of a configuration. */
export interface TimeToExplain {
  readonly configuration: Configuration;
  readonly size: Bytes;
  readonly measured: Seconds;
  /** Indices of the parameters on which its time may depend. */
  readonly parameters: readonly number[];
}

/**
 * The predicted time of a point near given values: `constant + Σ slope[i] · value[parameters[i]]`. A time is a sum along the critical path,
 * so that this is exact as long as the critical path stays the same.
 */
export interface LinearPiece {
  readonly constant: Seconds;
  readonly slopes: Float64Array;
}

/** The relative step of the numerical derivatives: far above rounding errors, far below what changes the critical path. */
const step = 1e-4;

export class Model {
  readonly set: ParameterSet;
  readonly points: readonly TimeToExplain[];
  /** By machine and protocol: the machine with the values of the latest request. */
  private readonly machines = new Map<Topology, Map<string | undefined, Timed>>();

  constructor(set: ParameterSet, configurations: readonly Configuration[]) {
    this.set = set;
    this.points = configurations.flatMap((configuration) => {
      const parameters = parametersOf(set, configuration);
      return configuration.times.map(({ size, seconds }) => ({ configuration, size, measured: seconds, parameters }));
    });
  }

  /** The predicted time of a point, in seconds. */
  time({ configuration, size }: TimeToExplain, values: Float64Array): Seconds {
    const { machine, times } = this.timed(configuration, values);
    const known = times.get(configuration.plan) ?? new SimulatedTimes(configuration.plan, Routes.of(machine));
    times.set(configuration.plan, known);
    return known.at(size);
  }

  /** Linearises the times of points at these values, at which they are `times`. */
  pieces(points: readonly TimeToExplain[], values: Float64Array, times: ArrayLike<number>): readonly LinearPiece[] {
    const slopes = points.map(({ parameters }) => new Float64Array(parameters.length));
    this.set.parameters.forEach((_, parameter) => {
      const moved = values.slice();
      moved[parameter] *= 1 + step;
      points.forEach((point, index) => {
        const at = point.parameters.indexOf(parameter);
        if (at === -1) return;
        const slope = () => (this.time(point, moved) - times[index]) / (values[parameter] * step);
        slopes[index][at] = this.isLaunch(parameter) ? 1 : Math.max(0, slope());
      });
    });
    return points.map(({ parameters }, index) => {
      const moving = slopes[index].reduce((sum, slope, at) => sum + slope * values[parameters[at]], 0);
      return { constant: times[index] - moving, slopes: slopes[index] };
    });
  }

  private isLaunch(parameter: number): boolean {
    return this.set.parameters[parameter].name.endsWith('launch');
  }

  private timed({ topology, protocol }: Configuration, values: Float64Array): Timed {
    const known = this.machines.get(topology) ?? new Map<string | undefined, Timed>();
    this.machines.set(topology, known);
    const last = known.get(protocol);
    if (last?.values.every((value, index) => value === values[index]) === true) return last;
    const machine = this.set.machine(topology, values, protocol);
    const timed = { values: values.slice(), machine, times: new Map<Plan, SimulatedTimes>() };
    known.set(protocol, timed);
    return timed;
  }
}

interface Timed {
  readonly values: Float64Array;
  readonly machine: Topology;
  readonly times: Map<Plan, SimulatedTimes>;
}

/** The indices of the parameters of its protocol and of the kinds of links that its messages use. */
function parametersOf(set: ParameterSet, { plan, topology, protocol }: Configuration): readonly number[] {
  const standard = Float64Array.from(set.parameters, (parameter) => parameter.standard);
  const machine = set.machine(topology, standard, protocol);
  const routes = Routes.of(machine);
  const used = new Set<number>();
  const { kind, peer, channel } = plan.ops;
  for (let lane = 0, rank = 0; lane < plan.laneId.length; lane++) {
    while (lane >= plan.firstLane[rank + 1]) rank++;
    for (let op = plan.firstOp[lane]; op < plan.firstOp[lane + 1]; op++) {
      if (kind[op] !== OperationCode.send) continue;
      for (const link of routes.between(rank, peer[op], channel[op])?.links ?? []) used.add(link);
    }
  }
  const kindOf = kindOfLinks(machine, set.kinds);
  const usedKinds = new Set([...used].map((link) => kindOf[link]));
  return set.parameters.flatMap((parameter, index) => {
    const isOfProtocol = parameter.protocol === undefined || parameter.protocol === protocol;
    return isOfProtocol && (parameter.link === undefined || usedKinds.has(parameter.link)) ? [index] : [];
  });
}
