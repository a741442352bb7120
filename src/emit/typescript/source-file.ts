/** Puts an emitted file together with ts-morph: its heading, the function people call, its tables and the machinery. */
import {
  type ImportDeclarationStructure,
  IndentationText,
  type OptionalKind,
  Project,
  QuoteKind,
  type SourceFile,
} from 'ts-morph';
import type { CollectiveKind } from '../../ir/collective.ts';
import { dtypeBytes } from '../../ir/dtype.ts';
import { optimality } from '../../ir/report.ts';
import { formatBytes, formatSeconds } from '../../ir/units.ts';
import { blockComment } from '../block-comment.ts';
import type { PlanBundle } from '../emitter.ts';
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
import { eachText, programTable, repeatText, sharedProgramText } from './program-tables.ts';
import { parametersOf, purposeOf, shardExpression } from './signature.ts';
import { sharedProgram } from './symmetry.ts';
import { localTransportText, transportInterfaceText } from './transport.ts';

/** The file that `--emit ts` writes. */
export function sourceText(bundle: PlanBundle): string {
  const features = featuresOf(bundle);
  const { plan } = features;
  const { kind } = plan.collective;
  const project = new Project({
    useInMemoryFileSystem: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single },
  });
  const dtype = bundle.dtype ?? 'f32';
  const file = project.createSourceFile(`${kind}.ts`, headingText(bundle));
  file.addImportDeclarations(importsOf(kind));
  addParts(file, [
    constantsText(features),
    `/** What the buffers hold: ${dtype}. */\nexport type Elements = ${features.element.array};\nconst Elements = ${features.element.array};`,
    transportInterfaceText(features),
    ...(features.reduces ? [combineText(bundle)] : []),
  ]);
  addParts(file, [functionText(features)]);
  const programs = programsText(features);
  addParts(file, [
    typesText(features),
    notationText(programs, features),
    programs,
    executeText(features),
    shardSizesText(features, dtypeBytes[dtype]),
    features.evenChunks ? evenBuffers(plan) : unevenBuffers,
    ...(features.evenChunks && kind !== 'barrier' ? [copyShardsText] : []),
    ...(features.usesScratch ? [scratchBuffer] : []),
    expectLengthText,
    sumText,
    localTransportText(),
    demoText(features, kind),
  ]);
  return `${file
    .getFullText()
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

/** Appends parts of the file, with a blank line before each. */
function addParts(file: SourceFile, parts: readonly string[]): void {
  file.addStatements((writer) => {
    for (const part of parts.filter((text) => text !== '')) writer.blankLine().write(part).newLine();
  });
}

function importsOf(kind: CollectiveKind): readonly OptionalKind<ImportDeclarationStructure>[] {
  const own =
    kind === 'barrier'
      ? [{ moduleSpecifier: 'node:timers/promises', namedImports: ['setTimeout'] }]
      : [{ moduleSpecifier: 'node:util', namedImports: ['parseArgs'] }];
  return [
    { moduleSpecifier: 'node:process', namedImports: ['stderr', 'stdout'] },
    ...own,
    { moduleSpecifier: 'node:url', namedImports: ['pathToFileURL'] },
  ].sort((a, b) => (a.moduleSpecifier < b.moduleSpecifier ? -1 : 1));
}

const sumText = `function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}`;

/** What the plan is, how good, and what was proved of it. */
function headingText({ proved: { plan, verification }, topology, size, cost, bound }: PlanBundle): string {
  const { collective } = plan;
  const lines = [
    `${collective.kind} for ${collective.ranks} ranks: the plan ${plan.name}, written by ccc.`,
    '',
    ...(topology === undefined ? [] : [`Machine: ${topology.name}.`]),
    ...(cost === undefined || size === undefined
      ? []
      : [
          `Time: ${formatSeconds(cost.seconds)} for ${formatBytes(size)} in the model of that machine${
            bound === undefined
              ? ''
              : `, ${(100 * optimality(bound.seconds, cost.seconds)).toFixed(1)} % of what is possible at best`
          }.`,
        ]),
    'Proved of it:',
    ...verification.proved.map((line) => `- ${line}`),
    '',
    `Try it: npx tsx ${collective.kind}.ts --check${collective.kind === 'barrier' || collective.counts !== undefined ? '' : ' --size 64MiB'}`,
  ];
  return blockComment(lines, '/**');
}

function constantsText({ plan: { collective, bulks }, inflight }: Features): string {
  const rooted =
    collective.kind === 'broadcast' ||
    collective.kind === 'reduce' ||
    collective.kind === 'scatter' ||
    collective.kind === 'gather';
  return [
    `export const ranks = ${collective.ranks};`,
    ...(rooted ? [`export const root = ${collective.root};`] : []),
    '/** Chunks that the tables cut each shard into, and slices of a chunk that run through them one after the other. */',
    `const chunks = ${collective.chunks};`,
    `const bulks = ${bulks};`,
    '/** Messages of one sender, receiver and channel that may be on their way. */',
    `const inflight = ${inflight};`,
  ].join('\n');
}

function combineText({ proved: { plan }, dtype = 'f32' }: PlanBundle): string {
  const { op, ordered } = plan.collective;
  return `/** Element by element, \`target\` = \`left\` ⊕ \`right\`; the target may be one of the operands. */
export type Combine = (target: Elements, left: Elements, right: Elements) => void;

/** The operator: ${op}${ordered ? ', in rank order' : ''}. */
export const combine: Combine = (target, left, right) => {
  for (let i = 0; i < target.length; i++) target[i] = ${operatorExpression(op, dtype, 'left[i]', 'right[i]')};
};`;
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

/** The function that people call. */
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
  const { plan, reduces, evenChunks } = features;
  const { collective } = plan;
  const { kind, inPlace, counts } = collective;
  const own = kind === 'barrier' ? ['const input = new Elements(1);', 'const output = new Elements(0);'] : [];
  const shard =
    counts === undefined ? [`const shard = ${kind === 'barrier' ? '1' : shardExpression(collective)};`] : [];
  const largest = counts === undefined ? 'shard' : 'Math.max(...counts)';
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
    ...(evenChunks ? [`const cell = Math.ceil(${largest} / (chunks * bulks));`] : []),
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

/** One program that all ranks share, or a table of them. */
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
