/** Translates operations that move data to reads and writes of cells at one message size. */

import type { PlanBuffer } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { ChunkReference, ExecutionOperation } from '../execution-plan.ts';
import { type CellLayout, type CellSpan, pieceOfScratch, shareOf } from './layout.ts';
import { type ExecutionShape, type Role, roleOf, shapes } from './shapes.ts';

/** target[e] = Σ source[e] for `count` elements e, with the sources in the order of the additions. */
export interface ElementMove {
  readonly sources: readonly CellSpan[];
  readonly targets: readonly CellSpan[];
  readonly count: number;
}

/** The part of its chunks on which an operation works: all of them or, in a pipeline, `unit` bytes from `offset` on. */
export interface PipelinePiece {
  readonly offset: Bytes;
  readonly unit: Bytes;
}

export const wholePiece: PipelinePiece = { offset: 0, unit: Number.POSITIVE_INFINITY };

/** The block that executes an operation. */
export interface Runner {
  readonly gpu: number;
  readonly block: number;
}

/** The data movement of an operation; empty for operations that only synchronise. */
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

  /** The move from the k-th source to the k-th target. */
  oneToOne(shape: ExecutionShape, at: number): ElementMove {
    const { sources, targets, name, channelType } = this.operation;
    const source = sources[at];
    const target = targets[at];
    const count = this.count(source);
    // With a port channel the kernel of ppkt sends packets in scratch as they are.
    const raw = name === 'ppkt' && channelType === 'port';
    const from = raw ? 'packets' : roleOf(shape.sources, at);
    const to = roleOf(shape.targets, at);
    // With memory channels the kernel uses the buffer of the first source for all sources.
    const place = name !== 'get' && channelType === 'memory' ? { ...source, place: sources[0].place } : source;
    // The kernel of get swaps the offsets of source and target.
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
    // Kernels that reduce packets begin with the packets and add the local operand last.
    const inOrder = shape.sources.more === 'packets' ? [...from.slice(1), ...from.slice(0, 1)] : from;
    const to = targets.flatMap((chunk, at) => this.spans(roleOf(shape.targets, at), chunk, false));
    // Storing a packet to the place from which it was read changes nothing.
    const changed = name === 'gstorepkt' ? to.filter(({ first }) => first !== inOrder[0][0].first) : to;
    return { sources: inOrder.flat(), targets: changed, count: this.count(sources[0]) };
  }

  /** The number of elements in the piece of the block's share of some chunks. */
  private count(chunk: ChunkReference): number {
    const { bytes } = this.share(chunk);
    const { offset, unit } = this.piece;
    // Beyond the end, the kernel's unsigned difference wraps around to a huge number, so that it moves a whole unit.
    const left = offset <= bytes ? bytes - offset : Number.POSITIVE_INFINITY;
    return Math.min(left, unit) / this.layout.scale.cell;
  }

  private share({ size }: ChunkReference): { readonly start: Bytes; readonly bytes: Bytes } {
    const { plan, scale } = this.layout;
    return shareOf(size * scale.chunk, plan.alignment, this.operation.share);
  }

  /** The cells of an operand: one range or, for memory behind a switch, one for each gpu of the group. */
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
