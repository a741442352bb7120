/** The actions of the blocks of an execution plan that take time, block by block, in the order of the file. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Slice } from '../../ir/plan.ts';
import {
  type CellLayout,
  type CellSpan,
  type Counter,
  type ElementMove,
  elementMovesOf,
  type PipelinePiece,
  SynchronisationCounters,
  wholePiece,
} from '../check/index.ts';
import type { ChunkReference, ExecutionOperation } from '../execution-plan.ts';

/** One action of a block. Counts are cells of the layout. */
export type Act = { readonly gpu: number; readonly block: number; readonly range: SourceRange } & (
  | { readonly what: 'copy' | 'reduce'; readonly count: number; readonly from: Slice; readonly to: Slice }
  /** A write to another gpu, which learns of it by a later signal. */
  | { readonly what: 'put'; readonly peer: number; readonly count: number; readonly from: Slice; readonly to: Slice }
  /** Reading from another gpu takes two actions: `ask` requests the data, `get` awaits it. */
  | { readonly what: 'ask'; readonly peer: number; readonly count: number; readonly to: Slice }
  | { readonly what: 'get'; readonly peer: number }
  | { readonly what: 'signal' | 'wait'; readonly counter: Counter; readonly peer: number }
  | { readonly what: 'release' | 'acquire'; readonly counter: Counter }
  | { readonly what: 'barrier'; readonly id: number }
  /** Packets need no signal: their flags show that they have arrived. */
  | {
      readonly what: 'packets' | 'wait for packets';
      readonly span: CellSpan;
      readonly count: number;
      readonly at: Slice;
    }
);

/** Maximum number of actions of all blocks together; each becomes one or two operations. */
const mostActs = 1_000_000;

/** Lists the actions. @throws CccError 'unsupported' for switch channels, 'limit' for pipelines with too many iterations */
export function actsOf(layout: CellLayout): readonly Act[] {
  const { plan, scale } = layout;
  const counters = new SynchronisationCounters(plan);
  const acts: Act[] = [];
  for (const { id: gpu, blocks } of plan.gpus) {
    for (const { id: block, operations } of blocks) {
      const walk = new BlockWalk(layout, counters, gpu, block, acts);
      for (const operation of operations) {
        const { loop } = operation;
        if (loop === undefined) walk.operation(operation, wholePiece);
        else {
          const iterations = Math.ceil((loop.chunks * scale.chunk) / loop.unit);
          for (let iteration = 0; iteration < iterations; iteration++) {
            for (const inner of loop.operations) {
              walk.operation(inner, { offset: iteration * loop.unit, unit: loop.unit });
            }
          }
        }
      }
    }
  }
  return acts;
}

class BlockWalk {
  private readonly layout: CellLayout;
  private readonly counters: SynchronisationCounters;
  private readonly gpu: number;
  private readonly block: number;
  private readonly acts: Act[];

  constructor(layout: CellLayout, counters: SynchronisationCounters, gpu: number, block: number, acts: Act[]) {
    this.layout = layout;
    this.counters = counters;
    this.gpu = gpu;
    this.block = block;
    this.acts = acts;
  }

  operation(operation: ExecutionOperation, piece: PipelinePiece): void {
    const { name, channels, semaphores, range, barrier } = operation;
    const { gpu, block, acts } = this;
    if (acts.length > mostActs) {
      throw new CccError('limit', `the blocks of the plan do more than ${mostActs} things at this size`, range);
    }
    const at = { gpu, block, range };
    switch (name) {
      case 'signal':
      case 'rlxsignal':
      case 'wait':
      case 'rlxwait': {
        const what = name.endsWith('wait') ? 'wait' : 'signal';
        for (const channel of channels) acts.push({ ...at, what, ...this.counterOf(operation, channel, what) });
        return;
      }
      case 'sem_acquire':
      case 'sem_release': {
        const what = name === 'sem_acquire' ? 'acquire' : 'release';
        for (const id of semaphores) acts.push({ ...at, what, counter: this.counters.semaphore(gpu, id) });
        return;
      }
      case 'barrier':
        if (barrier !== undefined && barrier.blocks > 1) acts.push({ ...at, what: 'barrier', id: barrier.id });
        return;
      default:
        this.data(operation, piece);
    }
  }

  private data(operation: ExecutionOperation, piece: PipelinePiece): void {
    const { name, sources, targets, channelType, channels, range } = operation;
    if (channelType === 'switch') {
      throw new CccError(
        'unsupported',
        `${name} over switch channels has no time here: what a switch adds up is no message`,
        range,
      );
    }
    const runner = { gpu: this.gpu, block: this.block };
    elementMovesOf(this.layout, runner, operation, piece).forEach((move, index) => {
      const [from, to] = [sources[index] ?? sources[0], targets[index] ?? targets[0]];
      this.move(move, range, this.sliceOf(from, channelType), this.sliceOf(to, channelType));
      if (name !== 'pws' && name !== 'pwsf') return;
      this.acts.push({ ...runner, range, what: 'signal', ...this.counterOf(operation, channels[index], 'signal') });
    });
  }

  /** Adds the actions of a data movement: those that receive, then those that work locally, then those that send. */
  private move({ sources, targets, count }: ElementMove, range: SourceRange, from: Slice, to: Slice): void {
    const { gpu, block, acts } = this;
    const at = { gpu, block, range };
    const remote = sources.filter((span) => span.gpu !== gpu);
    for (const { gpu: peer } of remote) acts.push({ ...at, what: 'ask', peer, count, to });
    for (const { gpu: peer } of remote) acts.push({ ...at, what: 'get', peer });
    for (const span of sources) if (span.waits) acts.push({ ...at, what: 'wait for packets', span, count, at: to });
    const isCombined = sources.length > 1;
    for (const _ of sources.slice(1)) acts.push({ ...at, what: 'reduce', count, from, to });
    const isLocal = sources.every((span) => span.gpu === gpu && !span.waits);
    for (const span of targets) {
      if (span.packets) acts.push({ ...at, what: 'packets', span, count, at: from });
      else if (span.gpu !== gpu) acts.push({ ...at, what: 'put', peer: span.gpu, count, from, to });
      else if (isLocal && !isCombined) acts.push({ ...at, what: 'copy', count, from, to });
    }
  }

  private counterOf({ channelType }: ExecutionOperation, channel: number, what: 'signal' | 'wait') {
    const type = channelType === 'port' ? 'port' : 'memory';
    const { channels, blocks } = this.layout.plan.gpus[this.gpu];
    const id = blocks[this.block].channels[type][channel];
    const counter = this.counters.channel(this.gpu, type, id, what === 'signal' ? 'to' : 'from');
    return { counter, peer: channels[type][id] };
  }

  /** The chunks of an operand as a slice of cells, for display. */
  private sliceOf({ place, index, size }: ChunkReference, channelType: ExecutionOperation['channelType']): Slice {
    const { plan, scale } = this.layout;
    const { blocks, remoteBuffers } = plan.gpus[this.gpu];
    const cells = scale.chunk / scale.cell;
    const at = { offset: index * cells, count: size * cells };
    if (place.kind === 'local') return { buffer: place.buffer, ...at };
    const ofBlock = blocks[this.block].remoteBuffers[channelType === 'port' ? 'port' : 'memory'];
    return { buffer: remoteBuffers[ofBlock[place.id]].buffer, ...at };
  }
}
