/** A proved plan that remembers how long it takes. */

import type { CostReport, LinkUse } from '../ir/report.ts';
import type { Routes } from '../ir/routes.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { occupancyLowerBound, simulate } from '../model/index.ts';
import { busiestLinkTime, type EvaluatedCandidate, pipelineEstimate } from '../search/evaluate/index.ts';
import { TimeCurve } from './time-curve.ts';

export class TunedPlan {
  readonly evaluated: EvaluatedCandidate;
  /** The size for which its depth was chosen. */
  readonly tunedFor: Bytes;
  /** On the machine under the protocol that its messages move by. */
  readonly routes: Routes;
  private readonly curve: TimeCurve;
  /** What it costs without any bytes. */
  private nothing: CostReport | undefined;

  constructor(priced: EvaluatedCandidate, tunedFor: Bytes, routes: Routes) {
    this.evaluated = priced;
    this.tunedFor = tunedFor;
    this.routes = routes;
    this.curve = new TimeCurve((size) => this.simulated(size).seconds);
    this.curve.learn(tunedFor, priced.cost.seconds);
  }

  /** The candidate's name: the same for all depths. */
  get algorithm(): string {
    return this.evaluated.candidate.name;
  }

  /** How its messages move, where the machine has protocols. */
  get protocol(): string | undefined {
    return this.routes.topology.protocol;
  }

  /** Lanes that move each message; undefined where the machine has none of its own. */
  get instances(): number | undefined {
    if (this.routes.topology.lane === undefined) return undefined;
    const { instances } = this.evaluated.candidate.origin;
    return typeof instances === 'number' ? instances : 1;
  }

  get bulks(): number {
    return this.evaluated.checked.plan.bulks;
  }

  /** Simulated time of a message of `size` bytes, exact but for rounding. */
  secondsAt(size: Bytes): Seconds {
    return this.curve.at(size);
  }

  /** The same as a simulation says it, to the last digit. */
  simulatedSecondsAt(size: Bytes): Seconds {
    return this.curve.exactlyAt(size);
  }

  /**
   * About the least that the plan may take in any number of bulks: pipelines take longer where bulks stand in each other's way, and
   * hardly ever less.
   */
  hopeAt(size: Bytes): Seconds {
    this.nothing ??= this.simulated(0);
    const latency = this.nothing.seconds;
    const links = this.linksAt(size, this.nothing);
    const cost = { ...this.evaluated.cost, seconds: this.secondsAt(size), links };
    const busiest = occupancyLowerBound(this.evaluated.schedule, this.routes, size);
    // Of a plan in several bulks it is not known what one takes: all bytes over the busiest link, and the way from end to end.
    if (this.bulks > 1) return Math.max(busiest, latency + busiestLinkTime({ cost }, this.routes));
    return Math.max(busiest, pipelineEstimate({ cost }, latency, this.routes).seconds);
  }

  /** The plan with its price at another size. */
  evaluatedAt(size: Bytes): EvaluatedCandidate {
    return { ...this.evaluated, cost: this.simulated(size) };
  }

  private simulated(size: Bytes): CostReport {
    return simulate(this.evaluated.checked.plan, this.routes, size);
  }

  /** What links have to carry grows with the size; what they are kept for latencies alone does not. */
  private linksAt(size: Bytes, nothing: CostReport): readonly LinkUse[] {
    const share = size / this.tunedFor;
    const idle = new Map(nothing.links.map(({ link, busy }) => [link, busy]));
    return this.evaluated.cost.links.map(({ link, messages, bytes, busy }): LinkUse => {
      const latencies = idle.get(link) ?? 0;
      return { link, messages, bytes: bytes * share, busy: latencies + (busy - latencies) * share };
    });
  }
}
