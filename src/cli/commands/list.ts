import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { addExamples, oneOf } from '../options.ts';
import { writeJson, writeResult } from '../output.ts';
import { wrap } from '../show/text.ts';
import { widthOf } from '../terminal.ts';

const subjects = ['topologies', 'schedules', 'collectives', 'engines', 'emitters', 'schemas'] as const;
type Subject = (typeof subjects)[number];

interface Entry {
  readonly name: string;
  readonly about: string;
  /** Parameters, in the order in which their values follow the topology's name. */
  readonly parameters?: readonly { readonly name: string; readonly about: string }[];
}

/** `ccc list` lists the available schedules, topologies, formats and so on. */
export function registerList(program: Command): void {
  const command = program
    .command('list [what]')
    .description(`names to choose from: ${subjects.join(', ')}`)
    .option('--json', 'prints them as one JSON document');
  addExamples(command, 'ccc list schedules').action(run);
}

async function run(what: string | undefined, options: { readonly json?: boolean }): Promise<void> {
  const wanted: readonly Subject[] = what === undefined ? subjects : [oneOf(subjects, 'list')(what)];
  const lists = await Promise.all(wanted.map(async (subject) => [subject, await entriesOf(subject)] as const));
  if (options.json === true) writeJson({ ok: true, ...Object.fromEntries(lists) });
  else
    await writeResult(
      lists.map(([subject, entries]) => listText(subject, entries, wanted.length > 1)),
      undefined,
    );
}

function listText(subject: Subject, entries: readonly Entry[], titled: boolean): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  // Programs read these lists, too, so lines are broken only on a terminal.
  const columns = widthOf(process.stdout) ?? Number.POSITIVE_INFINITY;
  const lines = entries.flatMap((entry) =>
    wrap(`${titled ? '  ' : ''}${entry.name.padEnd(width)}  `, aboutOf(subject, entry).split(' '), columns),
  );
  return `${titled ? `${subject}\n` : ''}${lines.join('\n')}\n${titled ? '\n' : ''}`;
}

/** Writes the description of an entry and its parameters; for machines also how values are given: `fattree:leaves,chipsPerLeaf,spines`. */
function aboutOf(subject: Subject, { name, about, parameters = [] }: Entry): string {
  if (parameters.length === 0) return about;
  const told = parameters.map(
    (parameter) => `${parameter.name}${parameter.about === '' ? '' : ` – ${parameter.about}`}`,
  );
  const values = parameters.map((parameter) => parameter.name).join(',');
  return `${about} ${subject === 'topologies' ? `${name}:${values}` : 'Parameters'}: ${told.join('; ')}`;
}

async function entriesOf(subject: Subject): Promise<readonly Entry[]> {
  switch (subject) {
    case 'topologies':
      return (await import('../../read/index.ts')).describeShipped('topologies');
    case 'schedules':
      return (await import('../../read/index.ts')).describeShipped('schedules');
    case 'collectives': {
      const { collectiveFacts } = await import('../../ir/collective.ts');
      return Object.entries(collectiveFacts).map(([name, { about }]) => ({ name, about }));
    }
    case 'engines': {
      const { engines } = await import('../../synth/index.ts');
      return engines.map(({ name, about }) => ({ name, about }));
    }
    case 'schemas':
      return schemaFiles();
    case 'emitters': {
      const { allEmitters } = await import('../../session/targets.ts');
      return (await allEmitters()).map(({ name, about }) => ({ name, about }));
    }
  }
}

/**
 * Returns the JSON Schemas of the file kinds with the paths that editors need. The folder's relative path is the same from src/cli/commands,
 * dist/cli/commands and dist/bin.
 */
function schemaFiles(): readonly Entry[] {
  const folder = [new URL('../../../schemas/', import.meta.url), new URL('../../schemas/', import.meta.url)]
    .map((url) => fileURLToPath(url))
    .find((path) => existsSync(path));
  if (folder === undefined) throw new Error('the schemas are not where ccc is');
  return ['schedule', 'topology', 'plan', 'sg2260'].map((name) => ({ name, about: `${folder}${name}.schema.json` }));
}
