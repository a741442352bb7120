/** The kernel's reader: whatever is wrong with a document is refused, and by nothing but a refusal. */
import { describe, expect, it } from 'vitest';
import { json } from '../../src/emit/index.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { checkPlan } from '../../src/kernel/check.ts';
import { readPlanFile } from '../../src/kernel/read.ts';
import { lower } from '../../src/lower/index.ts';
import { fitness, instantiate, listShipped, loadScheduleFile } from '../../src/read/index.ts';
import { prove } from '../../src/verify/index.ts';
import { kernelTablesOf } from '../../src/verify/kernel-tables.ts';
import { wordOf } from './answers.ts';

const pair = `{ "format": "ccc-plan", "version": 1, "name": "x",
  "collective": { "kind": "allgather", "ranks": 2, "chunks": 1, "root": 0, "op": "sum", "inPlace": false },
  "bulks": 1, "programs": [
  { "rank": 1, "buffers": { "input": 1, "output": 2, "scratch": 0 }, "lanes": [
    { "id": 7, "ops": [{ "op": "copy", "src": ["input", 0, 1], "dst": ["output", 1, 1], "step": 0 }] },
    { "id": 1, "ops": [{ "op": "send", "peer": 0, "channel": 0, "src": ["input", 0, 1], "step": 1 }] },
    { "id": 2, "ops": [{ "op": "recv", "peer": 0, "channel": 0, "dst": ["output", 0, 1], "step": 1, "after": [[7, 0]] }] } ] },
  { "rank": 0, "buffers": { "input": 1, "output": 2, "scratch": 0 }, "lanes": [
    { "id": 0, "ops": [{ "op": "copy", "src": ["input", 0, 1], "dst": ["output", 0, 1], "step": 0 }] },
    { "id": 1, "ops": [{ "op": "send", "peer": 1, "channel": 0, "src": ["input", 0, 1], "step": 1 }] },
    { "id": 2, "ops": [{ "op": "recv", "peer": 1, "channel": 0, "dst": ["output", 1, 1], "step": 1 }] } ] } ] }`;

function answer(text: string): string {
  const document: unknown = JSON.parse(text);
  return wordOf(() => {
    const plan = readPlanFile(document);
    checkPlan(plan, plan);
  });
}

describe('the reader', () => {
  it('takes programs and lanes in any order', () => {
    expect(answer(pair)).toBe('correct');
    expect(answer(`\n${pair}\n`)).toBe('correct');
  });

  it.each([
    ['[7, 0]', '[7, -1]'],
    ['[7, 0]', '[7, 1]'],
    ['[7, 0]', '[7]'],
    ['[7, 0]', '[7, 0, 0, 0]'],
    ['[7, 0]', '[7, 0, -1]'],
    ['[7, 0]', '[2, 0]'],
    ['[7, 0]', 'null'],
    ['[[7, 0]]', '"70"'],
    ['"id": 7', '"id": 2'],
    ['"id": 7', '"id": "7"'],
    ['"rank": 1', '"rank": 0'],
    ['"rank": 1', '"rank": 1e308'],
    ['"ranks": 2', '"ranks": 1e308'],
    ['"ranks": 2', '"ranks": 3'],
    ['"ranks": 2', '"ranks": [2]'],
    ['"chunks": 1', '"chunks": 0.5'],
    ['"chunks": 1', '"chunks": 9007199254740991'],
    ['"kind": "allgather"', '"kind": "__proto__"'],
    ['"kind": "allgather"', '"kind": ["allgather"]'],
    ['"kind": "allgather"', '"kind": "custom"'],
    ['"op": "sum"', '"op": "__proto__"'],
    ['"op": "sum"', '"op": 1'],
    ['"root": 0', '"root": 2'],
    ['"root": 0', '"root": null'],
    ['"inPlace": false', '"inPlace": "false"'],
    ['"inPlace": false', '"counts": [1]'],
    ['"inPlace": false', '"counts": "11"'],
    ['"peer": 0', '"peer": 1'],
    ['"peer": 0', '"peer": -1'],
    ['"peer": 0', '"peer": 2147483648'],
    ['"channel": 0', '"channel": -1'],
    ['"channel": 0', '"channel": 0.5'],
    ['["input", 0, 1]', '["input", 0, 1, 1]'],
    ['["input", 0, 1]', '["input", 0]'],
    ['["input", 0, 1]', '["input", 0, 0]'],
    ['["input", 0, 1]', '["input", -1, 1]'],
    ['["input", 0, 1]', '["input", 1e308, 1]'],
    ['["input", 0, 1]', '["input", 4294967296, 1]'],
    ['["input", 0, 1]', '["input", "0", 1]'],
    ['["input", 0, 1]', '["__proto__", 0, 1]'],
    ['["input", 0, 1]', '{ "0": "input", "1": 0, "2": 1 }'],
    ['"dst": ["output", 0, 1], "step": 1', '"dst": ["output", 0, 1], "src": ["", 0, 2], "step": 1'],
    ['"op": "copy"', '"op": "toString"'],
    ['"op": "copy"', '"order": "first", "op": "copy"'],
    ['"scratch": 0', '"scratch": -1'],
    ['"scratch": 0', '"scratch": null'],
    ['"bulks": 1', '"bulks": 0'],
    ['"bulks": 1', '"bulks": 1e9'],
    ['"bulks": 1', '"scratchPerBulk": 0'],
    ['"bulks": 1', '"size": -1'],
    ['"bulks": 1', '"size": "1"'],
    ['"bulks": 1', '"limits": []'],
    ['"bulks": 1', '"limits": { "alignment": 0 }'],
    ['"bulks": 1', '"limits": { "messageIds": 1.5 }'],
    ['"bulks": 1', '"verification": { "inflight": -1 }'],
    ['"bulks": 1', '"verification": { "inflight": "2" }'],
    ['"bulks": 1', '"symmetry": { "shape": [2] }'],
    ['"version": 1', '"version": "1"'],
    ['"format": "ccc-plan"', '"__proto__": { "format": "ccc-plan" }'],
    ['"programs": [', '"programs": [null, '],
    ['"lanes": [', '"lanes": [[], '],
  ])('refuses %s changed to %s', (from, to) => {
    expect(pair).toContain(from);
    expect(answer(pair.replace(from, to))).toBe('malformed');
  });

  it('is not told by what it does not read', () => {
    expect(answer(pair.replace('"name"', '"__proto__": { "bulks": 7 }, "constructor": 1, "name"'))).toBe('correct');
    expect(answer(pair.replace('"root": 0', '"root": -0'))).toBe('correct');
  });

  it('refuses what is no plan at all, however deep', () => {
    const deep = '['.repeat(1_000_000);
    for (const text of ['null', '[]', '1', '"ccc-plan"', deep + ']'.repeat(1_000_000)]) {
      expect(answer(text)).toBe('malformed');
    }
    expect(answer(pair.replace('"after": [[7, 0]]', `"after": ${'['.repeat(9999)}${']'.repeat(9999)}`))).toBe(
      'malformed',
    );
  });

  it('refuses sizes that would take all memory', () => {
    const huge = pair.replaceAll('"scratch": 0', '"scratch": 2147483647');
    expect(answer(huge)).toBe('limit');
  });
});

describe('shipped schedules', () => {
  it.each(listShipped('schedules'))('%s means the same as columns and as JSON', (name) => {
    const file = loadScheduleFile(name);
    for (const [ranks, inPlace] of [
      [2, true],
      [3, false],
      [4, true],
      [8, false],
    ] as const) {
      const request = {
        ranks,
        root: ranks - 1,
        op: 'sum',
        ordered: false,
        parameters: {},
        limits: defaultLimits,
        inPlace,
      } as const;
      if (!fitness(file, request).fits) continue;
      const { proved } = prove(lower(instantiate(file, request), { bulks: 1 + (ranks % 3) }));
      if (proved === undefined) throw new Error('not proved');
      const none = {
        topology: undefined,
        size: undefined,
        dtype: undefined,
        cost: undefined,
        bound: undefined,
        origin: undefined,
      };
      // A refusal is thrown, and fails the test.
      const said = checkPlan(readPlanFile(JSON.parse([...json.emit({ proved, ...none })].join(''))));
      expect(said).toEqual(checkPlan(kernelTablesOf(proved.plan)));
    }
  });
});
