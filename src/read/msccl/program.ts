/**
 * Translates the steps of one GPU to operations of a plan. Fused steps become several operations: what arrives is received into scratch of its
 * own, reduced there, and forwarded from there.
 */
import { type Collective, inputChunks, memoryLayout, outputChunks } from '../../ir/collective.ts';
import type { NewOperation, PlanBuilder, ProgramBuffers, Slice } from '../../ir/plan.ts';
import type { Finding } from '../../ir/verification.ts';
import type { MscclGpu, MscclStep, MscclThreadBlock } from './algorithm.ts';
import { flaw, stepName } from './flaws.ts';

/** An operation whose step and place in the file are not filled in yet. */
type UnplacedOperation = NewOperation extends infer Each
  ? Each extends NewOperation
    ? Omit<Each, 'step' | 'origin'>
    : never
  : never;

/** The first and last operation of a step, as handles of the builder. */
interface Span {
  readonly first: number;
  readonly last: number;
}

export class MscclProgram {
  readonly buffers: ProgramBuffers;
  readonly flaws: Finding[] = [];
  readonly notes: string[] = [];
  private readonly gpu: MscclGpu;
  private readonly builder: PlanBuilder;
  private readonly layout: ReturnType<typeof memoryLayout>;
  private readonly spans = new Map<MscclStep, Span>();
  /** The chunks of scratch that the file's own steps use. */
  private readonly ownScratch: number;
  /** The chunks of scratch behind these, into which fused steps receive. */
  private arrivals = 0;

  constructor(gpu: MscclGpu, collective: Collective, builder: PlanBuilder) {
    this.gpu = gpu;
    this.builder = builder;
    this.layout = memoryLayout(collective, gpu.id);
    this.ownScratch = this.measureScratch();
    for (const block of gpu.blocks.values()) this.addBlock(block);
    const [input, output] = [inputChunks(collective, gpu.id), outputChunks(collective, gpu.id)];
    this.buffers = { input, output, scratch: this.ownScratch + this.arrivals };
  }

  /** Makes a step wait for another one that has operations. */
  wait(step: MscclStep, earlier: MscclStep): void {
    const waiting = this.spans.get(step);
    const awaited = this.spans.get(earlier);
    if (waiting !== undefined && awaited !== undefined) this.builder.wait(waiting.first, awaited.last);
  }

  /** Checks accesses beyond the end of scratch, which read undefined data or overwrite other memory. */
  private measureScratch(): number {
    const declared = this.gpu.declared.scratch;
    let used = declared;
    for (const { steps } of this.gpu.blocks.values()) {
      for (const step of steps) {
        const [read, written] = [scratchEnd(step.source), scratchEnd(step.target)];
        if (written > declared) {
          const message = `${stepName(step)} writes scratch[${written - 1}]; gpu ${step.rank} has s_chunks="${declared}".`;
          this.flaws.push(flaw('malformed', step, message));
        } else if (read > used) {
          this.notes.push(`${stepName(step)} reads scratch[${read - 1}]; gpu ${step.rank} has s_chunks="${declared}"`);
        }
        used = Math.max(used, read, written);
      }
    }
    return used;
  }

  private addBlock(block: MscclThreadBlock): void {
    const lane = this.builder.openLane(this.gpu.id, block.id);
    let arriving = 0;
    for (const step of block.steps) {
      const operations = this.operationsOf(step, block);
      if (operations.length === 0) continue;
      const handles = operations.map((operation) =>
        this.builder.add(lane, { ...operation, step: step.index, origin: step.element.range }),
      );
      const last = handles[handles.length - 1];
      this.spans.set(step, { first: handles[0], last });
      // The runtime receives a message only when there is room to forward it.
      if (operations.length > 1 && operations[operations.length - 1].kind === 'send')
        this.builder.relay(handles[0], last);
      if (this.needsArrival(step)) arriving = Math.max(arriving, (step.source ?? step.target)?.count ?? 0);
    }
    // A thread block processes one message at a time.
    this.arrivals += arriving;
  }

  private operationsOf(step: MscclStep, block: MscclThreadBlock): readonly UnplacedOperation[] {
    const { source, target } = step;
    const connection = (peer: number) => ({ peer, channel: block.channel });
    const receive = (dst: Slice) => ({ kind: 'recv', ...connection(block.receive), dst }) as const;
    const send = (src: Slice) => ({ kind: 'send', ...connection(block.send), src }) as const;
    if (target === undefined) {
      if (source === undefined) return [];
      if (step.type === 's') return [send(source)];
      const arrival = this.arrival(source.count);
      return [receive(arrival), { kind: 'reduce', src: source, dst: arrival }, send(arrival)];
    }
    if (source === undefined) return step.type === 'r' ? [receive(target)] : [receive(target), send(target)];
    if (step.type === 'cpy' || step.type === 're') return this.localOperations(step.type, source, target);
    const arrival = this.arrival(source.count);
    const reduced: readonly UnplacedOperation[] = this.needsArrival(step)
      ? [receive(arrival), { kind: 'reduce', src: source, dst: arrival }, { kind: 'copy', src: arrival, dst: target }]
      : [{ kind: 'recvReduce', ...connection(block.receive), dst: target }];
    return step.type === 'rrc' ? reduced : [...reduced, send(target)];
  }

  /**
   * A step whose source and destination are the same place still loads and stores, so that a write between the two is lost. Plans have no such
   * operation: it becomes a copy to scratch and a copy back.
   */
  private localOperations(type: 'cpy' | 're', source: Slice, target: Slice): readonly UnplacedOperation[] {
    const kind = type === 'cpy' ? 'copy' : 'reduce';
    if (!this.sameMemory(source, target)) return [{ kind, src: source, dst: target }];
    const loaded = this.arrival(source.count);
    return [
      { kind: 'copy', src: source, dst: loaded },
      { kind, src: loaded, dst: target },
    ];
  }

  /**
   * Whether a step needs extra scratch: a fused step whose message is reduced with data that must stay unchanged, or a local step whose source and
   * target are the same memory.
   */
  private needsArrival({ type, source, target }: MscclStep): boolean {
    if (type === 'rrs') return true;
    if (source === undefined || target === undefined) return false;
    return type === 'cpy' || type === 're' ? this.sameMemory(source, target) : !this.sameMemory(source, target);
  }

  private arrival(count: number): Slice {
    return { buffer: 'scratch', offset: this.ownScratch + this.arrivals, count };
  }

  /** Resolves a buffer: in place, input and output are the same memory. */
  private sameMemory(a: Slice, b: Slice): boolean {
    const { input, output, cells } = this.layout;
    const cellOf = ({ buffer, offset }: Slice): number => ({ input, output, scratch: cells })[buffer] + offset;
    return cellOf(a) === cellOf(b);
  }
}

function scratchEnd(slice: Slice | undefined): number {
  return slice?.buffer === 'scratch' ? slice.offset + slice.count : 0;
}
