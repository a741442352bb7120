/** The content of a topology file as data, and the writer that makes its text. */
import { jsonText, oneLine } from '../../ir/plain-text.ts';

/** A number with its unit, and a comment that says where it comes from. */
export interface CommentedQuantity {
  readonly text: string;
  readonly remark: string;
}

/** One entry of `links`. */
export interface WrittenLinks {
  /** The comment above the statement. */
  readonly comment?: string | undefined;
  /** The loops around the statement, outermost first: `r in 0 .. 7`. */
  readonly loops?: readonly string[];
  readonly condition?: string | undefined;
  /** `0 <-> 1` or, for one direction, `0 -> 1`; left out where there are `statements`. */
  readonly ends?: string;
  readonly latency?: CommentedQuantity;
  readonly bandwidth?: CommentedQuantity;
  readonly units?: CommentedQuantity | undefined;
  readonly statements?: readonly WrittenLinks[];
}

/** Switches or hosts of one kind. */
export interface NamedKind {
  /** The number of nodes, as an expression. */
  readonly count: string;
  readonly name: string;
}

export interface MachineDocument {
  readonly name: string;
  readonly about: string;
  readonly source: string;
  /** The file's only parameter, if it has one: name, default value and meaning. */
  readonly parameter?: { readonly name: string; readonly standard: number; readonly about: string } | undefined;
  readonly lets: readonly { readonly name: string; readonly value: string; readonly remark: string }[];
  readonly chips: string;
  readonly chipName: string;
  readonly switches: readonly NamedKind[];
  readonly hosts: readonly NamedKind[];
  readonly links: readonly WrittenLinks[];
  /** Entries of `groups`: a loop, and the ranks of each group. */
  readonly groups: readonly { readonly loop: string; readonly ranks: string }[];
  readonly notes: readonly string[];
}

/** Comments after a statement start at this column if the statement is shorter. */
const commentColumn = 44;
const widest = 120;
const longestName = 100;

/** Writes the text of the file. The machine is then read from this text by `parseTopology`, so the text is the only description of the machine. */
export function writeMachine(machine: MachineDocument): string {
  const { parameter, lets, switches, hosts, groups } = machine;
  const lines = [
    'format: ccc-topology',
    'version: 1',
    `name: ${scalar(machine.name)}`,
    ...prose('about', machine.about),
    ...prose('source', machine.source),
    ...(parameter === undefined
      ? []
      : [
          'parameters:',
          `  ${parameter.name}: { default: ${parameter.standard}, minimum: 1, about: ${scalar(parameter.about)} }`,
        ]),
    ...(lets.length === 0
      ? []
      : ['let:', ...lets.map(({ name, value, remark }) => withComment(`  ${name}: ${value}`, remark))]),
    `chips: ${machine.chips}`,
    `chip: { name: ${scalar(machine.chipName)} }`,
    ...kindLines('switches', switches),
    ...kindLines('hosts', hosts),
    withComment('link: { occupancy: pipelined }', 'assumed: messages of several pairs share a link in time'),
    ...(machine.links.length === 0
      ? []
      : ['links:', ...machine.links.flatMap((statement) => statementLines(statement, 1))]),
    ...(groups.length === 0 ? [] : ['groups:']),
    ...groups.flatMap(({ loop, ranks }) => [`  - for: ${loop}`, `    ranks: ${ranks}`]),
    ...(machine.notes.length === 0 ? [] : ['notes:', ...machine.notes.map((note) => `  - ${scalar(note)}`)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function kindLines(key: string, kinds: readonly NamedKind[]): readonly string[] {
  if (kinds.length === 0) return [];
  return [`${key}:`, ...kinds.map(({ count, name }) => `  - { count: ${scalar(count)}, name: ${scalar(name)} }`)];
}

function statementLines(statement: WrittenLinks, depth: number): readonly string[] {
  const { comment, loops = [], condition, ends, statements } = statement;
  const fields: string[] = [];
  if (loops.length === 1) fields.push(`for: ${loops[0]}`);
  if (loops.length > 1) fields.push(`for: [${loops.join(', ')}]`);
  if (condition !== undefined) fields.push(`if: ${scalar(condition)}`);
  if (ends !== undefined) fields.push(`${ends.includes('<->') ? 'duplex' : 'link'}: ${ends}`);
  const indent = '  '.repeat(depth);
  for (const key of ['latency', 'bandwidth', 'units'] as const) {
    const quantity = statement[key];
    if (quantity !== undefined) fields.push(withComment(`${key}: ${quantity.text}`, quantity.remark, 2 * depth + 2));
  }
  if (statements !== undefined) fields.push('do:');
  const lines = fields.map((field, index) => `${indent}${index === 0 ? '- ' : '  '}${field}`);
  const inner = (statements ?? []).flatMap((each) => innerLines(each, depth + 2));
  return [...(comment === undefined ? [] : [`${indent}# ${plain(comment)}`]), ...lines, ...inner];
}

/** Writes a link statement, on one line if it has nothing but its ends. */
function innerLines(statement: WrittenLinks, depth: number): readonly string[] {
  const { ends, latency, bandwidth, units, statements, comment, condition } = statement;
  const isBare = [latency, bandwidth, units, statements, comment, condition].every((part) => part === undefined);
  if (!isBare || ends === undefined || (statement.loops ?? []).length > 0) return statementLines(statement, depth);
  return [`${'  '.repeat(depth)}- ${ends.includes('<->') ? 'duplex' : 'link'}: ${ends}`];
}

function withComment(text: string, remark: string, indent = 0): string {
  return remark === '' ? text : `${text.padEnd(commentColumn - indent)} # ${plain(remark)}`;
}

/** Writes a field with a text; a long text is folded into several lines (YAML's `>`). */
function prose(key: string, text: string): readonly string[] {
  const words = plain(text).split(' ');
  if (plain(text).length + key.length < widest) return [`${key}: ${scalar(text)}`];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > widest) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return [`${key}: >-`, ...lines];
}

/** A text as a YAML scalar, in quotes if YAML could read it as something else. */
function scalar(text: string): string {
  const clean = plain(text);
  return /^[A-Za-z0-9][\w ./()+*<>=-]*$/.test(clean) ? clean : jsonText(clean);
}

/** Makes a text printable, on one line. */
function plain(text: string): string {
  return oneLine(text.replace(/\s+/g, ' ')).trim();
}

/**
 * Makes a text from a dump usable as the name of a machine or switch. Braces are removed, since names in topology files may contain expressions in
 * braces.
 */
export function plainName(text: string, otherwise: string): string {
  const clean = plain(text.slice(0, longestName).replace(/[{}]/g, ' '));
  return clean === '' ? otherwise : clean;
}

/** Derives the name of a machine from the name of its file: `runs/topo 3.xml` gives `topo-3`. */
export function nameFromFile(path: string, otherwise: string): string {
  const name = (path.split('/').at(-1) ?? '')
    .replace(/\.\w+$/, '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestName);
  return /\w/.test(name) ? name : otherwise;
}

/** The name of the file in messages and descriptions. */
export function fileName(path: string): string {
  return plain(path.split('/').at(-1) ?? '').slice(0, longestName);
}
