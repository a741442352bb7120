/** Command lists as JSON, with one command per line (docs/sg2260.md, schemas/sg2260.schema.json). */
import { type Collective, collectiveFacts, type ReductionOperator, reductionOperators } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { jsonText } from '../../ir/plain-text.ts';
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { Topology } from '../../ir/topology.ts';
import { topologyDigest } from '../topology-digest.ts';
import type { RankRegions, Region } from './addresses.ts';
import type { EmittedCommand, EmittedCommandLists } from './commands.ts';
import type { Rows } from './shapes.ts';

/** The engines' names of operators; they support no others. */
export const engineOperators: Partial<Readonly<Record<ReductionOperator, string>>> = {
  sum: 'add',
  prod: 'mul',
  max: 'max',
  min: 'min',
};

/** The facts about the machine that a list needs. */
export interface ListMachine {
  readonly topology: Topology;
  readonly dtype: Dtype;
  readonly size: number;
  /** The memory that contains input and output. */
  readonly buffers: Space;
}

export type Space = 'ddr' | 'l2';

/**
 * The memory of input and output. If messages are staged, links access L2 only; otherwise links access all memory, but reductions still write to L2.
 */
export function spaceOfBuffers({ ops }: Plan, { staging }: Topology): Space {
  const reduces = ops.kind.some((kind) => kind === OperationCode.reduce || kind === OperationCode.recvReduce);
  return reduces && staging === undefined ? 'l2' : 'ddr';
}

/** The memory that contains a region. */
export function spaceOf(region: Region, { buffers }: ListMachine): Space {
  return region === 'scratch' ? 'l2' : buffers;
}

export function* documentText(plan: Plan, machine: ListMachine, lists: EmittedCommandLists): Iterable<string> {
  const { topology, dtype, size } = machine;
  const { kind, ranks, root, op, inPlace, ordered, counts } = plan.collective;
  const { messages, inflight, staging, name, notes } = topology;
  yield '{\n  "format": "ccc-sg2260",\n  "version": 1,\n';
  const blocks: readonly (readonly [string, unknown])[] = [
    ['name', plan.name],
    [
      'collective',
      {
        ...{ kind, ranks, root, inPlace },
        ...(collectiveFacts[kind].reduces ? { op: engineOperators[op] } : {}),
        ...(ordered ? { ordered } : {}),
        ...(counts === undefined ? {} : { counts }),
      },
    ],
    ['size', size],
    ['dtype', dtype],
    ['bulks', plan.bulks],
    ['topology', { name, digest: topologyDigest(topology), notes }],
    ['limits', { ...messages, inflight, l2: staging?.memory, operators: operatorsOf(topology) }],
    ['chipMap', topology.chips],
  ];
  for (const [key, value] of blocks) yield `  ${JSON.stringify(key)}: ${jsonText(value)},\n`;
  yield '  "chips": [';
  for (let rank = 0; rank < plan.buffers.length; rank++) {
    yield `${rank === 0 ? '' : ','}\n    { "rank": ${rank}, "chip": ${topology.chips[rank]},\n`;
    yield* memoryText(lists.regions[rank], machine);
    yield '      "queues": [';
    let isFirst = true;
    for (const queue of lists.queues) {
      if (queue.rank !== rank) continue;
      yield `${isFirst ? '' : ','}\n        { ${endText(queue.engine, queue.peer, topology)}, "commands": [`;
      isFirst = false;
      yield* commandTexts(queue.commands(), plan.collective, machine);
      yield ' ] }';
    }
    yield ' ] }';
  }
  yield '\n  ]\n}\n';
}

/** The element types of each operator, under the engines' names; undefined if the machine does not specify them. */
function operatorsOf({ nodes, chips }: Topology): Readonly<Record<string, readonly Dtype[]>> | undefined {
  const { operators } = nodes[chips[0]].reduce ?? {};
  if (operators === undefined) return undefined;
  const named: Record<string, readonly Dtype[]> = {};
  for (const op of reductionOperators) {
    const [name, types] = [engineOperators[op], operators[op]];
    if (name !== undefined && types !== undefined) named[name] = types;
  }
  return named;
}

function* memoryText({ regions, input, output }: RankRegions, machine: ListMachine): Iterable<string> {
  const rows = regions.map(({ region, bytes }) => ({ region, space: spaceOf(region, machine), bytes }));
  yield `      "regions": ${JSON.stringify(rows)},\n`;
  yield `      "input": ${JSON.stringify(input)}, "output": ${JSON.stringify(output)},\n`;
}

function endText(engine: string, peer: number | undefined, topology: Topology): string {
  const end = peer === undefined ? '' : `, "peer": ${peer}, "peerChip": ${topology.chips[peer]}`;
  return `"engine": "${engine}"${end}`;
}

function* commandTexts(commands: Iterable<EmittedCommand>, { op }: Collective, machine: ListMachine): Iterable<string> {
  const { dtype } = machine;
  const place = ({ region, offset, rows, bytes, stride }: Rows): object => {
    const width = bytes / dtypeBytes[dtype];
    const strides = [stride / dtypeBytes[dtype], width, width, 1];
    return { space: spaceOf(region, machine), region, offset, shape: [rows, 1, 1, width], strides };
  };
  let separator = '';
  for (const command of commands) {
    const { op: name, bulk, from, to, waits, posts } = command;
    const row = {
      ...{ op: name, bulk },
      ...(from === undefined ? {} : { from: place(from) }),
      ...(to === undefined ? {} : { to: place(to) }),
      dtype,
      ...(name === 'reduce' || name === 'receive-reduce' ? { reduce: engineOperators[op] } : {}),
      ...(waits.length === 0 ? {} : { wait: waits.map((id) => ({ id, count: 1 })) }),
      ...(posts.length === 0 ? {} : { post: posts.map((id) => ({ id, count: 1 })) }),
    };
    yield `${separator}\n          ${JSON.stringify(row)}`;
    separator = ',';
  }
}
