/** What `--help` shows: options with their values and defaults as a user writes them, and examples that work as they stand. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../temporary.ts';
import { inProcess } from './in-process.ts';
import { ccc, fileWith, shell } from './run.ts';

const commandsOf = (help: string): string[] =>
  [...help.matchAll(/^ {2}([a-z]+) \[options\] [<[][a-z]+[>\]]/gm)].map((match) => match[1]);
const commands = commandsOf(ccc(['--help']).stdout);

describe('--help', () => {
  it('names all commands, the exit codes and where to start', () => {
    const { status, stdout } = ccc(['--help']);
    expect(status).toBe(0);
    expect(commands).toEqual([
      ...['compile', 'tune', 'optimize', 'pareto', 'verify', 'show', 'diff', 'bound', 'run', 'convert', 'list'],
    ]);
    for (const title of ['Make plans:', 'Check and look:', 'Use plans:', 'Find out more:'])
      expect(stdout).toContain(`\n${title}\n`);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    for (const code of ['0 done', '1 not correct', '2 bad usage', '3 ended', '70 a bug'])
      expect(stdout).toContain(code);
  });

  // A folder for all, in the order of the commands: the plan that an example writes is there for the next ones.
  const folder = emptyFolder();
  it.each(commands)('%s: defaults in their units, and examples that work', (command) => {
    const { status, stdout } = ccc([command, '--help']);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/default: \[|default: \d{4,}/);
    const page = /\nMore: ccc help (\S+)\n/.exec(stdout)?.[1];
    expect(existsSync(new URL(`../../docs/${page}.md`, import.meta.url))).toBe(true);
    const examples = /\nExamples:\n((?: {2}ccc .*\n)+)/.exec(stdout)?.[1].trim().split(/\n +/) ?? [];
    expect(examples).not.toEqual([]);
    for (const line of examples) {
      const outcome = shell(line, folder);
      expect({ line, status: outcome.status, stderr: outcome.stderr }).toMatchObject({ line, status: 0 });
    }
  });
});

describe('ccc help', () => {
  it('shows commands and pages, offline, and says what there is', async () => {
    const pages = readdirSync(new URL('../../docs/', import.meta.url)).filter((file) => file.endsWith('.md'));
    const { stdout } = await inProcess(['help']);
    for (const page of pages) expect(stdout).toContain(page.slice(0, -3));
    expect((await inProcess(['help', 'bound'])).stdout).toBe(ccc(['bound', '--help']).stdout);
    const page = readFileSync(new URL('../../docs/sizes.md', import.meta.url), 'utf8');
    expect((await inProcess(['help', 'sizes'])).stdout).toBe(page);
    expect(await inProcess(['help', 'plan-fromat'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('plan-format'),
    });
  });
});

describe('ccc completion', () => {
  /** What a shell offers behind these words, in a folder with one file, `mine.json`. */
  const offered = (shell: 'bash' | 'zsh' | 'fish', ...words: string[]): readonly string[] => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'mine.json'), '');
    const script = ccc(['completion', shell]).stdout;
    const asked = words.map((word) => `'${word}'`).join(' ');
    const asking = {
      bash: `${script}\nCOMP_WORDS=(${asked}); COMP_CWORD=${words.length - 1}; _ccc; printf '%s\\n' "\${COMPREPLY[@]}"`,
      // Outside of its line editor zsh adds nothing: what would be added is printed.
      zsh: `compdef() { }; compadd() { shift; print -rl -- \${(M)@:#$words[-1]*} }; _files() { compadd -- * }
${script}\nwords=(${asked}); CURRENT=${words.length}; _ccc`,
      fish: `${script}\ncomplete -C '${words.join(' ')}'`,
    };
    const { status, stdout, stderr } = spawnSync(shell, [shell === 'zsh' ? '-fc' : '-c', asking[shell]], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
    expect([status, stderr]).toEqual([0, '']);
    // Behind a tab fish says what a word is.
    const lines = stdout.split('\n').map((line) => line.split('\t')[0]);
    return lines.filter((line) => line !== '').sort();
  };

  describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
    const isThere = spawnSync(shell, ['--version']).status === 0;
    if (!isThere) console.warn(`${shell} is not installed: its completion is not run.`);

    it.skipIf(!isThere)('offers what fits, and files only where they do', () => {
      expect(offered(shell, 'ccc', 'comp')).toEqual(['compile', 'completion']);
      expect(offered(shell, 'ccc', 'compile', 'allr')).toEqual(['allreduce']);
      expect(offered(shell, 'ccc', 'bound', 'allgather', '--overlap', 'o')).toEqual(['off', 'on']);
      expect(offered(shell, 'ccc', 'run', 'mine.json', '--inf')).toEqual(['--inflight']);
      expect(offered(shell, 'ccc', 'verify', 'mine')).toEqual(['mine.json']);
      expect(offered(shell, 'ccc', 'compile', 'allgather', '--topo', 'mi2')).toEqual(['mi250']);
      expect(offered(shell, 'ccc', 'compile', 'allgather', '--topo', 'mi')).toContain('mine.json');
      // fish offers what has these letters in their order, too.
      expect(offered(shell, 'ccc', 'show', 'mine.json', '--level', 'mine')).not.toContain('mine.json');
      expect(offered(shell, 'ccc', 'compile', 'mine')).not.toContain('mine.json');
    });
  });

  it.each(['bash', 'zsh', 'fish'])('knows every option of every command in %s', (name) => {
    const { stdout } = ccc(['completion', name]);
    const shellCheck = spawnSync(name, ['-n', fileWith(stdout, 'script')], { encoding: 'utf8' });
    // Where the shell is not installed, its grammar is not checked.
    if (shellCheck.error === undefined) expect(shellCheck.stderr).toBe('');
    for (const command of commands) {
      const flags = [...ccc([command, '--help']).stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(
        ([, flag]) => flag,
      );
      for (const flag of flags.filter((each) => each !== 'help')) expect(stdout).toContain(flag);
    }
  });
});

it('says its version to programs', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { stdout } = await inProcess(['--version', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ name: 'ccc', version, formats: { 'ccc-plan': 1 } });
});
