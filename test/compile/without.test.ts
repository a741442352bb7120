/** A broken link or chip on every shipped topology: a plan, or an error that says what cannot be reached. */
import { describe, expect, it } from 'vitest';
import { type CollectiveKind, compile, compileDefaults, resolveTopology, type Topology } from '../../src/index.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { listShipped, parseRemoval, withoutChip, withoutLink } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';

const topologies = listShipped('topologies').map((name) => resolveTopology(name));

/** What `--without` calls a node: chips by rank, others by name. */
function reference(topology: Topology, node: number): string {
  const rank = topology.chips.indexOf(node);
  return rank >= 0 ? String(rank) : topology.nodes[node].name;
}

/** `link:A-B` for every linked pair and `chip:R` for every chip. */
function removals(topology: Topology): string[] {
  const pairs = topology.links.map(({ from, to }) => {
    const [a, b] = from < to ? [from, to] : [to, from];
    return `link:${reference(topology, a)}-${reference(topology, b)}`;
  });
  return [...new Set(pairs), ...topology.chips.map((_, rank) => `chip:${rank}`)];
}

function without(topology: Topology, text: string): Topology {
  const removal = parseRemoval(text);
  return removal.kind === 'chip' ? withoutChip(topology, removal.chip) : withoutLink(topology, removal.a, removal.b);
}

/** Whether every chip reaches every other, by Warshall's closure of what is left. */
function staysConnected(topology: Topology, text: string): boolean {
  const removal = parseRemoval(text);
  const named = (place: number | string) =>
    typeof place === 'number' ? topology.chips[place] : topology.nodes.findIndex(({ name }) => name === place);
  const gone = removal.kind === 'chip' ? topology.chips[removal.chip] : -1;
  const cut = removal.kind === 'link' ? [named(removal.a), named(removal.b)] : [];
  const size = topology.nodes.length;
  const reach = Array.from({ length: size }, (_, node) => new Uint8Array(size).fill(1, node, node + 1));
  for (const { from, to } of topology.links) {
    if (from === gone || to === gone || (cut.includes(from) && cut.includes(to))) continue;
    reach[from][to] = 1;
  }
  for (let via = 0; via < size; via++) {
    for (let from = 0; from < size; from++) {
      if (reach[from][via] === 1) for (let to = 0; to < size; to++) reach[from][to] |= reach[via][to];
    }
  }
  const chips = topology.chips.filter((chip) => chip !== gone);
  return chips.every((from) => chips.every((to) => reach[from][to] === 1));
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'fine';
  } catch (error) {
    if (error instanceof CccError) return error.code;
    throw error;
  }
}

describe.each(topologies.map((topology) => [topology.name, topology] as const))('%s', (_, topology) => {
  it('loses any link or chip, or says that it would fall apart', () => {
    expect(topology.chips.length).toBeLessThanOrEqual(64);
    for (const text of removals(topology)) {
      const expected = staysConnected(topology, text) ? 'fine' : 'disconnected';
      expect(`${text}: ${codeOf(() => without(topology, text))}`).toBe(`${text}: ${expected}`);
    }
  });

  const possible = removals(topology).filter((text) => staysConnected(topology, text));
  const some = [possible[0], possible[Math.floor(possible.length / 2)], possible.at(-1)];
  it.each([...new Set(some.filter((text) => text !== undefined))])('has plans without %s', (text) => {
    const broken = without(topology, text);
    const ranks = broken.chips.length;
    for (const kind of ['allgather', 'allreduce'] satisfies CollectiveKind[]) {
      const collective = collectiveOf(kind, ranks);
      const { bundle } = compile({
        ...compileDefaults,
        collective,
        topology: broken,
        size: 2 ** 20,
        engine: 'library',
      });
      expect(bundle.proved.verification.verdict).toBe('correct');
      expect(bundle.proved.plan.name).toContain(text.replaceAll(' ', '-'));
      expect(bundle.bound.seconds).toBeLessThanOrEqual(bundle.cost.seconds * (1 + 1e-9));
    }
  });
});

describe('what --without takes', () => {
  const topology = resolveTopology('fattree');

  it.each(['link:0-switch 0', 'link:0-switch0', ' link: switch 0 - 0 '])('%s', (text) => {
    expect(codeOf(() => without(topology, text))).toBe('disconnected');
  });

  it.each([
    ['link:0-switch 99', 'fattree:4,4,2 has no switch 99; '],
    ['link:0-host 0', 'fattree:4,4,2 has no host 0; '],
    ['link:0-1', 'fattree:4,4,2 has no link between chip 0 and chip 1; chip 0 has links to switch 0'],
    ['chip:16', 'fattree:4,4,2 has no chip 16: there are 0 … 15'],
    ['switch:1', "expected link:A-B or chip:R, such as link:0-1 or link:0-switch2, found 'switch:1'"],
  ])('refuses %s', (text, message) => {
    expect(() => without(topology, text)).toThrow(message);
  });

  it('says that a machine has only chips', () => {
    expect(() => without(resolveTopology('ring:4'), 'link:0-switch 1')).toThrow(
      'ring:4 has no switch 1; it has only chips',
    );
  });
});
