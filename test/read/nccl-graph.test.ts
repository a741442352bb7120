/** NCCL's rings and trees, read from files as NCCL_GRAPH_DUMP_FILE gets them (ncclTopoGetXmlFromGraphs). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError, type SourceText } from '../../src/ir/diagnostic.ts';
import { isNcclGraphText } from '../../src/read/index.ts';
import { readNcclGraphs } from '../../src/read/nccl-graph/index.ts';
import { drawn } from '../draw.ts';

const head =
  'crossnic="0" nchannels="1" speedintra="20" speedinter="20" typeintra="NVL" typeinter="PIX" samechannels="0"';

function channel(...gpus: readonly string[]): string {
  return `<channel><net dev="0"/>${gpus.map((gpu) => `<gpu ${gpu}/>`).join('')}<net dev="1"/></channel>`;
}

function graphs(...parts: readonly string[]): SourceText {
  return { name: 'graph.xml', text: `<graphs version="1">\n${parts.join('\n')}\n</graphs>\n` };
}

function graph(id: number, pattern: number, ...channels: readonly string[]): string {
  return `<graph id="${id}" pattern="${pattern}" ${head}>${channels.join('')}</graph>`;
}

describe('a graph file', () => {
  it('gives the order of each channel, by ranks where there are any', () => {
    const ring = graph(
      0,
      4,
      channel('dev="0x1" rank="9"', 'dev="0x0" rank="8"'),
      channel('dev="0x0" rank="8"', 'dev="0x1" rank="9"'),
    );
    const tree = graph(1, 2, channel('dev="0x1" rank="9"', 'dev="0x0" rank="8"'));
    const { gpus, rings, trees, notes } = readNcclGraphs(
      graphs(ring, tree, graph(2, 3), graph(3, 5, channel('dev="0"'))),
    );
    expect({ gpus, rings, trees }).toEqual({
      gpus: 2,
      rings: [
        [1, 0],
        [0, 1],
      ],
      trees: { orders: [[1, 0]], pattern: 2 },
    });
    expect(notes).toHaveLength(2);
  });

  it('gives it by devices where older releases write no ranks', () => {
    const { rings, trees } = readNcclGraphs(graphs(graph(0, 4, channel('dev="3"', 'dev="0x1"', 'dev="2"'))));
    expect(rings).toEqual([[2, 0, 1]]);
    expect(trees).toBeUndefined();
  });

  it('is told from other XML by its outermost element', () => {
    expect(isNcclGraphText({ name: 'a', text: '<?xml version="1.0"?>\n<!-- a -->\n<graphs version="1">' })).toBe(true);
    expect(isNcclGraphText({ name: 'a', text: '<system version="1"><graphs/></system>' })).toBe(false);
    expect(isNcclGraphText({ name: 'a', text: '# <graphs>' })).toBe(false);
  });

  const two = channel('dev="0"', 'dev="1"');
  it.each([
    ['another outermost element', '<system/>', '<system/>', /expected <graphs>/],
    ['half a file', graphs(graph(0, 4, two)).text.slice(0, 90), undefined, /not XML/],
    ['no channels', graphs(graph(0, 4)).text, '<graphs version="1">', /expected channels/],
    ['a GPU twice', graphs(graph(0, 4, channel('dev="0"', 'dev="0"'))).text, '<channel>', /each once, found 0, 0/],
    ['a GPU too few', graphs(graph(0, 4, two, channel('dev="0"'))).text, '<channel>', /GPUs 0, 1 once/],
    ['rings with the pattern of trees', graphs(graph(0, 1, two)).text, '1', /rings have pattern 4, not 1/],
    ['trees with the pattern of rings', graphs(graph(1, 4, two)).text, '4', /trees have pattern 1, 2, 3, not 4/],
    ['rings twice', graphs(graph(0, 4, two), graph(0, 4, two)).text, '0', /id 0 already/],
    ['a device that is no number', graphs(graph(0, 4, channel('dev="GPU"'))).text, 'GPU', /number of a device/],
    ['another element in a channel', graphs(graph(0, 4, '<channel><cpu/></channel>')).text, '<cpu/>', /expected <gpu>/],
  ])('is refused for %s, with the place', (_what, text, place, message) => {
    const error = errorOf(() => readNcclGraphs({ name: 'graph.xml', text }));
    expect(error.message).toMatch(message);
    const { range } = error;
    if (place !== undefined) expect(range?.source.text.slice(range.start, range.end)).toBe(place);
  });
});

describe('damaged graph files', () => {
  const sample = graphs(
    graph(
      0,
      4,
      channel('dev="0x0" rank="0"', 'dev="0x1" rank="1"'),
      channel('dev="0x1" rank="1"', 'dev="0x0" rank="0"'),
    ),
    graph(1, 3, channel('dev="0x0" rank="0"', 'dev="0x1" rank="1"')),
  ).text;
  /** Whether it is read; anything but a CccError is a fault. */
  const isRead = (text: string): boolean => {
    try {
      const { gpus, rings = [], trees } = readNcclGraphs({ name: 'graph.xml', text });
      for (const order of [...rings, ...(trees?.orders ?? [])])
        expect([...order].sort()).toEqual([...Array(gpus).keys()]);
      return true;
    } catch (error) {
      if (error instanceof CccError) return false;
      throw error;
    }
  };

  it('are read or refused wherever they are cut or changed', () => {
    expect(isRead(sample)).toBe(true);
    for (let end = 0; end < sample.length; end += 7) expect(isRead(sample.slice(0, end))).toBe(false);
    const change = fc.record({
      at: fc.nat(sample.length),
      cut: fc.nat(8),
      put: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom('0', '-1', '99999999999', '"', '<', '</channel>', '<gpu dev="2"/>'),
      ),
    });
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        seen.add(
          isRead(changes.reduce((text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut), sample)),
        );
      }),
      drawn(200),
    );
    // Both sides are met, or the test would show little.
    expect(seen.size).toBe(2);
  });
});

function errorOf(read: () => unknown): CccError {
  try {
    read();
  } catch (error) {
    if (error instanceof CccError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
