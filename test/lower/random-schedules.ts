/** Random schedules without races: any transfers, except that a slot is written once a step or by reductions only. */
import fc from 'fast-check';
import {
  type Collective,
  type CollectiveKind,
  collectiveFacts,
  combinesInRankOrder,
  inputChunks,
} from '../../src/ir/collective.ts';
import { dataWindow, type Schedule, StepsBuilder, type Transfer } from '../../src/ir/schedule.ts';
import { collectiveOf, dataKinds } from '../collectives.ts';

const scratch = 3;

/** What random schedules may be made of. */
export interface Ingredients {
  readonly kinds: readonly CollectiveKind[];
  /** Transfers may read `input` by name. */
  readonly namesInput: boolean;
}

const everything: Ingredients = { kinds: dataKinds, namesInput: true };

function collectives(kinds: readonly CollectiveKind[]): fc.Arbitrary<Collective> {
  return fc
    .record({
      kind: fc.constantFrom(...kinds),
      ranks: fc.integer({ min: 1, max: 4 }),
      chunks: fc.integer({ min: 1, max: 3 }),
      root: fc.nat(),
      inPlace: fc.boolean(),
    })
    .map(({ kind, ranks, chunks, root, inPlace }) => {
      const rooted = collectiveFacts[kind].rooted;
      const plain = collectiveOf(kind, ranks, { chunks, root: rooted ? root % ranks : 0, op: 'sum' as const, inPlace });
      return { ...plain, ordered: combinesInRankOrder(plain) };
    });
}

/** Numbers from which one transfer is made once the collective is known. */
const seeds = fc.record({
  reduces: fc.boolean(),
  source: fc.nat(),
  destination: fc.nat(),
  local: fc.boolean(),
  channel: fc.integer({ min: 0, max: 1 }),
  receivedFirst: fc.boolean(),
  pieces: fc.array(
    fc.record({ from: fc.nat(11), fromOffset: fc.nat(), to: fc.nat(11), toOffset: fc.nat(), count: fc.nat() }),
    { minLength: 1, maxLength: 3 },
  ),
});
type Seed = typeof seeds extends fc.Arbitrary<infer T> ? T : never;

function transferOf(seed: Seed, collective: Collective, namesInput: boolean): Transfer {
  const { ranks } = collective;
  const source = seed.source % ranks;
  const destination = seed.local ? source : seed.destination % ranks;
  const pieces = seed.pieces.map((piece) => {
    const inputs = inputChunks(collective, source);
    const from = namesInput && piece.from < 2 && inputs > 0 ? 'input' : piece.from < 5 ? 'scratch' : 'data';
    const to = piece.to < 3 ? 'scratch' : 'data';
    const size = { data: dataWindow(collective, 0).size, input: inputs, scratch, output: 0 };
    const count = 1 + (piece.count % Math.min(size[from], size[to]));
    return {
      from,
      fromOffset: piece.fromOffset % (size[from] - count + 1),
      to,
      toOffset: piece.toOffset % (size[to] - count + 1),
      count,
    } as const;
  });
  return {
    kind: seed.reduces ? 'reduce' : 'copy',
    source,
    destination,
    channel: seed.channel,
    order: seed.receivedFirst ? 'received-first' : 'held-first',
    pieces,
    origin: undefined,
  };
}

/** Adds a transfer to what a step writes, unless that makes a race. */
function fits(transfer: Transfer, written: Map<string, 'copy' | 'reduce'>): boolean {
  const slots: string[] = [];
  for (const { to, toOffset, count } of transfer.pieces) {
    for (let chunk = 0; chunk < count; chunk++) slots.push(`${transfer.destination} ${to} ${toOffset + chunk}`);
  }
  if (transfer.kind === 'copy' && new Set(slots).size < slots.length) return false;
  const races = (slot: string): boolean => {
    const before = written.get(slot);
    return before !== undefined && (before === 'copy' || transfer.kind === 'copy');
  };
  if (slots.some(races)) return false;
  for (const slot of slots) written.set(slot, transfer.kind);
  return true;
}

/** Schedules of a few ranks and steps, with several messages per connection, local operations and all kinds of overlap. */
export function schedules({ kinds, namesInput }: Ingredients = everything): fc.Arbitrary<Schedule> {
  return fc
    .tuple(
      collectives(kinds),
      fc.array(fc.array(seeds, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 }),
    )
    .map(([collective, steps]) => {
      const builder = new StepsBuilder();
      for (const step of steps) {
        const written = new Map<string, 'copy' | 'reduce'>();
        for (const seed of step) {
          const transfer = transferOf(seed, collective, namesInput);
          if (fits(transfer, written)) builder.add(transfer);
        }
        builder.endStep();
      }
      return { name: 'random', collective, scratch, commutative: true, ring: false, steps: builder.build() };
    });
}

/** A schedule as text, for counterexamples. */
export function describeSchedule({ collective, steps }: Schedule): string {
  const lines = [JSON.stringify(collective)];
  for (let step = 0; step < steps.stepCount; step++) {
    lines.push(`step ${step + 1}`);
    for (const { kind, source, destination, channel, order, pieces } of steps.inStep(step)) {
      const parts = pieces.map((p) => `${p.from} ${p.fromOffset} +${p.count} → ${p.to} ${p.toOffset}`);
      lines.push(`  ${kind} ${source} → ${destination} #${channel} ${order}: ${parts.join(', ')}`);
    }
  }
  return lines.join('\n');
}
