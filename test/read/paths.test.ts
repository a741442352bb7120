/** Paths of machines as Windows writes them, and with spaces. No Windows is needed: what is tested is how names are told apart and cut. */
import { expect, it } from 'vitest';
import { isFilePath, resolveTopology } from '../../src/read/index.ts';

const text = `format: ccc-topology
version: 1
name: own
parameters: { n: { default: 4 } }
chips: n
link: { latency: 1 us, bandwidth: 25 GB/s, occupancy: blocking }
links:
  - { for: i in 0 .. n - 1, duplex: i <-> (i + 1) % n }
`;

it.each([
  ['C:\\my machines\\own.yaml', 4],
  ['C:\\my machines\\own.yaml:6', 6],
  ['C:/machines/own.yaml:5', 5],
  ['.\\own.yaml', 4],
  ['..\\a b\\own.yml:3', 3],
  ['\\\\server\\share\\own.yaml', 4],
  ['./a b/own.yaml:5', 5],
])('%s has %d chips', (name, chips) => {
  const [, file = name] = /^(.*\.ya?ml):\d+$/.exec(name) ?? [];
  expect(isFilePath(file)).toBe(true);
  const opened: string[] = [];
  const read = (path: string) => {
    opened.push(path);
    return { name: path, text };
  };
  expect(resolveTopology(name, { read }).chips).toHaveLength(chips);
  expect(opened).toEqual([file]);
});
