/** A proved plan with its time as a function of the message size. */

import type { CostReport, LinkUse } from '../ir/report.ts';
import type { Routes } from '../ir/routes.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { occupancyLowerBound, simulate } from '../model/index.ts';
import { busiestLinkTime, type EvaluatedCandidate, pipelineEstimate } from '../search/evaluate/index.ts';
import { TimeCurve } from './time-curve.ts';

export class TunedPlan {
  readonly evaluated: EvaluatedCandidate;
  /** The size for which its pipeline depth was chosen. */
  readonly tunedFor: Bytes;
  /** Routes on the machine under the protocol that the plan uses. */
  readonly routes: Routes;
  private readonly curve: TimeCurve;
  /** Its cost for an empty message, once simulated. */
  private nothing: CostReport | undefined;

  constructor(priced: EvaluatedCandidate, tunedFor: Bytes, routes: Routes) {
    this.evaluated = priced;
    this.tunedFor = tunedFor;
    this.routes = routes;
    this.curve = new TimeCurve((size) => this.simulated(size).seconds);
    this.curve.learn(tunedFor, priced.cost.seconds);
  }

  /** Name of the candidate, the same for all depths. */
  get algorithm(): string {
    return this.evaluated.candidate.name;
  }

  /** The protocol of its messages, on machines that have protocols. */
  get protocol(): string | undefined {
    return this.routes.topology.protocol;
  }

  /** Lanes per message; undefined on machines without a lane model. */
  get instances(): number | undefined {
    if (this.routes.topology.lane === undefined) return undefined;
    const { instances } = this.evaluated.candidate.origin;
    return typeof instances === 'number' ? instances : 1;
  }

  get bulks(): number {
    return this.evaluated.checked.plan.bulks;
  }

  /** Simulated time for a message of `size` bytes, exact up to rounding errors. */
  secondsAt(size: Bytes): Seconds {
    return this.curve.at(size);
  }

  /** The simulated time itself, without interpolation. */
  simulatedSecondsAt(size: Bytes): Seconds {
    return this.curve.exactlyAt(size);
  }

  /**
   * Estimated minimum time of the plan over all numbers of bulks: pipelines take longer where bulks delay each other,
   * and hardly ever less.
   */
  hopeAt(size: Bytes): Seconds {
    this.nothing ??= this.simulated(0);
    const latency = this.nothing.seconds;
    const links = this.linksAt(size, this.nothing);
    const cost = { ...this.evaluated.cost, seconds: this.secondsAt(size), links };
    const busiest = occupancyLowerBound(this.evaluated.schedule, this.routes, size);
    // The time of one bulk is unknown for a plan in several bulks: the maximum of all bytes over the busiest link, and
    // the latency plus the bytes of one pass.
    if (this.bulks > 1) return Math.max(busiest, latency + busiestLinkTime({ cost }, this.routes));
    return Math.max(busiest, pipelineEstimate({ cost }, latency, this.routes).seconds);
  }

  /** The plan as an evaluated candidate at another size. */
  evaluatedAt(size: Bytes): EvaluatedCandidate {
    return { ...this.evaluated, cost: this.simulated(size) };
  }

  private simulated(size: Bytes): CostReport {
    return simulate(this.evaluated.checked.plan, this.routes, size);
  }

  /** The bytes on links grow with the size; the time that they are occupied by latencies alone does not. */
  private linksAt(size: Bytes, nothing: CostReport): readonly LinkUse[] {
    const share = size / this.tunedFor;
    const idle = new Map(nothing.links.map(({ link, busy }) => [link, busy]));
    return this.evaluated.cost.links.map(({ link, messages, bytes, busy }): LinkUse => {
      const latencies = idle.get(link) ?? 0;
      return { link, messages, bytes: bytes * share, busy: latencies + (busy - latencies) * share };
    });
  }
}
