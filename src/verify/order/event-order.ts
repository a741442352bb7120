/**
 * Happens-before as the searches in this folder use it: events in lanes, and the events that must be complete before each of them. Two graphs
 * implement it: the operations of a plan (`happens-before.ts`) and the events of an MSCCL++ execution plan (`src/mscclpp/check/event-order.ts`).
 */
export interface EventOrder {
  /** By event: its lane. The events of a lane are totally ordered. */
  readonly laneOf: Int32Array;
  /** The result of `predecessors`: events, and how many bulks back each of them is (0 if nothing repeats). */
  readonly before: Int32Array;
  readonly gap: Float64Array;
  /** Number of entries at the front of `before` that the event's own rank knows to be complete without a message. */
  readonly locals: number;
  /** Position of an event in its lane, from 0. */
  positionOf(event: number): number;
  /** Number of events of a lane in one bulk. */
  lengthOf(lane: number): number;
  /** Fills `before` and `gap` with what must be complete before an event, and returns how many entries there are. */
  predecessors(event: number): number;
  /**
   * Returns the predecessor in the same bulk through which most of an event's history comes, −1 for none: for a receive it is the send of its
   * message. It only affects how often `QuickOrder` can answer, not whether the answer is right.
   */
  mainPredecessor(event: number): number;
  /** The event that happens at the same instant as this one and counts as its successor, −1 for none. */
  jointEvent(event: number): number;
  /** The first event of the lane that knows, by lane order alone, that this one is complete; −1 for none. */
  firstToKnow(event: number): number;
}
