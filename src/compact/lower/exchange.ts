/**
 * Lowers the routes of an alltoall's items to rank 0's program. Items that depart over a generator in a stage wait at
 * its *front*, ordered by the number of hops left, the largest first. The items of a received message that go on are
 * then a prefix of it, which is sent as it lies; the rest have completed their stage and are copied to the front of
 * their next stage, or to the output.
 */
import type { CompactPlan, Generator, StagedRoutes } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import type { CompactLowering } from './layered.ts';
import { MessageBuffers, type ReceivedMessage } from './message-buffers.ts';
import { type CodedChunk, inInput, inOutput, inScratch } from './program.ts';

/** The items that depart over a generator in a stage. */
interface Front {
  /** Items, those with the most hops first. */
  readonly items: Int32Array;
  /** `going[s]`: how many of them take more than s links; ends with 0. */
  readonly going: readonly number[];
  /** Where they wait in scratch; −1 if they are one slice of the input and are sent from there. */
  readonly at: number;
  /** By receiving lane: the first and the last operation that delivered an item to this front. */
  readonly brought: Map<number, { readonly first: number; last: number }>;
}

/** Lowers an alltoall whose C is a multiple of the parts. */
export function lowerExchange(stagedRoutes: StagedRoutes, lowering: CompactLowering): CompactPlan {
  return new Exchange(stagedRoutes, lowering).run();
}

class Exchange {
  private readonly stagedRoutes: StagedRoutes;
  private readonly lowering: CompactLowering;
  private readonly group: TranslationGroup;
  private readonly generators: readonly Generator[];
  /** Chunks per item. */
  private readonly size: number;
  private readonly messages: MessageBuffers;
  /** By stage and generator. */
  private readonly fronts: readonly (readonly Front[])[];
  /** By stage: the position of each item in its front, in items. */
  private readonly position: readonly Int32Array[];
  private readonly scratch: number;
  private readonly lastReads: number[] = [];
  private readonly guarded = new Set<number>();

  constructor(stagedRoutes: StagedRoutes, lowering: CompactLowering) {
    const { group, generators, collective } = lowering;
    this.stagedRoutes = stagedRoutes;
    this.lowering = lowering;
    this.group = group;
    this.generators = generators;
    this.size = collective.chunks / stagedRoutes.parts;
    this.position = stagedRoutes.stages.map(({ hops }) => new Int32Array(hops.length));
    let scratch = 0;
    this.fronts = stagedRoutes.stages.map((_, stage) =>
      generators.map((_g, g) => {
        const { items, going } = this.itemsOf(stage, g);
        const at = this.isSentFromInput(stage, items) ? -1 : scratch;
        if (at >= 0) scratch += items.length * this.size;
        return { items, going, at, brought: new Map() };
      }),
    );
    const largest = generators.map((_, g) => {
      const landed = this.fronts.reduce((most, fronts) => Math.max(most, fronts[g].items.length), 0) * this.size;
      return { packed: 0, landed };
    });
    this.messages = new MessageBuffers(group, generators, largest, scratch);
    this.scratch = this.messages.scratch;
  }

  run(): CompactPlan {
    const { messages, lowering, stagedRoutes, generators } = this;
    const { name, collective, group, bulks } = lowering;
    const { program } = messages;
    if (!collective.inPlace) program.copy(messages.ownLane, 0, inInput(0), inOutput(0), collective.chunks);
    for (let g = 0; g < generators.length; g++) this.setOut(g);
    let step = 0;
    stagedRoutes.stages.forEach((_, stage) => {
      const steps = this.fronts[stage].reduce((most, { going }) => Math.max(most, going.length - 1), 0);
      let arrivals: readonly (ReceivedMessage | undefined)[] = [];
      for (let s = 0; s < steps; s++) {
        step++;
        for (let g = 0; g < generators.length; g++) this.send(stage, s, g, step, arrivals[g]);
        arrivals = generators.map((_g, g) => this.receive(stage, s, g, step));
      }
    });
    if (bulks > 1) messages.separateBulks();
    const slots = group.order * collective.chunks;
    const buffers = { input: slots, output: slots, scratch: this.scratch };
    return program.build({ name, collective, shape: group.shape, sharded: false, bulks, buffers });
  }

  /** Sorted by hops, most first; stable for equal hops. */
  private itemsOf(stage: number, g: number): Pick<Front, 'items' | 'going'> {
    const { generator, hops } = this.stagedRoutes.stages[stage];
    const going: number[] = [];
    for (let item = 0; item < hops.length; item++) {
      if (generator[item] !== g) continue;
      while (going.length < hops[item]) going.push(0);
      going[hops[item] - 1]++;
    }
    for (let s = going.length - 2; s >= 0; s--) going[s] += going[s + 1];
    going.push(0);
    const next = going.slice(1);
    const items = new Int32Array(going[0]);
    for (let item = 0; item < hops.length; item++) {
      if (generator[item] !== g) continue;
      const at = next[hops[item] - 1]++;
      items[at] = item;
      this.position[stage][item] = at;
    }
    return { items, going };
  }

  /** The next stage in which an item moves, from a given stage on; the number of stages if none. */
  private nextStage(item: number, from: number): number {
    const { stages } = this.stagedRoutes;
    let stage = from;
    while (stage < stages.length && stages[stage].generator[item] < 0) stage++;
    return stage;
  }

  private isSentFromInput(stage: number, items: Int32Array): boolean {
    // In place, the input is overwritten from the first stage on.
    if (this.lowering.collective.inPlace && stage > 0) return false;
    return items.length === 1 && this.nextStage(items[0], 0) === stage;
  }

  /** Copies the rank's own items to the fronts of a generator, where they start. */
  private setOut(g: number): void {
    const { messages, size } = this;
    const lane = messages.sendLanes[g];
    let last = -1;
    for (const [stage, fronts] of this.fronts.entries()) {
      const { items, at } = fronts[g];
      for (let i = 0; i < items.length && at >= 0; ) {
        const isOwn = (k: number): boolean => this.nextStage(items[k], 0) === stage;
        let next = i + 1;
        if (isOwn(i)) {
          while (next < items.length && isOwn(next) && this.areNeighbours(items[next - 1], items[next])) next++;
          const [from, to] = [inInput(items[i] * size), inScratch(at + i * size)];
          last = messages.program.copy(lane, 0, from, to, (next - i) * size);
        }
        i = next;
      }
    }
    if (last >= 0) this.lastReads.push(last);
  }

  /** Whether two items are adjacent parts of one shard. */
  private areNeighbours(item: number, next: number): boolean {
    const { parts } = this.stagedRoutes;
    return next === item + 1 && Math.floor(item / parts) === Math.floor(next / parts);
  }

  private send(stage: number, s: number, g: number, step: number, arrival: ReceivedMessage | undefined): void {
    const { messages, size } = this;
    const { program } = messages;
    const { items, going, at, brought } = this.fronts[stage][g];
    const count = (going[s] ?? 0) * size;
    if (count === 0) return;
    const lane = messages.sendLanes[g];
    const peer = this.generators[g].offset;
    if (s > 0) {
      if (arrival === undefined) throw new Error('an item goes on that has not come');
      const operation = program.send(lane, step, peer, inScratch(arrival.offset), count);
      program.wait(operation, arrival.operation);
      messages.noteReader(arrival, lane, operation);
      return;
    }
    if (at < 0) {
      this.lastReads.push(program.send(lane, step, peer, inInput(items[0] * size), count));
      return;
    }
    const operation = program.send(lane, step, peer, inScratch(at), count);
    for (const { first, last } of brought.values()) {
      program.wait(operation, last);
      if (this.lowering.bulks > 1) program.wait(first, operation, 1);
    }
  }

  private receive(stage: number, s: number, g: number, step: number): ReceivedMessage | undefined {
    const { messages, size } = this;
    const { items, going } = this.fronts[stage][g];
    const count = going[s] ?? 0;
    if (count === 0) return undefined;
    const staying = going[s + 1];
    const { stages } = this.stagedRoutes;
    const lane = messages.receiveLanes[g];
    const isLast = (item: number): boolean => this.nextStage(item, stage + 1) === stages.length;
    if (count === 1 && staying === 0 && isLast(items[0]) && !this.lowering.collective.inPlace) {
      const source = this.group.negate(this.generators[g].offset);
      messages.program.receive(lane, step, source, inOutput(this.outputSlot(items[0])), size);
      return undefined;
    }
    const arrival = messages.land(g, step, count * size);
    for (let i = staying; i < count; ) {
      let next = i + 1;
      if (isLast(items[i])) {
        while (next < count && isLast(items[next]) && this.areNeighbours(items[next - 1], items[next])) next++;
        this.deliver(lane, step, inScratch(arrival.offset + i * size), (next - i) * size, items[i]);
      } else {
        const to = this.nextStage(items[i], stage + 1);
        const onward = stages[to].generator[items[i]];
        const follows = (k: number): boolean =>
          this.nextStage(items[k], stage + 1) === to &&
          stages[to].generator[items[k]] === onward &&
          this.position[to][items[k]] === this.position[to][items[i]] + k - i;
        while (next < count && follows(next)) next++;
        const front = this.fronts[to][onward];
        const [from, at] = [inScratch(arrival.offset + i * size), front.at + this.position[to][items[i]] * size];
        noteBrought(front, lane, messages.program.copy(lane, step, from, inScratch(at), (next - i) * size));
      }
      i = next;
    }
    return arrival;
  }

  /** The item that has arrived at rank 0 from a sender for offset v belongs to rank ⊖v. */
  private outputSlot(item: number): number {
    const { parts } = this.stagedRoutes;
    const shard = Math.floor(item / parts);
    return (this.group.negate(shard) * parts + (item - shard * parts)) * this.size;
  }

  /** Copies received items, consecutive parts of one shard from `item` on, to their place in the output. */
  private deliver(lane: number, step: number, from: CodedChunk, count: number, item: number): void {
    const { program } = this.messages;
    const copy = program.copy(lane, step, from, inOutput(this.outputSlot(item)), count);
    if (!this.lowering.collective.inPlace || this.guarded.has(lane)) return;
    // In place the output is the input, so all of it must have been sent before.
    this.guarded.add(lane);
    for (const read of this.lastReads) program.wait(copy, read);
  }
}

function noteBrought({ brought }: Front, lane: number, copy: number): void {
  const known = brought.get(lane);
  if (known === undefined) brought.set(lane, { first: copy, last: copy });
  else known.last = copy;
}
