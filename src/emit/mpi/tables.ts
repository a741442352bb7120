/** A plan as C tables: ranks, lanes, operations, waits. Rows of operations have a comment for readers. */
import {
  chunksPerShard,
  collectiveFacts,
  combinesInRankOrder,
  isIdempotent,
  memoryLayout,
} from '../../ir/collective.ts';
import { OperationCode, type Plan } from '../../ir/plan.ts';
import { type Bytes, cacheLine } from '../../ir/units.ts';
import { keepsLengths } from './shards.ts';

const kindNames = ['CCC_COPY', 'CCC_REDUCE', 'CCC_SEND', 'CCC_RECV', 'CCC_RECV_REDUCE'];
const bufferNames = ['CCC_INPUT', 'CCC_OUTPUT', 'CCC_SCRATCH'];

/** The lanes and operations in the order of the tables, and the position of each operation. */
interface Numbering {
  readonly lanes: readonly (readonly number[])[];
  readonly place: Int32Array;
  readonly operations: number;
}

/** Orders the lanes: those that begin with a receive come first, so that receives are posted before sends. Empty lanes are left out. */
function number(plan: Plan): Numbering {
  const { firstLane, firstOp, ops } = plan;
  const isReceive = (lane: number): boolean => ops.kind[firstOp[lane]] >= OperationCode.recv;
  const place = new Int32Array(ops.kind.length);
  let operations = 0;
  const lanes = plan.buffers.map((_, rank) => {
    const all: number[] = [];
    for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++)
      if (firstOp[lane] < firstOp[lane + 1]) all.push(lane);
    const ordered = [...all.filter(isReceive), ...all.filter((lane) => !isReceive(lane))];
    for (const lane of ordered) for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) place[o] = operations++;
    return ordered;
  });
  return { lanes, place, operations };
}

/** A plan with the facts that its tables need. */
export interface TabledPlan {
  readonly plan: Plan;
  /** The minimum message size, in bytes, for which the plan is used; its range ends where that of the next plan begins. */
  readonly from: Bytes;
  /** The sends that copy their message to the outbox and complete at once. */
  readonly leaving: ReadonlySet<number>;
  /** The unit of message addresses and lengths on the machine, in bytes. */
  readonly alignment: Bytes;
}

/** The constants and tables of plans for one collective, in ascending order of sizes. */
export function* planTables(plans: readonly TabledPlan[]): Iterable<string> {
  const numbered = plans.map((tabled) => ({ ...tabled, numbering: number(tabled.plan) }));
  yield* constants(numbered);
  yield declarations;
  for (const [index, { plan, numbering, leaving }] of numbered.entries()) {
    if (plans.length > 1) yield `/* ---- ${cText(plan.name)} ---- */\n\n`;
    yield* programs(plan, numbering, index);
    yield* laneTables(plan, numbering, leaving, index);
    yield* operations(plan, numbering, leaving, index);
  }
  yield* planRows(numbered);
}

type NumberedPlan = TabledPlan & { readonly numbering: Numbering };

/** Constants that all plans have in common, and the maximum of what the plans need. */
function* constants(plans: readonly NumberedPlan[]): Iterable<string> {
  const [first] = plans;
  const { collective } = first.plan;
  const operationsOf = ({ plan: { firstOp }, numbering: { lanes } }: NumberedPlan, rank: number): number =>
    lanes[rank].reduce((sum, lane) => sum + firstOp[lane + 1] - firstOp[lane], 0);
  const ofAll = (valuesOf: (plan: NumberedPlan) => Iterable<number>): number =>
    plans.reduce((largest, plan) => most(valuesOf(plan), largest), 0);
  const values: Readonly<Record<string, number>> = {
    CCC_RANKS: collective.ranks,
    CCC_PLANS: plans.length,
    CCC_SHARDS: collectiveFacts[collective.kind].sharded ? collective.ranks : 1,
    CCC_SIZED: collective.counts === undefined ? 0 : 1,
    CCC_EIGHTS: (collective.counts ?? []).every((bytes) => bytes % 8 === 0) ? 1 : 0,
    CCC_ROOT: collective.root,
    CCC_IN_PLACE: collective.inPlace ? 1 : 0,
    CCC_KEEPS_ORDER: combinesInRankOrder(collective) ? 1 : 0,
    CCC_COUNTS_TWICE: isIdempotent(collective.op) ? 1 : 0,
    CCC_MOST_LANES: ofAll(({ numbering }) => [1, ...numbering.lanes.map((of) => of.length)]),
    CCC_MOST_OPERATIONS: ofAll((plan) => [1, ...plan.numbering.lanes.map((_, rank) => operationsOf(plan, rank))]),
    CCC_MOST_PARTS: ofAll(({ plan }) => [chunksPerShard(plan.collective) * plan.bulks]),
    CCC_UNIT: first.alignment,
    CCC_LINE: Math.max(cacheLine, first.alignment),
    CCC_OWN_TAG: 1 + ofAll(({ plan }) => plan.ops.channel),
  };
  yield 'enum {\n';
  for (const [name, value] of Object.entries(values)) yield `  ${name} = ${value},\n`;
  yield '};\n';
}

function most(values: Iterable<number>, least = 1): number {
  let largest = least;
  for (const value of values) largest = Math.max(largest, value);
  return largest;
}

/** A row for each plan: its name, its sizes, and the positions of its tables. */
function* planRows(plans: readonly NumberedPlan[]): Iterable<string> {
  yield 'static const struct ccc_plan ccc_plans[CCC_PLANS] = {\n';
  for (const [index, { plan, from, leaving, alignment }] of plans.entries()) {
    const { ops } = plan;
    const numbers = [
      chunksPerShard(plan.collective),
      plan.bulks,
      plan.scratchPerBulk,
      Math.max(most(ops.srcCount), most(ops.dstCount)),
      leaving.size > 0 ? 2 : 1,
      // All shards begin at units of messages only if their lengths are multiples of units, as padded lengths are.
      alignment === 1 && keepsLengths(plan) ? 1 : 0,
    ];
    const tables = ['programs', 'lanes', 'first_operation', 'operations', 'waits'].map(
      (name) => `ccc_${name}_${index}`,
    );
    yield `  { "${cText(plan.name)}", ${Math.ceil(from)}u, ${[...numbers, ...tables].join(', ')} },\n`;
  }
  yield '};\n\n';
}

/** A name as text for C strings and comments. */
function cText(name: string): string {
  return name.replaceAll(/[^\w .,:()+=-]/g, '_');
}

const declarations = `
enum ccc_kind { CCC_COPY, CCC_REDUCE, CCC_SEND, CCC_RECV, CCC_RECV_REDUCE };
enum ccc_buffer { CCC_INPUT, CCC_OUTPUT, CCC_SCRATCH };

/* A rank: chunks of its buffers, and where input and output lie in the memory that they share in place. */
struct ccc_program {
  int first_lane;
  int input, output, scratch;
  int shared, input_at, output_at;
  int writes_input; /* something is written to the memory of the input */
};

/* Chunks of a lane's largest message: of those that are combined on arrival, of all, and of those left in the outbox. */
struct ccc_lane {
  int combined, largest, outbox;
};

/* kind; peer and channel; source and first chunk; target and first chunk; chunks; source (+) target; a send that leaves a
   copy in the outbox and goes on; first of its waits */
struct ccc_operation {
  int kind, peer, channel, source, source_at, target, target_at, count, source_first, goes_on, first_wait;
};

/* Operation to wait for, of the bulk that many earlier. */
struct ccc_wait {
  int operation, bulks;
};

/* One plan: the bytes of a message from which on it is used; chunks of a shard in each bulk, bulks, copies of scratch, chunks of the
   largest message, requests of a lane; whether chunks are as long as their shards make them, not all alike; its tables. */
struct ccc_plan {
  const char *name;
  size_t from;
  int chunks, bulks, scratch_copies, most_chunks, requests_per_lane, cuts;
  const struct ccc_program *programs;
  const struct ccc_lane *lanes;
  const int *first_operation;
  const struct ccc_operation *operations;
  const struct ccc_wait *waits;
};

`;

function* programs(plan: Plan, { lanes }: Numbering, index: number): Iterable<string> {
  const { collective } = plan;
  yield `static const struct ccc_program ccc_programs_${index}[CCC_RANKS + 1] = {\n`;
  let first = 0;
  for (let rank = 0; rank < collective.ranks; rank++) {
    const { input, output, scratch } = plan.buffers[rank];
    const shared = collective.inPlace && input > 0 && output > 0;
    const layout = memoryLayout(collective, rank);
    const places = shared ? [1, layout.input, layout.output] : [0, 0, 0];
    yield `  { ${[first, input, output, scratch, ...places, writesInput(plan, rank) ? 1 : 0].join(', ')} },\n`;
    first += lanes[rank].length;
  }
  yield `  { ${first}, 0, 0, 0, 0, 0, 0, 0 }\n};\n\n`;
}

/** Whether a rank writes to its input. In place, a write to the output may do so. */
function writesInput(plan: Plan, rank: number): boolean {
  const { ops, firstLane, firstOp, collective, buffers } = plan;
  const shared = collective.inPlace && buffers[rank].input > 0;
  for (let o = firstOp[firstLane[rank]]; o < firstOp[firstLane[rank + 1]]; o++) {
    if (ops.dstBuffer[o] === 0 || (shared && ops.dstBuffer[o] === 1)) return true;
  }
  return false;
}

function* laneTables(
  plan: Plan,
  { lanes, operations }: Numbering,
  leaving: ReadonlySet<number>,
  index: number,
): Iterable<string> {
  const { ops, firstOp } = plan;
  const ends: number[] = [];
  let end = 0;
  yield `static const struct ccc_lane ccc_lanes_${index}[] = {\n`;
  for (const lane of lanes.flat()) {
    let combined = 0;
    let largest = 0;
    let outbox = 0;
    for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
      const count = Math.max(ops.srcCount[o], ops.dstCount[o]);
      largest = Math.max(largest, count);
      if (ops.kind[o] === OperationCode.recvReduce) combined = Math.max(combined, count);
      if (leaving.has(o)) outbox = Math.max(outbox, count);
    }
    yield `  { ${combined}, ${largest}, ${outbox} },\n`;
    ends.push(end);
    end += firstOp[lane + 1] - firstOp[lane];
  }
  yield '  { 0, 0, 0 }\n};\n\n';
  yield `static const int ccc_first_operation_${index}[] = { ${[...ends, operations].join(', ')} };\n\n`;
}

function* operations(
  plan: Plan,
  { lanes, place }: Numbering,
  leaving: ReadonlySet<number>,
  index: number,
): Iterable<string> {
  const { ops, firstOp } = plan;
  const waits: string[] = [];
  yield `static const struct ccc_operation ccc_operations_${index}[] = {\n`;
  for (const [rank, own] of lanes.entries()) {
    for (const lane of own) {
      yield `  /* rank ${rank}, lane ${plan.laneId[lane]} */\n`;
      for (let o = firstOp[lane]; o < firstOp[lane + 1]; o++) {
        yield `  { ${[...operationFields(plan, o), leaving.has(o) ? 1 : 0].join(', ')}, ${waits.length} },\n`;
        for (let a = ops.firstAfter[o]; a < ops.firstAfter[o + 1]; a++) {
          waits.push(`{ ${place[ops.afterOp[a]]}, ${ops.afterBulks[a]} }`);
        }
      }
    }
  }
  yield `  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ${waits.length} }\n};\n\n`;
  yield `static const struct ccc_wait ccc_waits_${index}[] = {\n`;
  for (const wait of waits) yield `  ${wait},\n`;
  yield '  { 0, 0 }\n};\n\n';
}

function operationFields({ ops }: Plan, o: number): readonly (string | number)[] {
  return [
    kindNames[ops.kind[o]],
    Math.max(0, ops.peer[o]),
    ops.channel[o],
    bufferNames[ops.srcBuffer[o]] ?? 0,
    ops.srcOffset[o],
    bufferNames[ops.dstBuffer[o]] ?? 0,
    ops.dstOffset[o],
    Math.max(ops.srcCount[o], ops.dstCount[o]),
    ops.receivedFirst[o],
  ];
}
