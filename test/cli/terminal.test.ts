/** On a terminal: where the plan goes, how wide lines are, and when there are colours. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fitted, hasColours, painted, widthOf } from '../../src/cli/terminal.ts';
import { emptyFolder } from '../temporary.ts';

const bin = new URL('../../bin/ccc.js', import.meta.url).pathname;
const hasPython = spawnSync('python3', ['--version']).status === 0;
/** Runs a command on a terminal of that many columns and prints what it writes there. */
const onTerminal = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
try:
    while block := os.read(terminal, 65536):
        text += block
except OSError:
    pass
sys.stdout.buffer.write(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

function terminal(columns: number, args: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  const { stdout, status } = spawnSync('python3', ['-c', onTerminal, `${columns}`, process.execPath, bin, ...args], {
    encoding: 'utf8',
    cwd: emptyFolder(),
    env: { ...process.env, ...environment },
  });
  expect(status).toBe(0);
  // What progress wrote is overwritten.
  const lines = stdout.replaceAll('\r\n', '\n').split('\n');
  return lines.map((line) => line.split('\x1b[K').at(-1)).join('\n');
}

describe.skipIf(!hasPython)('on a terminal (needs python3)', () => {
  const args = ['compile', 'allgather', '--topo', 'sg2260x4'];

  it('compile prints its report and where the plan is', () => {
    const shown = terminal(80, args, { NO_COLOR: '1' });
    const lines = shown.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^plan +halved-ring-allgather-sg2260x4$/);
    expect(
      Math.max(...lines.filter((line) => !line.startsWith('written')).map((line) => [...line].length)),
    ).toBeLessThanOrEqual(80);
    const path = /^written to (\S+plan\.json)$/m.exec(shown)?.[1] ?? '';
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 'ccc-plan' });
    expect(shown).not.toContain('"format"');
  });

  it('so does a compact plan', () => {
    const shown = terminal(80, ['compile', 'allgather', '--topo', 'ring:6', '--compact']);
    expect(shown).toMatch(/^written to \S+plan\.json$/m);
    expect(shown).not.toContain('"format"');
  });

  it('compile prints what is asked for by its format, or writes it where -o says', () => {
    expect(terminal(80, [...args, '--emit', 'json'], { NO_COLOR: '1' })).toContain('"format": "ccc-plan"');
    const path = `${emptyFolder()}/own.json`;
    expect(terminal(80, [...args, '-o', path])).not.toContain('written to');
    expect(existsSync(path)).toBe(true);
  });

  it('optimize and convert print their reports and where the plan is', () => {
    const optimized = terminal(80, ['optimize', 'ring-allgather', '--topo', 'ring:4'], { NO_COLOR: '1' });
    expect(optimized).toMatch(/^after (.|\n)*times as fast/m);
    const converted = terminal(80, ['convert', 'ring-allgather', '--topo', 'ring:4']);
    expect(converted).toMatch(/^proved: ring-allgather \(allgather on 4 ranks\)$/m);
    expect(converted).toMatch(/^the plan takes \S+ ms for 64 MiB/m);
    for (const shown of [optimized, converted]) {
      expect(shown).not.toContain('"format"');
      const path = /^written to (\S+plan\.json)$/m.exec(shown)?.[1] ?? '';
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 'ccc-plan' });
    }
  });

  it('verify and show break lines at words, and keep to the width', () => {
    for (const args of [
      ['verify', 'ring-allgather', '--topo', 'ring:4'],
      ['show', 'ring-allgather', '--topo', 'h100:1', '--level', 'links'],
    ]) {
      const lines = terminal(72, args, { NO_COLOR: '1' }).trimEnd().split('\n');
      expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(72);
    }
  });

  it('says after a loss what the whole machine took', () => {
    // A ring of four without a link is a line: the whole machine takes 2α + 3M/8β, a line at least 3M/4β.
    const shown = terminal(100, ['compile', 'allgather', '--topo', 'ring:4', '--without', 'link:0-1']);
    const ratio = /^the whole machine: .* on ring:4 by a quick search; this plan takes ([\d.]+) times as long$/m.exec(
      shown,
    );
    expect(Number(ratio?.[1])).toBeGreaterThan(1.9);
  });

  it('has colours, unless NO_COLOR is set', () => {
    expect(terminal(80, ['verify', 'ring-allgather', '--ranks', '2'])).toContain('\x1b[32mcorrect\x1b[39m: ');
    expect(terminal(80, ['verify', 'ring-allgather', '--ranks', '2'], { NO_COLOR: '1' })).not.toContain('\x1b');
  });
});

describe('colours', () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: false }, {}, false],
    [{}, {}, false],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, { FORCE_COLOR: '1' }, true],
    [{ isTTY: false }, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ isTTY: true }, { FORCE_COLOR: '0' }, false],
  ])('%j with %j: %s', (stream, environment, wanted) => {
    expect(hasColours(stream, environment)).toBe(wanted);
  });

  it('are put at the start of lines only', () => {
    expect(painted('race: mine\n  race: told\n')).toBe('\x1b[31mrace\x1b[39m: mine\n  race: told\n');
    expect(painted('3 | copy: 0\n  |   ^^^^\n')).toContain('\x1b[31m^^^^\x1b[39m');
  });
});

it('knows no width of pipes and of terminals that say none', () => {
  expect([widthOf({}), widthOf({ columns: 0 }), widthOf({ columns: 72 })]).toEqual([undefined, undefined, 72]);
});

describe('lines that are too long', () => {
  it('are broken at words, two columns further in', () => {
    expect(fitted('  one two three four\nfive', 12)).toBe('  one two\n    three\n    four\nfive');
    expect(fitted('unbreakable-and-long', 5)).toBe('unbreakable-and-long');
  });

  it('of tables, of files and of samples stay', () => {
    for (const text of ['| a very long row | of a table |', '12 |   copy: r -> (r + 1) % N', '```\na long line\n```']) {
      expect(fitted(text, 8)).toBe(text);
    }
  });
});
