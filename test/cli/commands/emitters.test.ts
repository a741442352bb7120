/** Target formats on the command line: which there are, what is written, and what is refused before anything is. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';

describe('formats of --emit', () => {
  it('are listed', async () => {
    const names = (await inProcess(['list', 'emitters'])).stdout.split('\n').map((line) => line.split(' ')[0]);
    expect(names).toEqual(expect.arrayContaining(['json', 'msccl-xml', 'msccl-xml-rccl', 'mscclpp', 'trace', 'goal']));
  });

  it('go from plan to MSCCL XML and back', async () => {
    const folder = emptyFolder();
    const compile = ['compile', 'allreduce', '--topo', 'ring:4', '--size', '1MiB', '--op', 'max'];
    expect((await inProcess([...compile, '--emit', 'msccl-xml', '-o', 'a.xml'], '', folder)).status).toBe(0);
    const verified = await inProcess(['verify', 'a.xml', '--op', 'max'], '', folder);
    expect(verified).toMatchObject({ status: 0 });
    expect(verified.stdout).toContain('no deadlock with 2 transfers in flight per connection');
    expect((await inProcess(['convert', 'a.xml', '-o', 'a.json'], '', folder)).status).toBe(0);
    const again = await inProcess(['convert', 'a.json', '--emit', 'msccl-xml-rccl', '-o', 'b.xml'], '', folder);
    expect(again).toMatchObject({ status: 0 });
    expect((await inProcess(['verify', 'b.xml'], '', folder)).status).toBe(0);
  });

  it('say what a plan takes where they have no bulks', async () => {
    const folder = emptyFolder();
    const machine = ['--topo', 'h100', '--protocol', 'LL', '--size', '1MiB'];
    const compile = ['compile', 'allreduce', ...machine, '--emit', 'msccl-xml', '-o', 'a.xml'];
    const inSeveral = await inProcess([...compile, '--algorithm', 'ring-allreduce', '--bulks', '4'], '', folder);
    const told =
      /the msccl-xml file takes ([\d.]+ .s) for 1 MiB .* of the plan; msccl-xml has no bulks, and the plan has 4/;
    expect(inSeveral.stderr).toMatch(told);
    const verified = await inProcess(['verify', 'a.xml', ...machine], '', folder);
    expect(verified.stdout).toContain(`takes ${told.exec(inSeveral.stderr)?.[1]} for 1 MiB`);
    const inOne = await inProcess([...compile, '--algorithm', 'ring-allreduce'], '', folder);
    expect(inOne.stderr).toContain('msccl-xml has no bulks: the plan is the best that was found in one');
    const [read] = / takes [\d.]+ .s for 1 MiB/.exec(inOne.stderr) ?? [];
    expect((await inProcess(['verify', 'a.xml', ...machine], '', folder)).stdout).toContain(`the plan${read}`);
    const json = await inProcess(['compile', 'allreduce', ...machine, '--algorithm', 'ring-allreduce'], '', folder);
    expect(JSON.parse(json.stdout).bulks).toBeGreaterThan(1);
  });

  it('say what an MSCCL++ file takes, under the protocol that it names', async () => {
    const folder = emptyFolder();
    const machine = ['--topo', 'h100', '--size', '64MiB'];
    const compile = ['compile', 'allgather', ...machine, '--emit', 'mscclpp', '-o', 'a.json'];
    const { stderr } = await inProcess(compile, '', folder);
    const [, time] =
      /time of the file +the file takes ([\d.]+ .s) for 64 MiB on h100 --protocol Simple/.exec(stderr) ?? [];
    const { stdout } = await inProcess(['verify', 'a.json', ...machine], '', folder);
    expect(stdout).toContain(`time: the plan takes ${time} for 64 MiB on h100 --protocol Simple`);
  });

  it('go from plan to MSCCL++ and to a verdict on it', async () => {
    const folder = emptyFolder();
    const compile = ['compile', 'allgather', '--topo', 'ring:4', '--size', '1MiB', '--emit', 'mscclpp', '-o', 'p.json'];
    const compiled = await inProcess(compile, '', folder);
    expect(compiled.status).toBe(0);
    expect(compiled.stderr).toMatch(/\d+ of \d+ handshakes before messages/);
    const verified = await inProcess(['verify', 'p.json'], '', folder);
    expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining('no data race in any interleaving') });
    expect((await inProcess(['show', 'p.json'], '', folder)).stdout).toMatch(/put {2}input\[0:\d\] -> gpu \d output/);
    const text = readFileSync(join(folder, 'p.json'), 'utf8');
    const unsignalled = text.replace(/"name": "signal"/, '"name": "nop"');
    const document = JSON.parse((await inProcess(['verify', '-', '--json'], unsignalled, folder)).stdout);
    expect(document).toMatchObject({ ok: false, verdict: 'mismatched', collective: 'allgather', ranks: [4] });
    expect(document.findings[0].message).toContain('a signal is missing');
    expect(document.findings[0].source.line).toBeGreaterThan(1);
    const half = await inProcess(['verify', '-'], text.slice(0, 2000), folder);
    expect(half).toMatchObject({ status: 2, stderr: expect.stringContaining('is not JSON') });
    const machine = ['--topo', 'ring:4', '--size', '1MiB'];
    const [time] =
      /takes .* for 1 MiB on ring:4 .*/.exec((await inProcess(['verify', 'p.json', ...machine], '', folder)).stdout) ??
      [];
    expect(time).toContain('simulated');
    expect((await inProcess(['show', 'p.json', ...machine], '', folder)).stdout).toContain(`\n${time}\n`);
    const converted = await inProcess(['convert', 'p.json', ...machine], '', folder);
    expect(converted).toEqual({ status: 0, stdout: text, stderr: `the plan ${time}\n` });
    const refused = await inProcess(['convert', '-'], unsignalled, folder);
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('a signal is missing') });
    const other = await inProcess(['convert', 'p.json', '--emit', 'json'], '', folder);
    expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('is an MSCCL++ execution plan') });
  });

  it('show compiled and converted plans over time', async () => {
    const folder = emptyFolder();
    expect(
      (await inProcess(['compile', 'allgather', '--topo', 'ring:3', '--size', '3kB', '-o', 'p.json'], '', folder))
        .status,
    ).toBe(0);
    const onto = ['convert', 'p.json', '--topo', 'ring:3', '--size', '3kB', '--emit'];
    const compiled = await inProcess(
      ['compile', 'allgather', '--topo', 'ring:3', '--size', '3kB', '--emit', 'trace'],
      '',
      folder,
    );
    const converted = await inProcess([...onto, 'trace'], '', folder);
    expect(converted).toMatchObject({ status: 0, stdout: compiled.stdout });
    expect(JSON.parse(converted.stdout).length).toBeGreaterThan(3 * 4);
    const goal = await inProcess([...onto, 'goal'], '', folder);
    expect(goal.stdout).toMatch(/^num_ranks 3\n\nrank 0 \{\nl\d+: /);
  });

  it('say what they lack, and leave no file', async () => {
    const folder = emptyFolder();
    expect((await inProcess(['convert', 'chain-scan', '--ranks', '3', '-o', 'p.json'], '', folder)).status).toBe(0);
    for (const [format, words] of [
      ['msccl-xml', 'not scan'],
      ['trace', '--topo, --size'],
      ['goal', '--size'],
    ]) {
      const outcome = await inProcess(['convert', 'p.json', '--emit', format, '-o', 'out'], '', folder);
      expect(outcome.status).not.toBe(0);
      expect(outcome.stderr).toContain(`${format} cannot express this plan`);
      expect(outcome.stderr).toContain(words);
      expect(existsSync(join(folder, 'out'))).toBe(false);
    }
    expect(readFileSync(join(folder, 'p.json'), 'utf8')).toContain('"kind":"scan"');
  });
});
