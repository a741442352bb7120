/** Puts an emitted file together with ts-morph: its heading, the function people call, its tables and the machinery. */
import {
  type ImportDeclarationStructure,
  IndentationText,
  type OptionalKind,
  type ParameterDeclarationStructure,
  Project,
  QuoteKind,
  type SourceFile,
} from 'ts-morph';
import type { CollectiveKind } from '../../ir/collective.ts';
import { dtypeBytes } from '../../ir/dtype.ts';
import { optimality } from '../../ir/report.ts';
import { formatBytes, formatSeconds } from '../../ir/units.ts';
import type { PlanBundle } from '../emitter.ts';
import { demoText } from './demo.ts';
import { operatorExpression } from './element-type.ts';
import { executeText, typesText } from './executor.ts';
import { type Features, featuresOf } from './features.ts';
import { lanesOf } from './lanes.ts';
import { evenBuffers, expectLengthText, memoryEntries, shardSizesText, unevenBuffers } from './memory.ts';
import { programTable, repeatText, sharedProgramText } from './program-tables.ts';
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
  file.addFunction({
    docs: [functionComment(features)],
    isExported: true,
    isAsync: true,
    name: kind,
    parameters: parametersText(features),
    returnType: 'Promise<void>',
    statements: functionStatements(features),
  });
  addParts(file, [
    typesText(features),
    programsText(features),
    executeText(features),
    shardSizesText(features, dtypeBytes[dtype]),
    features.evenChunks ? evenBuffers : unevenBuffers,
    expectLengthText,
    sumText,
    localTransportText(),
    demoText(features, kind),
  ]);
  return file.getFullText().replace(/\n{3,}/g, '\n\n');
}

/** Appends parts of the file, with a blank line before each. */
function addParts(file: SourceFile, parts: readonly string[]): void {
  file.addStatements((writer) => {
    for (const part of parts) writer.blankLine().write(part).newLine();
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
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
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

function functionComment({ plan: { collective } }: Features): string {
  const purpose = purposeOf(collective);
  const shared =
    collective.inPlace && collective.kind !== 'barrier' ? '\nInput and output are the same memory, `buffer`.' : '';
  return `\n${purpose}${shared}\n@throws RangeError for buffers of the wrong length`;
}

function parametersText({ plan: { collective }, reduces }: Features): OptionalKind<ParameterDeclarationStructure>[] {
  return [
    { name: 'transport', type: 'Transport' },
    ...parametersOf(collective).map(({ name }) => ({ name, type: 'Elements' })),
    ...(reduces ? [{ name: 'operator', type: 'Combine', initializer: 'combine' }] : []),
  ];
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
  return [...parts, text].join('\n\n');
}
