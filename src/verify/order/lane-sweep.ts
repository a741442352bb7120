/**
 * Decides exactly whether x happens before y, for all x of one lane at once. One pass over a run computes, for every event, how far that lane has
 * certainly advanced when the event happens. This is a vector clock computed one component at a time, so that memory is linear in the number of
 * events.
 */
import { CccError } from '../../ir/diagnostic.ts';
import type { Ownership } from '../ownership.ts';
import type { EventOrder } from './event-order.ts';

/** Largest number of events that all sweeps together may visit; a plan that would need more is refused. */
const mostSteps = 2 ** 32;

export class LaneSweep {
  private steps = 0;
  private readonly events: EventOrder;
  private readonly ownership: Ownership;
  /**
   * By event: the largest position of an event of the lane that is certainly complete when it happens, counted as index + bulk × length of the lane
   * with the event itself in bulk 0; −Infinity if no event of the lane is. Under event ownership an event counts as complete when it happens; under
   * strict ownership only when local successors know it.
   */
  private readonly known: Float64Array;
  private lane = 0;
  private reach = 0;

  constructor(events: EventOrder, ownership: Ownership) {
    this.events = events;
    this.ownership = ownership;
    this.known = new Float64Array(events.laneOf.length).fill(Number.NEGATIVE_INFINITY);
  }

  /**
   * Sweeps over events that are given in an order in which they can happen. If some events are left out, only paths through the given ones are found.
   * @param reach how many bulks back the lane is traced
   * @param ask called at the end of the sweep; it may call `position`
   * @throws CccError 'limit' if all sweeps together have visited too many events
   */
  over(events: Int32Array, lane: number, reach: number, ask: () => void): void {
    this.lane = lane;
    this.reach = reach;
    for (let again = true; again; ) {
      again = false;
      this.steps += events.length;
      if (this.steps > mostSteps)
        throw new CccError('limit', `the search for races takes more than ${mostSteps} steps`);
      for (const event of events) {
        const position = this.arrive(event);
        if (position <= this.known[event]) continue;
        this.known[event] = position;
        // Edges from earlier bulks lead backwards in this order. Each further pass follows one more of them.
        again = reach > 0;
      }
    }
    ask();
    for (const event of events) this.known[event] = Number.NEGATIVE_INFINITY;
  }

  /** Returns how far the swept lane has certainly advanced, as known to the event's rank, before the event may access its memory. */
  position(event: number): number {
    if (this.ownership === 'event') return this.known[event];
    this.events.predecessors(event);
    return this.latest(this.events.locals, this.events.locals);
  }

  private arrive(event: number): number {
    const { events } = this;
    const count = events.predecessors(event);
    const { locals } = events;
    const joint = events.jointEvent(event);
    // The local predecessors of joint events are complete before either event is posted.
    const position = this.latest(count, joint === -1 ? locals : count);
    if (this.ownership === 'strict') return position;
    return Math.max(position, this.own(event), joint === -1 ? Number.NEGATIVE_INFINITY : this.own(joint));
  }

  /** Returns the maximum over the first `count` predecessors; the first `completing` of them are themselves known to be complete. */
  private latest(count: number, completing: number): number {
    const { events, known } = this;
    const length = events.lengthOf(this.lane);
    let position = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < count; p++) {
      const before = events.before[p];
      const gap = events.gap[p];
      if (gap > this.reach) continue;
      const at = p < completing ? Math.max(known[before], this.own(before)) : known[before];
      position = Math.max(position, at - gap * length);
    }
    return position < -this.reach * length ? Number.NEGATIVE_INFINITY : position;
  }

  private own(event: number): number {
    return this.events.laneOf[event] === this.lane ? this.events.positionOf(event) : Number.NEGATIVE_INFINITY;
  }
}
