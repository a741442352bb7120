/**
 * Computes the result of a plan along one order of its events, which stands for all orders since there are no races, and compares it with the
 * expected result.
 */
import { type Collective, expectation, inputChunks, outputChunks } from '../../ir/collective.ts';
import { none } from '../../ir/none.ts';
import type { Determinism, Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import { CombinationTable } from '../../verify/values.ts';
import type { EventGraph } from './graph.ts';
import type { CellLayout, CellSpan } from './layout.ts';
import { cellOf } from './packets.ts';
import { type ExecutionStoryLine, storyLine } from './words.ts';

export interface ExecutionOutcome {
  readonly uninitialised: readonly Finding[];
  readonly wrong: readonly Finding[];
  /** Undefined if nothing is reduced. */
  readonly determinism: Determinism | undefined;
}

/** @param collective the collective at the granularity of cells */
export function outcomeOf(
  graph: EventGraph,
  order: Int32Array,
  layout: CellLayout,
  collective: Collective,
): ExecutionOutcome {
  const run = new SymbolicRun(graph, layout, collective);
  for (const event of order) run.happen(event);
  const wrong = new CheckFindings('wrong-result');
  const trees = new Map<number, number>();
  const differing = new Map<number, number[]>();
  let reduces = false;
  for (let gpu = 0; gpu < collective.ranks; gpu++) {
    for (let slot = 0; slot < outputChunks(collective, gpu); slot++) {
      const wants = expectation(collective, gpu, slot);
      if (wants.kind === 'undefined') continue;
      const cell = layout.cellAt(gpu, 'output', slot * layout.scale.cell);
      const wanted = run.wanted(wants);
      reduces ||= wanted.length > 1;
      if (!run.holds(cell, wanted)) wrong.add(() => run.tellWrong(gpu, slot, wanted));
      else if (collective.kind === 'allreduce') {
        const tree = trees.get(slot);
        if (tree === undefined) trees.set(slot, run.valueOf(cell));
        else if (tree !== run.valueOf(cell)) differing.set(slot, [...(differing.get(slot) ?? []), gpu]);
      }
    }
  }
  const others = [...differing].map(([chunk, ranks]) => ({ chunk, ranks }));
  const determinism = reduces ? { identical: others.length === 0, differing: others } : undefined;
  return { uninitialised: run.uninitialised.list(), wrong: wrong.list(), determinism };
}

class SymbolicRun {
  readonly uninitialised = new CheckFindings('uninitialised');
  private readonly graph: EventGraph;
  private readonly layout: CellLayout;
  private readonly perChunk: number;
  private readonly values: CombinationTable;
  /** By cell: its value, whether it is half of a packet, and the event that wrote it. */
  private readonly held: Int32Array;
  private readonly packets: Uint8Array;
  private readonly writer: Int32Array;

  constructor(graph: EventGraph, layout: CellLayout, collective: Collective) {
    this.graph = graph;
    this.layout = layout;
    this.values = new CombinationTable(collective, false);
    this.held = new Int32Array(layout.cells).fill(none);
    this.packets = new Uint8Array(layout.cells);
    this.writer = new Int32Array(layout.cells).fill(-1);
    this.perChunk = layout.scale.chunk / layout.scale.cell;
    layout.plan.gpus.forEach((_, gpu) => {
      const first = layout.cellAt(gpu, 'input', 0);
      for (let slot = 0; slot < inputChunks(collective, gpu); slot++)
        this.held[first + slot] = this.values.leaf(gpu, slot);
    });
  }

  happen(event: number): void {
    for (const { move, from, count } of this.graph.events[event].moves) {
      const results: number[] = [];
      for (let element = from; element < from + count; element++) {
        const operands = move.sources.map((span) => this.read(event, span, element));
        results.push(operands.reduce((sum, operand) => this.values.combine(sum, operand)));
      }
      for (const span of move.targets) {
        for (const [at, value] of results.entries()) this.write(event, span, from + at, value);
      }
    }
  }

  valueOf(cell: number): number {
    return this.held[cell];
  }

  wanted(wants: ReturnType<typeof expectation>): readonly number[] {
    switch (wants.kind) {
      case 'undefined':
        return [];
      case 'list':
        return wants.parts.map(({ rank, chunk }) => this.values.leaf(rank, chunk + wants.at));
      case 'ranks':
        return Array.from({ length: wants.last - wants.first + 1 }, (_, at) =>
          this.values.leaf(wants.first + at, wants.chunk),
        );
    }
  }

  /** Whether a cell contains each wanted contribution once, and no other. */
  holds(cell: number, wanted: readonly number[]): boolean {
    if (this.held[cell] === none || this.packets[cell] === 1) return false;
    const contents = this.values.contents(this.held[cell], wanted.length + 1).sort((a, b) => a - b);
    const target = [...wanted].sort((a, b) => a - b);
    return contents.length === target.length && contents.every((leaf, at) => leaf === target[at]);
  }

  tellWrong(
    gpu: number,
    slot: number,
    wanted: readonly number[],
  ): { message: string; story: readonly ExecutionStoryLine[] } {
    const cell = this.layout.cellAt(gpu, 'output', slot * this.layout.scale.cell);
    const holds = this.held[cell] === none ? 'nothing' : this.sumText(this.values.contents(this.held[cell], 12));
    const writer = this.graph.events[this.writer[cell]]?.place;
    const story = writer === undefined ? [] : [storyLine(writer, 'wrote it last')];
    const name = `gpu ${gpu} output[${Math.floor(slot / this.perChunk)}]`;
    return { message: `At the end ${name} holds ${holds}, and must hold ${this.sumText(wanted)}.`, story };
  }

  private sumText(leaves: readonly number[]): string {
    const name = (leaf: number): string => {
      if (leaf >= this.values.unknown) return 'what nobody has written';
      const { rank, chunk } = this.values.contribution(leaf);
      return `input[${Math.floor(chunk / this.perChunk)}] of gpu ${rank}`;
    };
    const shown = leaves.slice(0, 8).map(name).join(' + ');
    return leaves.length > 8 ? `${shown} + …` : shown;
  }

  private read(event: number, span: CellSpan, element: number): number {
    const cell = cellOf(span, element);
    const good = this.held[cell] !== none && (this.packets[cell] === 1) === span.packets;
    if (good) return this.held[cell];
    this.uninitialised.add(() => {
      const name = this.layout.nameOf(cell, span);
      const state =
        this.held[cell] === none
          ? `${name}, which holds nothing yet`
          : `${name} as ${span.packets ? 'packets, and it holds plain data' : 'plain data, and it holds packets'}`;
      const { place } = this.graph.events[event];
      const story = place === undefined ? [] : [storyLine(place)];
      return { message: `${this.graph.nameOf(event)} reads ${state}.`, story };
    });
    return this.values.unknown;
  }

  private write(event: number, span: CellSpan, element: number, value: number): void {
    const cell = cellOf(span, element);
    const last = span.packets ? cell + 1 : cell;
    for (let at = cell; at <= last; at++) {
      this.held[at] = value;
      this.packets[at] = span.packets ? 1 : 0;
      this.writer[at] = event;
    }
  }
}
