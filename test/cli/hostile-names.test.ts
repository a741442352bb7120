/** What files and arguments call things never acts on the terminal: not in reports, errors, excerpts of files, JSON, or results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { acting } from '../hostile-names.ts';
import { emptyFolder } from '../temporary.ts';
import { inProcess } from './in-process.ts';

/** Clears the screen, sets its title, speaks eight-bit CSI, turns the direction of writing, and forges a line of a report. */
const name = 'x\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\u2066\u2028\ncorrect: forged * (allgather)';
const quoted = JSON.stringify(name);

/** As `name` as it can be in XML, which has no control characters of 7 bits. */
const xmlName = 'x\u009b31m\u202e\u2066\u2028&#10;correct: forged */';

const schedule = `format: ccc-schedule
version: 1
name: linear-allgather
about: ${quoted}
collective: allgather
ranks: 2
steps:
  - step:
      - { copy: 0 -> 1, what: shard 0 }
`;

const algorithm = `<algo name="${xmlName}" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0" outofplace="1" minBytes="0" maxBytes="0">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
<tb id="1" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
<tb id="1" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
</algo>
`;

const machine = `format: ccc-topology
version: 1
name: named
about: ${quoted}
chips: 2
chip: { name: ${quoted} }
link: { latency: 1 us, bandwidth: 10 GB/s }
links:
  - { duplex: 0 <-> 1 }
notes: [${quoted}]
`;

const folder = join(emptyFolder(), name);
const at = (file: string): string => join(folder, file);
const plan = at('plan.json');
const topology = at('machine.yaml');

beforeAll(async () => {
  mkdirSync(folder);
  const files = {
    schedule,
    algorithm,
    machine,
    wrong: algorithm.replace(
      'type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"',
      'type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1"',
    ),
  };
  writeFileSync(at('schedule.yaml'), files.schedule);
  writeFileSync(at('algorithm.xml'), files.algorithm);
  writeFileSync(at('wrong.xml'), files.wrong);
  writeFileSync(topology, files.machine);
  writeFileSync(at('broken.yaml'), `format: ccc-schedule\nversion: 1\n${quoted}: 1 # ${name}`);
  writeFileSync(at('broken.json'), `{"format": "ccc-plan", "version": 1, "name": ${quoted}, "programs": ${quoted}}`);
  const { stdout } = await inProcess(['convert', at('algorithm.xml'), '--topo', topology, '--size', '1MiB']);
  const document = JSON.parse(stdout);
  writeFileSync(plan, JSON.stringify({ ...document, name, origin: { engine: name, schedule: name } }));
});

/** Commands whose output would say the name, and how they end. */
const commands: readonly (readonly [status: number, ...args: string[]])[] = [
  [0, 'verify', plan],
  [0, 'verify', plan, '--json'],
  [0, 'verify', plan, '--topo', 'line:2'],
  [0, 'verify', at('algorithm.xml'), '--json'],
  [1, 'verify', at('wrong.xml')],
  [1, 'verify', at('wrong.xml'), '--json'],
  [1, 'verify', at('schedule.yaml')],
  [2, 'verify', at('broken.yaml')],
  [1, 'verify', at('broken.json')],
  [2, 'verify', at('broken.yaml'), '--json'],
  [2, 'verify', at('no such file')],
  [2, name],
  [2, 'compile', name, '--topo', topology],
  [2, 'compile', 'allgather', '--topo', name],
  [2, 'compile', 'allgather', '--topo', topology, `--${name}`],
  [2, 'compile', 'allgather', '--topo', topology, '--algorithm', name],
  [2, 'compile', 'allgather', '--topo', topology, '--set', name],
  [2, 'compile', 'allgather', '--topo', topology, '--size', name],
  [0, 'compile', 'allgather', '--topo', topology, '--explain'],
  [0, 'compile', 'allgather', '--topo', topology, '--json'],
  [0, 'compile', 'allgather', '--topo', topology, '--bulks', 'auto'],
  [0, 'compile', 'allgather', '--topo', topology, '--emit', 'ts'],
  [0, 'compile', 'allgather', '--topo', topology, '--emit', 'trace'],
  [2, 'compile', 'allgather', '--topo', topology, '--emit', name],
  [0, 'bound', 'allgather', '--topo', topology],
  [0, 'bound', 'allgather', '--topo', topology, '--json'],
  [0, 'tune', 'allgather', '--topo', topology, '--sizes', '1KiB..2KiB'],
  [0, 'tune', 'allgather', '--topo', topology, '--sizes', '1KiB..2KiB', '--json'],
  [0, 'pareto', 'allgather', '--topo', topology],
  [0, 'show', topology],
  [0, 'show', at('schedule.yaml')],
  ...['overlay', 'underlay', 'steps', 'programs', 'definition'].map((level): [number, ...string[]] => [
    ...([0, 'show', plan, '--level', level, '--topo', topology, '--size', '1MiB'] as const),
  ]),
  [0, 'convert', plan, '--emit', 'ts'],
  [0, 'convert', plan, '--emit', 'mpi-c'],
  [0, 'convert', plan, '--emit', 'msccl-xml'],
  [0, 'convert', plan],
  [2, 'convert', plan, '--topo', name],
  [0, 'optimize', plan, '--topo', topology, '--size', '1MiB'],
  [0, 'run', plan, '--size', '1KiB'],
  [2, 'run', at('algorithm.xml')],
  [2, 'list', name],
];

describe('nothing that has a name of its own making acts on the terminal', () => {
  it.each(
    commands.map((command, index) => [`${index}: ccc ${command[1] === name ? 'NAME' : command[1]}`, command] as const),
  )('in %s', async (_, [status, ...args]) => {
    const outcome = await inProcess(args);
    const printed = `${outcome.stdout}${outcome.stderr}`;
    expect(acting.exec(printed.replaceAll('\n', ''))?.index).toBe(undefined);
    expect(printed).not.toMatch(/^correct: forged/m);
    expect({ status: outcome.status, printed }).toEqual({ status, printed });
  });
});

it('files get the name as it is, JSON as an escape', async () => {
  const { stdout } = await inProcess(['convert', plan]);
  expect(JSON.parse(stdout).name).toBe(name);
});
