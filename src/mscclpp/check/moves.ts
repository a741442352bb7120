/** Operations that move data, as what they read and write cell by cell at one size of message. */

import type { PlanBuffer } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { ChunkReference, ExecutionOperation } from '../execution-plan.ts';
import { type CellLayout, type CellSpan, pieceOfScratch, shareOf } from './layout.ts';
import { type ExecutionShape, type Role, roleOf, shapes } from './shapes.ts';

/** target[e] = Σ source[e], for `count` elements; sources in the order of the additions. */
export interface ElementMove {
  readonly sources: readonly CellSpan[];
  readonly targets: readonly CellSpan[];
  readonly count: number;
}

/** Which piece of its chunks an operation works on: all, or `unit` bytes from `offset` on in a pipeline. */
export interface PipelinePiece {
  readonly offset: Bytes;
  readonly unit: Bytes;
}

export const wholePiece: PipelinePiece = { offset: 0, unit: Number.POSITIVE_INFINITY };

/** Which block runs an operation. */
export interface Runner {
  readonly gpu: number;
  readonly block: number;
}

/** What an operation moves; nothing for those that only synchronise. */
export function elementMovesOf(
  layout: CellLayout,
  runner: Runner,
  operation: ExecutionOperation,
  piece: PipelinePiece,
): readonly ElementMove[] {
  const shape = shapes[operation.name];
  if (shape === undefined) return [];
  const resolve = new Resolver(layout, runner, operation, piece);
  if (!shape.combines) {
    return operation.targets.map((_, at) => resolve.oneToOne(shape, at)).filter(({ count }) => count > 0);
  }
  const move = resolve.combined(shape);
  return move.count === 0 ? [] : [move];
}

class Resolver {
  private readonly layout: CellLayout;
  private readonly runner: Runner;
  private readonly operation: ExecutionOperation;
  private readonly piece: PipelinePiece;

  constructor(layout: CellLayout, runner: Runner, operation: ExecutionOperation, piece: PipelinePiece) {
    this.layout = layout;
    this.runner = runner;
    this.operation = operation;
    this.piece = piece;
  }

  /** The k-th source to the k-th target. */
  oneToOne(shape: ExecutionShape, at: number): ElementMove {
    const { sources, targets, name, channelType } = this.operation;
    const source = sources[at];
    const target = targets[at];
    const count = this.count(source);
    // The kernel of ppkt over port channels sends packets that lie in scratch as they are.
    const raw = name === 'ppkt' && channelType === 'port';
    const from = raw ? 'packets' : roleOf(shape.sources, at);
    const to = roleOf(shape.targets, at);
    // Over memory channels it takes the buffer of the first source for all.
    const place = name !== 'get' && channelType === 'memory' ? { ...source, place: sources[0].place } : source;
    // The kernel of get takes the target's offset for the source, and the other way round.
    const [read, written] =
      name === 'get'
        ? [
            { ...place, index: target.index },
            { ...target, index: source.index },
          ]
        : [place, target];
    return { sources: this.spans(from, read, !raw), targets: this.spans(to, written, false), count };
  }

  combined(shape: ExecutionShape): ElementMove {
    const { sources, targets, name } = this.operation;
    const from = sources.map((chunk, at) => this.spans(roleOf(shape.sources, at), chunk, true));
    // Kernels of packets begin with the packets and add what is local last.
    const inOrder = shape.sources.more === 'packets' ? [...from.slice(1), ...from.slice(0, 1)] : from;
    const to = targets.flatMap((chunk, at) => this.spans(roleOf(shape.targets, at), chunk, false));
    // A packet that is stored to where it lies is what is there already.
    const changed = name === 'gstorepkt' ? to.filter(({ first }) => first !== inOrder[0][0].first) : to;
    return { sources: inOrder.flat(), targets: changed, count: this.count(sources[0]) };
  }

  /** Elements of a piece of a share of some chunks. */
  private count(chunk: ChunkReference): number {
    const { bytes } = this.share(chunk);
    const { offset, unit } = this.piece;
    // Behind the end the kernels' unsigned difference is huge, and they move a whole unit.
    const left = offset <= bytes ? bytes - offset : Number.POSITIVE_INFINITY;
    return Math.min(left, unit) / this.layout.scale.cell;
  }

  private share({ size }: ChunkReference): { readonly start: Bytes; readonly bytes: Bytes } {
    const { plan, scale } = this.layout;
    return shareOf(size * scale.chunk, plan.alignment, this.operation.share);
  }

  /** Where an operand lies: one row of cells, or behind a switch one for each gpu of the group. */
  private spans(role: Role | undefined, chunk: ChunkReference, waits: boolean): readonly CellSpan[] {
    const packets = role?.endsWith('packets') ?? false;
    return this.buffers(chunk).map(({ gpu, buffer }) => {
      const first = this.cellOf(gpu, buffer, chunk);
      if (!packets) return { first, packets, waits: false, gpu, buffer };
      const base = this.layout.cellAt(gpu, 'scratch', 0);
      return { first: base + 2 * (first - base), packets, waits, gpu, buffer };
    });
  }

  private cellOf(gpu: number, buffer: PlanBuffer, chunk: ChunkReference): number {
    const { layout, runner, piece } = this;
    const reuses = buffer === 'scratch' && layout.plan.reuseResources;
    const room = reuses ? pieceOfScratch(layout.plan, layout.plan.gpus[runner.gpu].chunks.scratch) : undefined;
    const offset = room === undefined ? piece.offset : piece.offset % room;
    const start = layout.byteOf(runner.gpu, buffer, chunk.index) + this.share(chunk).start;
    return layout.cellAt(gpu, buffer, start + offset);
  }

  private buffers({ place }: ChunkReference): readonly { readonly gpu: number; readonly buffer: PlanBuffer }[] {
    const { plan } = this.layout;
    const gpu = plan.gpus[this.runner.gpu];
    const block = gpu.blocks[this.runner.block];
    switch (place.kind) {
      case 'local':
        return [{ gpu: gpu.id, buffer: place.buffer }];
      case 'remote': {
        const type = this.operation.channelType === 'port' ? 'port' : 'memory';
        const { rank, buffer } = gpu.remoteBuffers[block.remoteBuffers[type][place.id]];
        return [{ gpu: rank, buffer }];
      }
      case 'switch': {
        const { ranks, buffer } = gpu.switches[block.channels.switch[place.id]];
        return ranks.map((rank) => ({ gpu: rank, buffer }));
      }
    }
  }
}
