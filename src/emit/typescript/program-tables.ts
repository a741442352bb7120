/** The programs of the ranks as source text: arrays of lanes with one line for each operation. */
import type { Slice } from '../../ir/plan.ts';
import type { EmittedLane, LaneOperation } from './lanes.ts';
import { style } from './layout.ts';
import { type ArrayEntry, Sequences, withRepeats } from './repeats.ts';
import { blockSize, type SharedProgram } from './symmetry.ts';

/** The expressions for peers and slices. */
interface Notation {
  peer(rank: number): string;
  slice(slice: Slice): string;
  readonly sequences: Sequences;
}

const asNumbers = {
  peer: String,
  slice: ({ buffer, offset, count }: Slice): string => `${buffer}(${offset}, ${count})`,
};

/** A table with the programs of all ranks. */
export function programTable(programs: readonly (readonly EmittedLane[])[]): string {
  const notation: Notation = { ...asNumbers, sequences: new Sequences() };
  const rows = programs.map((lanes, rank) => `  // Rank ${rank}\n  ${lanesText(lanes, notation)},\n`);
  return `${sequencesText(notation.sequences)}/** The lanes of each rank. */
const programs: readonly (readonly Lane[])[] = [
${rows.join('')}];

function lanesOf(rank: number): readonly Lane[] {
  return programs[rank];
}`;
}

/** One program for all ranks, in which `peer` computes a rank and `chunk` a chunk of a rank's block, both relative to the executing rank. */
export function sharedProgramText({ shape, blocks, lanes }: SharedProgram): string {
  const ring = shape.length === 1;
  const [size] = [blocks.input ?? blocks.output ?? 1];
  /** On a ring, a distance backwards is written as a negative number. */
  const offset = (by: number): number => (ring && by > shape[0] / 2 ? by - shape[0] : by);
  const notation: Notation = {
    sequences: new Sequences(),
    peer: (by) => `peer(${offset(by)})`,
    slice: (slice) => {
      if (blockSize(blocks, slice) === undefined) return asNumbers.slice(slice);
      const block = Math.floor(slice.offset / size);
      return `${slice.buffer}(chunk(${offset(block)}, ${slice.offset - block * size}), ${slice.count})`;
    },
  };
  const text = lanesText(lanes, notation);
  const chunk = text.includes('chunk(')
    ? `\n  const chunk = (by: number, index: number): number => peer(by) * ${size} + index;`
    : '';
  const peers = ring
    ? `/** The rank so many further on, in a ring. */
  const peer = (by: number): number => (rank + by + ranks) % ranks;`
    : `const peer = (by: number): number => shifted(rank, by);`;
  return `${sequencesText(notation.sequences)}${ring ? '' : `${shiftedText(shape)}\n\n`}/** The lanes of a rank: the same for all, with peers and chunks counted from the rank itself. */
function lanesOf(rank: number): readonly Lane[] {
  ${peers}${chunk}
  return ${text};
}`;
}

function shiftedText(shape: readonly number[]): string {
  return `/** Ranks are coordinates in this shape, last axis fastest: the sum of two, axis by axis, each of which wraps. */
function shifted(rank: number, by: number): number {
  let sum = 0;
  let stride = ranks;
  for (const extent of [${shape.join(', ')}]) {
    stride /= extent;
    sum += stride * ((Math.floor(rank / stride) + Math.floor(by / stride)) % extent);
  }
  return sum;
}`;
}

/** The helper that makes one operation for each number of a list. */
export const eachText = `function each(values: readonly number[], operation: (value: number, i: number) => Operation): readonly Operation[] {
  return values.map(operation);
}`;

/** The helper that repeats entries of an array of operations. */
export const repeatText = `function repeat(times: number, operations: (i: number) => readonly Operation[]): readonly Operation[] {
  return Array.from({ length: times }, (_, i) => operations(i)).flat();
}`;

/** `[ … ]` with the lanes of a rank, indented by two spaces. */
function lanesText(lanes: readonly EmittedLane[], notation: Notation): string {
  if (lanes.length === 0) return '[]';
  const texts = lanes.map((lane) => laneText(lane, notation, '    '));
  const line = texts.join(', ');
  if (!line.includes('\n') && line.length + 5 <= style.width) return `[${line}]`;
  const rows = texts.map((text) => `    ${text},\n`);
  return `[\n${rows.join('')}  ]`;
}

function laneText(lane: EmittedLane, notation: Notation, indent: string): string {
  const entries = withRepeats(
    lane.map((operation) => operationText(operation, notation)),
    notation.sequences,
  );
  const texts = entries.map((entry) => entryText(entry, `${indent}  `));
  const [only] = texts;
  if (texts.length === 1 && !only.includes('\n') && indent.length + only.length + 3 <= style.width) return `[${only}]`;
  return `[\n${texts.map((text) => `${indent}  ${text},\n`).join('')}${indent}]`;
}

function entryText(entry: ArrayEntry, indent: string): string {
  if ('text' in entry) return fitted('', entry.text, '', indent);
  if ('sequence' in entry) {
    const parameters = /\bi\b/.test(entry.entry) ? '(value, i)' : '(value)';
    return fitted(`...each(${entry.sequence}, ${parameters} => (`, entry.entry, '))', indent);
  }
  const { times, entries } = entry;
  const line = `...repeat(${times}, (i) => [${entries[0]}])`;
  if (entries.length === 1 && indent.length + line.length + 1 <= style.width) return line;
  const lines = entries.map((text) => `${indent}  ${fitted('', text, '', `${indent}  `)},\n`);
  return `...repeat(${times}, (i) => [\n${lines.join('')}${indent}])`;
}

/** An object literal with the text around it, broken into one line per field if it is too long. */
function fitted(before: string, text: string, behind: string, indent: string): string {
  if (indent.length + before.length + text.length + behind.length + 1 <= style.width) return before + text + behind;
  const fields = text.slice(2, -2).split(/, (?=\w+: )/);
  return `${before}{\n${fields.map((field) => `${indent}  ${field},\n`).join('')}${indent}}${behind}`;
}

/** The lists of numbers over which runs of operations iterate, with as many numbers per line as fit. */
function sequencesText({ all }: Sequences): string {
  return all.map(({ name, values }) => `const ${name}: readonly number[] = ${numbersText(values)};\n\n`).join('');
}

function numbersText(values: readonly string[]): string {
  const line = `[${values.join(', ')}]`;
  if (line.length + 40 <= style.width) return line;
  const lines: string[] = [];
  let current = ' ';
  for (const value of values) {
    if (current.length + value.length + 2 > style.width) {
      lines.push(current);
      current = ' ';
    }
    current += ` ${value},`;
  }
  return `[\n${[...lines, current].join('\n')}\n]`;
}

function operationText(operation: LaneOperation, notation: Notation): string {
  const fields = [`step: ${operation.step}`, ...ownFields(operation, notation)];
  if (operation.incomingFirst) fields.push('incomingFirst: true');
  if (operation.after.length > 0) {
    const waits = operation.after.map(
      ({ lane, index, bulks }) => `done(${lane}, ${index}${bulks === 0 ? '' : `, ${bulks}`})`,
    );
    fields.push(`after: [${waits.join(', ')}]`);
  }
  return `{ ${fields.join(', ')} }`;
}

function ownFields({ op, src, dst, peer, channel }: LaneOperation, notation: Notation): readonly string[] {
  const [source, target] = [src, dst].map((slice) => (slice === undefined ? '' : notation.slice(slice)));
  const other = peer === undefined ? '' : notation.peer(peer);
  switch (op) {
    case 'copy':
      return [`copy: ${source}`, `into: ${target}`];
    case 'reduce':
      return [`reduce: ${source}`, `into: ${target}`];
    case 'send':
      return [`send: ${source}`, `to: ${other}`, `channel: ${channel}`];
    case 'recv':
      return [`receive: ${target}`, `from: ${other}`, `channel: ${channel}`];
    case 'recvReduce':
      return [`receiveReduce: ${target}`, `from: ${other}`, `channel: ${channel}`];
  }
}
