/** Machines from dumps on the command line: what `ccc convert` writes is the machine that `--topo` takes the dump for. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { topologyDigest } from '../../../src/emit/index.ts';
import { withProtocol } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { samples } from '../../read/machines/samples.ts';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';

const options: Readonly<Record<string, readonly string[]>> = {
  'topo.xml': ['--boxes', '2'],
  'topo.txt': ['--gpu', 'v100', '--links', 'all'],
  'network.yml': [],
  'sccl.json': [],
};

/** The topology block of the plan of an allgather on a machine. */
async function planned(folder: string, topo: string, ...more: readonly string[]) {
  const outcome = await inProcess(
    ['compile', 'allgather', '--topo', topo, '--engine', 'library', '--size', '1M', '-o', 'plan.json', ...more],
    '',
    folder,
  );
  expect(outcome).toMatchObject({ status: 0 });
  return JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')).topology;
}

describe.each(Object.entries(samples))('the dump %s', (name, text) => {
  it('converts to a file of the same machine, with its own name', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, name), text);
    expect(await inProcess(['convert', name, '-o', 'machine.yaml', ...options[name]], '', folder)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    const direct = await planned(folder, name, ...options[name]);
    expect(await planned(folder, 'machine.yaml')).toEqual(direct);
    expect(direct.name).toBe(name === 'sccl.json' ? 'square' : name.replace(/\..*/, ''));
    const written = readFileSync(join(folder, 'machine.yaml'), 'utf8');
    expect(written).toMatch(/^source: /m);
    for (const line of written.split('\n').filter((each) => /^ *latency:/.test(each))) expect(line).toContain('#');
  });
});

describe('a dump on the command line', () => {
  const folder = emptyFolder();
  for (const [name, text] of Object.entries(samples)) writeFileSync(join(folder, name), text);

  it('of another tool is refused, with what is read', async () => {
    writeFileSync(join(folder, 'lstopo.txt'), 'Machine (63GB total)\n  Package L#0\n');
    const { status, stderr } = await inProcess(['convert', 'lstopo.txt', '-o', 'machine.yaml'], '', folder);
    expect(status).toBe(2);
    expect(stderr).toContain('lstopo.txt describes no machine that ccc knows');
  });

  it('is shown, and loses what --without names', async () => {
    expect((await inProcess(['show', 'topo.xml'], '', folder)).stdout).toContain(
      'A host of 3 GPUs, read from the NCCL topology topo.xml',
    );
    const { stderr } = await inProcess(
      ['bound', 'allgather', '--topo', 'network.yml', '--without', 'switch 5 of dimension 2'],
      '',
      folder,
    );
    expect(stderr).toBe('');
    expect(
      (await inProcess(['bound', 'allgather', '--topo', 'topo.xml', '--without', 'gpu 2', '--size', '1G'], '', folder))
        .stdout,
    ).toContain('no allgather of 1 GiB on topo --without chip:2 takes less than');
  });

  it('is read from standard input', async () => {
    expect((await inProcess(['bound', 'allgather', '--topo', '-'], samples['network.yml'])).stdout).toContain(
      'on stdin takes',
    );
  });

  it.each<[string, readonly string[], number, string]>([
    [
      'a GPU for what says its own',
      ['show', 'topo.xml', '--gpu', 'h100'],
      2,
      '--gpu means nothing to a topology of NCCL',
    ],
    [
      'boxes of a shipped machine',
      ['show', 'ring:4', '--boxes', '2'],
      2,
      '--boxes is for machines that other tools describe',
    ],
    [
      'boxes of a file of ccc',
      ['bound', 'allgather', '--topo', 'machine.yaml', '--boxes', '2'],
      2,
      'is a topology of ccc',
    ],
    ['options of plans', ['convert', 'topo.xml', '--ranks', '4'], 2, '--ranks is for plans'],
    ['a format of plans', ['convert', 'topo.xml', '--emit', 'ts'], 2, 'a machine becomes a topology file, not ts'],
    ['a table without its GPU', ['convert', 'topo.txt'], 2, 'say which GPUs these are with --gpu'],
    ['a choice of links that there is not', ['show', 'topo.xml', '--links', 'pcie'], 2, "'pcie' is no choice of links"],
  ])('is refused with %s', async (_, args, status, words) => {
    writeFileSync(join(folder, 'machine.yaml'), 'format: ccc-topology\nversion: 1\nname: one\nchips: 1\n');
    const outcome = await inProcess(args, '', folder);
    expect(outcome.stderr).toContain(words);
    expect(outcome.status).toBe(status);
  });
});

describe('a topology file', () => {
  it.each(['a100', 'h100', 'mi300x'])('%s keeps its lanes and protocols when it is converted', async (name) => {
    const folder = emptyFolder();
    const text = readFileSync(new URL(`../../../topologies/${name}.yaml`, import.meta.url), 'utf8');
    writeFileSync(join(folder, 'own.yaml'), text);
    const outcome = await inProcess(['convert', 'own.yaml', '-o', 'again.yaml'], '', folder);
    expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' });
    const [before, after] = [resolveTopology(name), resolveTopology(join(folder, 'again.yaml'))];
    const protocols = Object.keys(before.protocols ?? {});
    expect(protocols.length).toBeGreaterThan(1);
    expect(topologyDigest(after)).toBe(topologyDigest(before));
    for (const protocol of protocols) {
      expect(topologyDigest(withProtocol(after, protocol))).toBe(topologyDigest(withProtocol(before, protocol)));
      expect(topologyDigest(withProtocol(after, protocol))).not.toBe(topologyDigest(before));
    }
  });
});
