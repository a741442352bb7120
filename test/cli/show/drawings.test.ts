/** Drawings of machines, overlays and steps, in three formats; names in them do nothing. */
import { describe, expect, it } from 'vitest';
import { machineGraph, rankGraph } from '../../../src/cli/show/graphs/graph.ts';
import { drawingFormats, graphText } from '../../../src/cli/show/graphs/index.ts';
import { resolveTopology } from '../../../src/index.ts';
import { layOutMachine } from '../../../src/view/index.ts';
import { hostileNames } from '../../hostile-names.ts';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

const show = (...args: string[]) => inProcess(['show', ...args]);

describe('ccc show --emit', () => {
  it('draws a machine: a node for each chip and switch, an edge for both ways of a link', async () => {
    // Two boxes of eight chips on a switch each, and one switch between: 19 nodes; every chip is on two switches.
    const { stdout: dot } = await show('a100:2', '--emit', 'dot');
    expect(dot.match(/^ {2}n\d+ \[/gm)).toHaveLength(19);
    expect(dot.match(/ -> .*dir=both/g)).toHaveLength(32);
    const { stdout: mermaid } = await show('a100:2', '--emit', 'mermaid');
    expect(mermaid.match(/ <-->\|"25 GB\/s"\| /g)).toHaveLength(16);
    const { stdout: svg } = await show('torus:4x4', '--emit', 'svg');
    expect(svg.match(/ rx="4"/g)).toHaveLength(16);
    expect(svg.match(/<path d="M[^"]*Q/g)).toHaveLength(32);
  });

  it('draws one step of a schedule', async () => {
    const { stdout } = await show('ring-allgather', '--ranks', '4', '--emit', 'mermaid', '--step', '2');
    expect(stdout.match(/--.*$/gm)?.filter((line) => line.includes('-->'))).toEqual(
      [0, 1, 2, 3].map((rank) => `-->|"M/4"| n${(rank + 1) % 4}`),
    );
    expect(stdout).toContain('step 2 of 3');
  });

  it('draws who talks to whom in a plan', async () => {
    // Each of three shards goes along all links of a ring but one: 2M/3 over each.
    const plan = (await inProcess(['compile', 'allgather', '--topo', 'ring:3', '--algorithm', 'ring', '--bulks', '1']))
      .stdout;
    const { stdout } = await show(fileWith(plan, 'plan.json'), '--emit', 'dot', '--level', 'overlay');
    expect(stdout.match(/ -> n\d \[label="2M\/3"\];$/gm)).toHaveLength(3);
  });

  it('refuses what cannot be drawn', async () => {
    for (const [args, words] of [
      [['ring-allgather', '--emit', 'svg', '--step', '9'], 'there are steps 1 … 3'],
      [['ring:4', '--emit', 'svg', '--step', '1'], 'no effect on a topology'],
      [['ring-allgather', '--step', '1'], '--emit'],
      [['ring-allgather', '--emit', 'svg', '--level', 'programs'], 'not programs'],
      [['torus:40x40', '--emit', 'svg'], '1024'],
    ] as const) {
      const { status, stdout, stderr } = await show(...args);
      expect([status === 0, stdout]).toEqual([false, '']);
      expect(stderr).toContain(words);
    }
  });
});

describe.each(drawingFormats)('names in %s', (format) => {
  it.each(hostileNames)('are quoted so that nothing acts on the terminal: %j', (name) => {
    const machine = resolveTopology('ring:2');
    const nodes = machine.nodes.map((node) => ({ ...node, name }));
    const text = graphText(format, machineGraph({ ...machine, name, nodes }, layOutMachine(machine)));
    const plain = graphText(format, machineGraph(machine, layOutMachine(machine)));
    // A name brings no line, no element and no quote of its own.
    expect(text.split('\n')).toHaveLength(plain.split('\n').length);
    // Quotes keep all else from Graphviz.
    if (format !== 'dot') expect(text.match(/<[a-z/]/g)?.length).toBe(plain.match(/<[a-z/]/g)?.length);
    expect(text.match(/(?<!\\)(?:\\\\)*"/g)?.length).toBe(plain.match(/(?<!\\)(?:\\\\)*"/g)?.length);
  });
});

it('puts arrows of two ways on one edge only where they say the same', () => {
  const { edges } = rankGraph('x', 3, [
    { from: 0, to: 1, label: 'M' },
    { from: 1, to: 0, label: 'M' },
    { from: 1, to: 2, label: 'M' },
    { from: 2, to: 1, label: 'M/2' },
  ]);
  expect(edges.map(({ from, to, isMutual }) => [from, to, isMutual])).toEqual([
    [0, 1, true],
    [1, 2, false],
    [2, 1, false],
  ]);
});
