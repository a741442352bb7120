/** What `--help` shows: options with their values and defaults as a user writes them, and examples that work as they stand. */
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../temporary.ts';
import { ccc, shell } from './run.ts';

const commandsOf = (help: string): string[] =>
  [...help.matchAll(/^ {2}([a-z]+) \[options\] [<[][a-z]+[>\]]/gm)].map((match) => match[1]);
const commands = commandsOf(ccc(['--help']).stdout);

describe('--help', () => {
  it('names all commands, the exit codes and where to start', () => {
    const { status, stdout } = ccc(['--help']);
    expect(status).toBe(0);
    expect(commands).toEqual([
      ...['compile', 'verify', 'run', 'show', 'diff', 'bound', 'tune', 'optimize', 'pareto', 'convert', 'list'],
    ]);
    for (const code of ['0 done', '1 not correct', '2 bad usage', '3 ended', '70 a bug'])
      expect(stdout).toContain(code);
  });

  // A folder for all, in the order of the commands: the plan that an example writes is there for the next ones.
  const folder = emptyFolder();
  it.each(commands)('%s: defaults in their units, and examples that work', (command) => {
    const { status, stdout } = ccc([command, '--help']);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/default: \[|default: \d{4,}/);
    const examples = /\nExamples:\n((?: {2}ccc .*\n)+)/.exec(stdout)?.[1].trim().split(/\n +/) ?? [];
    expect(examples).not.toEqual([]);
    for (const line of examples) {
      const outcome = shell(line, folder);
      expect({ line, status: outcome.status, stderr: outcome.stderr }).toMatchObject({ line, status: 0 });
    }
  });
});
