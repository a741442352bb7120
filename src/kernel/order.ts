/**
 * Sections 3 and 4 of docs/verification.md: what comes before what, in every run; and one order in which everything can run, which there is exactly if
 * the plan does not deadlock.
 */

import type { Messages } from './connections.ts';
import type { Layout } from './form.ts';
import { none, Refusal } from './refusal.ts';
import { intAt, isReceive, operationCode, type PlanTables } from './tables.ts';

/**
 * The graph of happens-before. Operation o of bulk b is event `b · operations + o`. An event is one node of the graph, or three where it matters when
 * it is posted and done: the event is posted, then it happens (the data move), then it is done (its rank knows that they have moved).
 */
export interface EventGraph {
  /** The number of operations of a bulk. */
  readonly operations: number;
  readonly events: number;
  /** 1 or 3; node `nodesPerEvent · event + phase` is the phase of an event. */
  readonly nodesPerEvent: number;
  readonly phases: Phases;
  /** Node x comes directly after the nodes `predecessors[firstPredecessor[x]] … predecessors[firstPredecessor[x + 1] − 1]`. */
  readonly firstPredecessor: Int32Array;
  readonly predecessors: Int32Array;
}

/** The phases of an event; all of them are 0 where an event is one node. */
interface Phases {
  readonly posted: number;
  readonly happens: number;
  readonly done: number;
}

export function eventOf({ nodesPerEvent }: EventGraph, node: number): number {
  return Math.floor(node / nodesPerEvent);
}

/** The operation that an event is in its bulk. */
export function operationOf({ operations }: EventGraph, event: number): number {
  return event % operations;
}

/** The bound on events and waits keeps the numbers of nodes and edges well within 32 bits. */
const maxEventsAndWaits = 2 ** 25;

/**
 * How many bulks are written out. All bulks have the same edges, and none leads to an earlier bulk, so one bulk shows everything but accesses to scratch
 * of different bulks: the first bulk whose copy of scratch is used again is `scratchPerBulk` bulks later.
 */
function bulksToWriteOut({ bulks, scratchPerBulk, buffers }: PlanTables): number {
  const reusesScratch = bulks > scratchPerBulk && buffers.some(({ scratch }) => scratch > 0);
  return reusesScratch ? scratchPerBulk + 1 : 1;
}

/** Collects the edges of a graph node by node. */
class EdgeList {
  readonly firstPredecessor: Int32Array;
  readonly predecessors: Int32Array;
  private nodes = 0;
  private edges = 0;

  constructor(nodes: number, maxEdges: number) {
    this.firstPredecessor = new Int32Array(nodes + 1);
    this.predecessors = new Int32Array(maxEdges);
  }

  /** The node that is being described comes directly after another. */
  after(predecessor: number): void {
    this.predecessors[this.edges++] = predecessor;
  }

  /** All edges of this node have been given; the next one is described from now on. */
  endNode(): void {
    this.firstPredecessor[++this.nodes] = this.edges;
  }
}

/** Builds the graph. @param inflight how many messages a connection buffers @throws Refusal if it would be too large */
export function eventGraph(
  plan: PlanTables,
  { laneOf }: Layout,
  messages: Messages,
  inflight: number,
  ownsFromPosting: boolean,
): EventGraph {
  const { ops, firstOp } = plan;
  const operations = ops.kind.length;
  const bulks = bulksToWriteOut(plan);
  const [events, waits] = [operations * bulks, ops.afterOp.length * bulks];
  if (events + waits > maxEventsAndWaits) {
    throw new Refusal('limit', 'more operations and waits than 2 ** 25, all bulks that share scratch counted');
  }
  const isRendezvous = inflight === 0;
  const nodesPerEvent = ownsFromPosting || isRendezvous ? 3 : 1;
  const phases = nodesPerEvent === 3 ? { posted: 0, happens: 1, done: 2 } : { posted: 0, happens: 0, done: 0 };
  // Besides its waits an event has an edge from its lane, at most two for messages and room, one more for rendezvous, and two between its own nodes.
  const edges = new EdgeList(nodesPerEvent * events, (nodesPerEvent + 2) * events + waits);
  const node = (event: number, phase: number): number => nodesPerEvent * event + phase;

  /** Posted: after what is before it in its lane, in the last bulk if it is the first there, and after what it waits for. */
  const addLocalEdges = (event: number, o: number, bulk: number): void => {
    const lane = intAt(laneOf, o);
    const isFirst = o === intAt(firstOp, lane);
    const previous = isFirst ? event - o - operations + intAt(firstOp, lane + 1) - 1 : event - 1;
    if (previous >= 0) edges.after(node(previous, phases.done));
    for (let wait = intAt(ops.firstAfter, o); wait < intAt(ops.firstAfter, o + 1); wait++) {
      const earlier = bulk - intAt(ops.afterBulks, wait);
      if (earlier >= 0) edges.after(node(earlier * operations + intAt(ops.afterOp, wait), phases.done));
    }
  };

  /** A send happens after the receive that makes room for it has happened. */
  const addRoomEdge = (send: number, bulk: number): void => {
    const maker = intAt(messages.roomMaker, send);
    const earlier = bulk - intAt(messages.roomBulks, send);
    if (maker !== none && earlier >= 0) edges.after(node(earlier * operations + maker, phases.happens));
  };

  /** A receive happens after its send. A send needs room; without buffers it happens once its receive has been posted. */
  const addMessageEdges = (event: number, o: number, bulk: number): void => {
    const kind = intAt(ops.kind, o);
    const partner = event - o + intAt(messages.partner, o);
    if (isReceive(kind)) {
      edges.after(node(partner, phases.happens));
      // A relay also waits until the message can be passed on.
      const passedOn = ops.relay === undefined ? none : intAt(ops.relay, o);
      if (passedOn !== none) addRoomEdge(passedOn, bulk);
    } else if (kind === operationCode.send) {
      if (isRendezvous) edges.after(node(partner, phases.posted));
      else addRoomEdge(o, bulk);
    }
  };

  /** Without buffers a send is done only after its receive has happened. */
  const addRendezvousEdge = (event: number, o: number): void => {
    if (!isRendezvous || intAt(ops.kind, o) !== operationCode.send) return;
    edges.after(node(event - o + intAt(messages.partner, o), phases.happens));
  };

  for (let event = 0; event < events; event++) {
    const o = event % operations;
    const bulk = (event - o) / operations;
    addLocalEdges(event, o, bulk);
    if (nodesPerEvent === 3) {
      edges.endNode();
      edges.after(node(event, phases.posted));
    }
    addMessageEdges(event, o, bulk);
    if (nodesPerEvent === 3) {
      edges.endNode();
      edges.after(node(event, phases.happens));
    }
    addRendezvousEdge(event, o);
    edges.endNode();
  }
  const { firstPredecessor, predecessors } = edges;
  return { operations, events, nodesPerEvent, phases, firstPredecessor, predecessors };
}

/** How far the search for an order has come with a node: not at all; into what comes before it; out again, so that it stands in the order. */
const [unseen, entered, finished] = [0, 1, 2];

/**
 * All nodes in an order in which each comes after its predecessors, found by depth-first search. There is none exactly if the edges lead round in a
 * cycle. Then every run gets stuck: an operation that can run stays able to run, so all runs get equally far.
 * @throws Refusal 'deadlock'
 */
export function runOf(graph: EventGraph): Int32Array {
  const { firstPredecessor, predecessors } = graph;
  const run = new Int32Array(firstPredecessor.length - 1);
  const state = new Int32Array(run.length);
  const open: number[] = [];
  let ran = 0;
  for (let root = 0; root < run.length; root++) {
    open.push(root);
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (state[node] === finished) continue;
      if (state[node] === entered) {
        state[node] = finished;
        run[ran++] = node;
        continue;
      }
      // The node stays below its predecessors until they are finished. Predecessors may stand there several times; only the first time counts.
      state[node] = entered;
      open.push(node);
      for (let edge = intAt(firstPredecessor, node); edge < intAt(firstPredecessor, node + 1); edge++) {
        const predecessor = intAt(predecessors, edge);
        if (state[predecessor] === entered) throw deadlock(graph, node);
        if (state[predecessor] === unseen) open.push(predecessor);
      }
    }
  }
  return run;
}

function deadlock(graph: EventGraph, node: number): Refusal {
  return new Refusal('deadlock', 'it waits for itself', operationOf(graph, eventOf(graph, node)));
}

/** The events of a run in the order in which they happen. */
export function happeningOrder(graph: EventGraph, run: Int32Array): Int32Array {
  const { nodesPerEvent, phases } = graph;
  const nodes = run.filter((node) => node % nodesPerEvent === phases.happens);
  return nodes.map((node) => eventOf(graph, node));
}
