import { describe, expect, it } from 'vitest';
import { compactPlanText } from '../../src/compact/plan-json.ts';
import { proveCompact } from '../../src/compact/verify/prove.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { readPlan } from '../../src/read/index.ts';
import { readAnyPlan } from '../../src/read/plan/index.ts';
import { layeredPlan, torus } from './machines.ts';

function textOf(shape: readonly number[], chunks = 1): string {
  const { proved } = proveCompact(layeredPlan(torus(shape), { chunks, bulks: 2 }));
  if (proved === undefined) throw new Error('the plan is not proved');
  const nothing = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
  return [...compactPlanText({ proved, ...nothing, origin: undefined })].join('');
}

const read = (text: string) => readAnyPlan({ name: 'plan.json', text });

function errorOf(text: string): CccError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof CccError) return error;
  }
  throw new Error('no CccError');
}

describe('JSON of compact plans', () => {
  it('is read as what was written', () => {
    const plan = layeredPlan(torus([3, 4]), { chunks: 2, bulks: 2 });
    const document = read(textOf([3, 4], 2));
    if (!('compact' in document)) throw new Error('not compact');
    const { ops, shape, buffers, bulks, collective, laneId, firstOp } = document.compact;
    expect({ shape, buffers, bulks, collective, laneId, firstOp }).toEqual({
      shape: plan.shape,
      buffers: plan.buffers,
      bulks: plan.bulks,
      collective: plan.collective,
      laneId: plan.laneId,
      firstOp: plan.firstOp,
    });
    expect({ ...ops, origin: undefined }).toEqual({ ...plan.ops, origin: undefined });
  });

  it('has the same bytes for the same plan', () => {
    expect(textOf([4, 4])).toBe(textOf([4, 4]));
  });

  it('has the fields of the format', () => {
    const document = JSON.parse(textOf([5]));
    expect(document.symmetry).toEqual({ shape: [5] });
    expect(document.programs).toHaveLength(1);
    expect(document.programs[0].rank).toBe(0);
    expect(document.programs[0].buffers).toEqual({ input: 1, output: 5, scratch: 0 });
    const first = document.programs[0].lanes.flatMap((lane: { ops: { op: string; peer: number }[] }) =>
      lane.ops.filter(({ op }) => op === 'send'),
    )[0];
    expect(first).toMatchObject({ peer: 1, src: ['input', 0, 1], step: 1 });
  });

  it('is no full plan', () => {
    expect(() => readPlan({ name: 'plan.json', text: textOf([5]) })).toThrow('ccc convert --expand');
  });

  it('is refused with another program, without a shape, or with an extent of 0', () => {
    const text = textOf([5]);
    expect(errorOf(text.replace('"rank": 0', '"rank": 1')).message).toContain('the program of rank 0 and no other');
    expect(errorOf(text.replace('{"shape":[5]}', '{}')).message).toContain("needs 'shape'");
    expect(errorOf(text.replace('[5]', '[5, 0]')).message).toContain('an extent of at least 1');
    for (const wrong of [text.replace('"rank": 0', '"rank": 1'), text.replace('{"shape":[5]}', '{}')]) {
      expect(errorOf(wrong).code).toBe('malformed');
    }
  });

  it('may have more ranks than a full plan', () => {
    const many = (symmetry: string) =>
      read(
        `{"format":"ccc-plan","version":1,"name":"many",${symmetry}"collective":{"kind":"allgather","ranks":100000,"chunks":1},"programs":[{"rank":0,"buffers":{"input":1,"output":100000,"scratch":0},"lanes":[]}]}`,
      );
    expect('compact' in many('"symmetry":{"shape":[100000]},')).toBe(true);
    expect(() => many('')).toThrow('100000 ranks are more than the limit ranks = 65536');
  });
});
