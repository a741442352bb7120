/** Assembles an emitted file: its heading, the function that users call, its tables and the code that runs them. */
import { type CollectiveKind, collectiveFacts, type ReductionOperator } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes, isPair } from '../../ir/dtype.ts';
import { oneLine } from '../../ir/plain-text.ts';
import { optimality } from '../../ir/report.ts';
import { formatBytes, formatSeconds } from '../../ir/units.ts';
import { blockComment } from '../block-comment.ts';
import type { OpenBundle, OpenRange } from '../emitter.ts';
import { demoText } from './demo.ts';
import { operatorExpression } from './element-type.ts';
import { executeText, notationText, typesText } from './executor.ts';
import { type Features, featuresOf } from './features.ts';
import { lanesOf } from './lanes.ts';
import { bracketed } from './layout.ts';
import {
  copyShardsText,
  evenBuffers,
  expectLengthText,
  memoryEntries,
  scratchBuffer,
  shardSizesText,
  unevenBuffers,
} from './memory.ts';
import { pairChoiceText, pairPartsText } from './pairs.ts';
import { eachText, programTable, repeatText, sharedProgramText } from './program-tables.ts';
import { parametersOf, purposeOf, shardExpression } from './signature.ts';
import { sharedProgram } from './symmetry.ts';
import { localTransportText, transportInterfaceText } from './transport.ts';

/** The file that `--emit ts` writes, for one plan or for several that serve different ranges of message sizes. */
export function sourceText(ranges: readonly OpenRange[]): string {
  const [{ bundle }] = ranges;
  const features = ranges.map((range) => featuresOf(range.bundle));
  const [first] = features;
  const { kind } = first.plan.collective;
  const dtype = bundle.dtype ?? 'f32';
  // The proofs hold for channels of some depth and for deeper ones.
  const inflight = Math.max(...features.map((each) => each.inflight));
  const isOne = ranges.length === 1;
  const parts = [
    headingText(ranges) + importsText(kind),
    isOne ? constantsText(first) : `${ranksText(first)}\n${inflightText(inflight)}`,
    `/** What the buffers hold: ${dtype}. */\nexport type Elements = ${first.element.array};\nconst Elements = ${first.element.array};`,
    transportInterfaceText({ ...first, inflight }),
    ...(first.element.arithmetic === 'pair' && isPair(dtype) ? [pairPartsText(dtype)] : []),
    ...(first.reduces ? [combineText(bundle)] : []),
    isOne ? functionText(first) : choosingText(first, ranges),
    ...(isOne ? planParts(first) : features.map((each, index) => closedText(each, index))),
    shardSizesText(first, dtypeBytes[dtype]),
    expectLengthText,
    sumText,
    localTransportText(),
    demoText(first, kind),
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return `${text.replace(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

/** The parts of the file that belong to one plan. */
function planParts(features: Features): readonly string[] {
  const { plan, evenChunks, usesScratch } = features;
  const programs = programsText(features);
  return [
    typesText(features),
    notationText(programs, features),
    programs,
    executeText(features),
    evenChunks ? evenBuffers(plan) : unevenBuffers(features),
    ...(evenChunks && plan.collective.kind !== 'barrier' ? [copyShardsText] : []),
    ...(usesScratch ? [scratchBuffer] : []),
  ];
}

/** One of several plans, as a function that encloses its tables and returns the function that runs it. */
function closedText(features: Features, index: number): string {
  const { name, collective } = features.plan;
  const own = functionText(features).replace('export async function', 'async function');
  const parts = [chunksText(features), own, ...planParts(features)].filter((text) => text !== '');
  const body = `${parts.join('\n\n')}\n\nreturn ${collective.kind};`.replace(/^(?=.)/gm, '  ');
  return `/** The plan ${oneLine(name).replaceAll('*/', '* /')}. */\nfunction plan${index}() {\n${body}\n}`;
}

/** The function that users call if there are several plans. All ranks choose the same plan, since all know the length of a shard. */
function choosingText(features: Features, ranges: readonly OpenRange[]): string {
  const { collective } = features.plan;
  const { kind } = collective;
  const names = parametersOf(collective).map(({ name }) => name);
  const parameters = ['transport: Transport', ...names.map((name) => `${name}: Elements`)];
  const passed = ['transport', ...names];
  if (features.reduces) {
    parameters.push('operator: Combine = combine');
    passed.push('operator');
  }
  const shards = collectiveFacts[kind].sharded ? ' * ranks' : '';
  const rows = ranges.map(({ from }, index) => `  { from: ${Math.ceil(from)}, run: plan${index}() },\n`);
  const root = /\broot\b|\brank\b/.test(shardExpression(collective)) ? '  const { rank } = transport;\n' : '';
  return `/**
${[...functionComment(features), 'Messages of different sizes go by different plans; `plans` says which.']
  .map((line) => ` * ${line}\n`)
  .join('')} */
${bracketed(`export async function ${kind}(`, parameters, '): Promise<void> {')}
${root}  const shard = ${shardExpression(collective)};
  const bytes = shard${shards} * Elements.BYTES_PER_ELEMENT;
  const { run } = plans.filter(({ from }) => from <= bytes).at(-1) ?? plans[0];
  await run(${passed.join(', ')});
}

/** From how many bytes of a message on which plan runs. */
const plans = [
${rows.join('')}];`;
}

function importsText(kind: CollectiveKind): string {
  const names = {
    'node:process': 'stderr, stdout',
    ...(kind === 'barrier' ? { 'node:timers/promises': 'setTimeout' } : {}),
    'node:url': 'pathToFileURL',
    ...(kind === 'barrier' ? {} : { 'node:util': 'parseArgs' }),
  };
  return Object.entries(names)
    .map(([module, imported]) => `import { ${imported} } from '${module}';`)
    .join('\n');
}

const sumText = `function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}`;

/** The heading: which plans the file has, their quality, and what has been proved of them. */
function headingText(ranges: readonly OpenRange[]): string {
  const [{ bundle }] = ranges;
  const { collective } = bundle.plan;
  const { kind, ranks, counts } = collective;
  const isOne = ranges.length === 1;
  const lines = [
    isOne
      ? `${kind} for ${ranks} ranks: the plan ${bundle.plan.name}, written by ccc.`
      : `${kind} for ${ranks} ranks: ${ranges.length} plans for messages of different sizes, written by ccc.`,
    '',
    ...(bundle.topology === undefined ? [] : [`Machine: ${bundle.topology.name}.`]),
    ...ranges.flatMap(({ from, bundle: own }) => [
      ...(isOne ? [] : ['', `From ${formatBytes(from)} on: ${own.plan.name}.`]),
      ...timeLines(own),
      'Proved of it:',
      ...own.verification.proved.map((line) => `- ${line}`),
    ]),
    '',
    `Try it: npx tsx ${kind}.ts --check${kind === 'barrier' || counts !== undefined ? '' : ' --size 64MiB'}`,
  ];
  return blockComment(lines, '/**');
}

function timeLines({ size, cost, bound }: OpenBundle): readonly string[] {
  if (cost === undefined || size === undefined) return [];
  const share = bound === undefined ? undefined : (100 * optimality(bound.seconds, cost.seconds)).toFixed(1);
  const best = share === undefined ? '' : `, ${share} % of what is possible at best`;
  return [`Time: ${formatSeconds(cost.seconds)} for ${formatBytes(size)} in the model of that machine${best}.`];
}

function constantsText(features: Features): string {
  return [ranksText(features), chunksText(features), inflightText(features.inflight)].join('\n');
}

function ranksText({ plan: { collective } }: Features): string {
  const rooted =
    collective.kind === 'broadcast' ||
    collective.kind === 'reduce' ||
    collective.kind === 'scatter' ||
    collective.kind === 'gather';
  const ranks = `export const ranks = ${collective.ranks};`;
  return rooted ? `${ranks}\nexport const root = ${collective.root};` : ranks;
}

function chunksText({ plan: { collective, bulks }, unit }: Features): string {
  return [
    '/** Chunks that the tables cut each shard into, and slices of a chunk that run through them one after the other. */',
    `const chunks = ${collective.chunks};`,
    `const bulks = ${bulks};`,
    ...(unit === 1
      ? []
      : [`/** Messages of the machine are whole multiples of so many elements. */\nconst unit = ${unit};`]),
  ].join('\n');
}

function inflightText(inflight: number): string {
  return `/** Messages of one sender, receiver and channel that may be on their way. */\nconst inflight = ${inflight};`;
}

function combineText({ plan, dtype = 'f32' }: OpenBundle): string {
  const { kind, op: given, ordered } = plan.collective;
  const op = collectiveFacts[kind].reduces ? given : 'sum';
  return `/** Element by element, \`target\` = \`left\` ⊕ \`right\`; the target may be one of the operands. */
export type Combine = (target: Elements, left: Elements, right: Elements) => void;

/** The operator: ${op}${ordered ? ', in rank order' : ''}. */
export const combine: Combine = (target, left, right) => {
${combiningText(op, dtype)}};`;
}

function combiningText(op: ReductionOperator, dtype: Dtype): string {
  if ((op === 'minloc' || op === 'maxloc') && isPair(dtype)) return pairChoiceText(op, dtype);
  const combined = operatorExpression(op, dtype, 'left[i]', 'right[i]');
  return `  for (let i = 0; i < target.length; i++) target[i] = ${combined};\n`;
}

function functionComment({ plan: { collective }, reduces }: Features): readonly string[] {
  const { kind, inPlace } = collective;
  return [
    purposeOf(collective),
    ...(inPlace && kind !== 'barrier' ? ['Input and output are the same memory, `buffer`.'] : []),
    ...(reduces ? ['@param operator what reduces two arrays, element by element'] : []),
    ...(kind === 'barrier' ? [] : ['@throws RangeError for buffers of the wrong length']),
  ];
}

/** The function that users call. */
function functionText(features: Features): string {
  const { collective } = features.plan;
  const parameters = ['transport: Transport', ...parametersOf(collective).map(({ name }) => `${name}: Elements`)];
  if (features.reduces) parameters.push('operator: Combine = combine');
  const statements = functionStatements(features).map((statement) => statement.replace(/^/gm, '  '));
  return `/**
${functionComment(features)
  .map((line) => ` * ${line}\n`)
  .join('')} */
${bracketed(`export async function ${collective.kind}(`, parameters, '): Promise<void> {')}
${statements.join('\n')}
}`;
}

function functionStatements(features: Features): string[] {
  const { plan, reduces, evenChunks, unit } = features;
  const { collective } = plan;
  const { kind, inPlace, counts } = collective;
  const own = kind === 'barrier' ? ['const input = new Elements(1);', 'const output = new Elements(0);'] : [];
  const shard =
    counts === undefined ? [`const shard = ${kind === 'barrier' ? '1' : shardExpression(collective)};`] : [];
  const largest = counts === undefined ? 'shard' : 'Math.max(...counts)';
  const cellText =
    unit === 1 ? `Math.ceil(${largest} / (chunks * bulks))` : `unit * Math.ceil(${largest} / (chunks * bulks * unit))`;
  const shared = inPlace && kind !== 'barrier';
  const cell = evenChunks ? ', cell' : '';
  const given = shared ? ['buffer'] : ['input', 'output'];
  const work = (name: string): string => (shared ? 'shared' : `memory.${name}`);
  const copies = evenChunks && kind !== 'barrier';
  return [
    'const { rank } = transport;',
    ...own,
    ...shard,
    `const sizes = shardSizes(rank${counts === undefined ? ', shard' : ''});`,
    ...(evenChunks ? [`const cell = ${cellText};`] : []),
    ...(shared ? [`const shared = bufferOf('buffer', buffer, sizes.buffer${cell});`] : []),
    `const memory: Readonly<Record<Slice['buffer'], Buffer>> = {\n${memoryEntries(features)
      .map((entry) => `  ${entry},\n`)
      .join('')}};`,
    ...(copies ? [`copyShards('in', ${given[0]}, ${work('input')}, sizes.${given[0]});`] : []),
    `await execute(transport, lanesOf(rank), (slice, bulk) => viewOf(memory[slice.buffer], slice, bulk)${reduces ? ', operator' : ''});`,
    ...(copies
      ? [`copyShards('out', ${given[given.length - 1]}, ${work('output')}, sizes.${given[given.length - 1]});`]
      : []),
  ];
}

/** The program that all ranks share, or a table of the programs of all ranks. */
function programsText({ plan }: Features): string {
  const programs = plan.buffers.map((_, rank) => lanesOf(plan, rank));
  const shared = sharedProgram(plan, programs);
  const text = shared === undefined ? programTable(programs) : sharedProgramText(shared);
  const scratch = plan.buffers.map((buffers) => buffers.scratch);
  const alike = scratch.every((size) => size === scratch[0]);
  const parts = alike
    ? []
    : [
        `/** Chunks of scratch memory of each rank. */\nconst scratchChunks: readonly number[] = [${scratch.join(', ')}];`,
      ];
  if (text.includes('...repeat(')) parts.push(repeatText);
  if (text.includes('...each(')) parts.push(eachText);
  return [...parts, text].join('\n\n');
}
