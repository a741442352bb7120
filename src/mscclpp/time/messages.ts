/** Converts the actions of blocks to sends and receives: matches signals with waits, and orders operations within a gpu. */
import type { Counter } from '../check/index.ts';
import type { Act } from './acts.ts';
import { type BlockPosition, byPlace, type Draft, draft, entryOf, laneName, nothing, receive } from './drafts.ts';
import { PacketMessages } from './packets.ts';
import { runOrderOfActs } from './run-order.ts';

/** A lane: its operations in order, and its gpu. */
export interface GpuLane {
  readonly gpu: number;
  readonly drafts: readonly Draft[];
}

/** A signal and the messages whose arrival it announces. */
interface Signal {
  readonly place: BlockPosition;
  readonly messages: readonly Draft[];
}

/** The lanes of all gpus: one for each block, and further ones for memory that other gpus read, or write without a signal. */
export function blockLanesOf(acts: readonly Act[]): readonly GpuLane[] {
  const drafting = new Drafting();
  const places = runOrderOfActs(acts);
  acts.forEach((act, index) => {
    drafting.add(act, places[index]);
  });
  return drafting.lanes();
}

class Drafting {
  private readonly blocks = new Map<string, BlockPosition[]>();
  private readonly memory: GpuLane[] = [];
  /** By block and peer: the memory that answers the block's reads, in the order of the requests. */
  private readonly answering = new Map<string, BlockPosition>();
  /** By block and peer: puts that no signal of the block has announced yet. */
  private readonly untold = new Map<string, { readonly peer: number; readonly puts: Draft[] }>();
  private readonly channels = new Map<Counter, { readonly signals: Signal[]; readonly waits: BlockPosition[] }>();
  private readonly semaphores = new Map<
    Counter,
    { readonly releases: BlockPosition[]; readonly acquires: BlockPosition[] }
  >();
  /** By barrier and round: the positions that meet there. The number of rounds of each block is counted as well. */
  private readonly meetings = new Map<string, BlockPosition[]>();
  private readonly rounds = new Map<string, number>();
  /** By block and peer: answers that the block has requested and not received yet. */
  private readonly answers = new Map<string, Draft[]>();
  private readonly packets = new PacketMessages();

  /** Adds an action. @param position its position in a run of all blocks */
  add(act: Act, position: number): void {
    const place = this.place(act, position);
    switch (act.what) {
      case 'copy':
      case 'reduce':
        draft(place, act.what, { ...act.to, count: act.count });
        return;
      case 'put':
        this.putsTo(place, act.peer).push(draft(place, 'send', { ...act.from, count: act.count }));
        return;
      case 'signal': {
        const told = this.putsTo(place, act.peer).splice(0);
        const messages = told.length > 0 ? told : [draft(place, 'send', nothing)];
        this.channel(act.counter).signals.push({ place, messages });
        return;
      }
      case 'wait':
        this.channel(act.counter).waits.push(place);
        return;
      case 'ask':
        this.ask(place, act.peer, { ...act.to, count: act.count });
        return;
      case 'get': {
        const answer = this.answers.get(`${laneName(place)} ${act.peer}`)?.shift();
        if (answer !== undefined) receive(place, answer, answer.slice, `answers ${laneName(place)} ${act.peer}`);
        return;
      }
      case 'release':
        draft(place, 'copy', nothing);
        this.semaphore(act.counter).releases.push(place);
        return;
      case 'acquire':
        draft(place, 'copy', nothing);
        this.semaphore(act.counter).acquires.push(place);
        return;
      case 'barrier':
        this.meet(place, act.id);
        return;
      case 'packets':
        this.packets.write(place, act.span, act.count, act.at);
        return;
      case 'wait for packets':
        this.packets.read(place, act.span, act.count, act.at);
    }
  }

  lanes(): readonly GpuLane[] {
    this.matchSignals();
    this.matchSemaphores();
    this.packets.match((sent, gpu) => this.leave(sent, gpu));
    for (const { peer, puts } of this.untold.values()) for (const put of puts) this.leave(put, peer);
    for (const places of this.meetings.values()) {
      for (const { drafts } of places) drafts[1].after.push(...places.map((other) => other.drafts[0]));
    }
    const ofBlocks = [...this.blocks.values()].map((places): GpuLane => {
      return { gpu: places[0].gpu, drafts: places.flatMap(({ drafts }) => drafts) };
    });
    return [...ofBlocks, ...this.memory];
  }

  private place({ gpu, block, range }: Act, position: number): BlockPosition {
    const places = entryOf(this.blocks, `${gpu}.${block}`, () => []);
    const place: BlockPosition = { gpu, block, range, position, drafts: [] };
    places.push(place);
    return place;
  }

  private putsTo(place: BlockPosition, peer: number): Draft[] {
    return entryOf(this.untold, `${laneName(place)} ${peer}`, () => ({ peer, puts: [] })).puts;
  }

  private channel(counter: Counter) {
    return entryOf(this.channels, counter, () => ({ signals: [], waits: [] }));
  }

  private semaphore(counter: Counter) {
    return entryOf(this.semaphores, counter, () => ({ releases: [], acquires: [] }));
  }

  /** Adds a request without bytes, and the answer of the peer's memory. */
  private ask(place: BlockPosition, peer: number, slice: Draft['slice']): void {
    const lane = laneName(place);
    const asked = draft(place, 'send', nothing);
    const memory = entryOf(this.answering, `${lane} ${peer}`, () => this.memoryOf(peer, place));
    receive(memory, asked, nothing, `questions ${lane} ${peer}`);
    entryOf(this.answers, `${lane} ${peer}`, () => []).push(draft(memory, 'send', slice));
  }

  /** Adds the receive of a message that is not announced to any block, in a lane of its own. */
  private leave(sent: Draft, gpu: number): void {
    receive(
      this.memoryOf(gpu, { ...sent, block: -1 }),
      sent,
      { ...sent.slice, count: 0 },
      `left ${this.memory.length}`,
    );
  }

  private memoryOf(gpu: number, { range }: Pick<BlockPosition, 'range' | 'block'>): BlockPosition {
    const place: BlockPosition = { gpu, block: -1 - this.memory.length, range, position: 0, drafts: [] };
    this.memory.push(place);
    return place;
  }

  private meet(place: BlockPosition, id: number): void {
    const own = `${laneName(place)} ${id}`;
    const round = this.rounds.get(own) ?? 0;
    this.rounds.set(own, round + 1);
    draft(place, 'copy', nothing);
    draft(place, 'copy', nothing);
    entryOf(this.meetings, `${place.gpu} ${id} ${round}`, () => []).push(place);
  }

  /** Matches the k-th wait with the k-th signal: the wait receives the messages that the signal announces, whose bytes are in place already. */
  private matchSignals(): void {
    for (const { signals, waits } of this.channels.values()) {
      signals.sort((a, b) => byPlace(a.place, b.place));
      waits.sort(byPlace).forEach((place, index) => {
        const { place: from, messages } = signals[index];
        for (const message of messages) {
          const slice = { ...message.slice, count: 0 };
          receive(place, message, slice, `signals ${laneName(from)} ${laneName(place)}`);
        }
      });
    }
  }

  private matchSemaphores(): void {
    for (const [{ initial }, { releases, acquires }] of this.semaphores) {
      releases.sort(byPlace);
      acquires.sort(byPlace).forEach((place, index) => {
        if (index >= initial) place.drafts[0].after.push(releases[index - initial].drafts[0]);
      });
    }
  }
}
