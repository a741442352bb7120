/** Reading MSCCL++ execution plans: what is missing or of another kind has a place; damaged files end in a verdict or an error. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { verdicts } from '../../../src/ir/verification.ts';
import { judgeExecutionPlan } from '../../../src/mscclpp/check/index.ts';
import { isMscclppText, readMscclpp } from '../../../src/mscclpp/read/index.ts';
import { drawn } from '../../draw.ts';
import { exchange, packetExchange, portAllgather, sourceOf } from '../check/plans.ts';

const limits = { ...defaultLimits, operations: 1000, ranks: 16 };

/** The error of reading, with the text that it points at. */
function failure(text: string): { code: string; message: string; at: string } {
  try {
    readMscclpp({ name: 'plan.json', text }, { limits });
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    const { range } = error;
    return {
      code: error.code,
      message: error.message,
      at: range === undefined ? '' : text.slice(range.start, range.end),
    };
  }
  return { code: 'none', message: '', at: '' };
}

describe('recognition', () => {
  it('by content', () => {
    expect(isMscclppText(sourceOf(exchange()))).toBe(true);
    expect(isMscclppText(sourceOf({ format: 'ccc-plan', gpus: [] }))).toBe(false);
    expect(isMscclppText(sourceOf({ programs: [] }))).toBe(false);
  });
});

describe('fields', () => {
  it('are read as they stand', () => {
    const read = readMscclpp(sourceOf(portAllgather()));
    expect(read).toMatchObject({ name: 'tiny', collective: 'allgather', protocol: 'Simple', inPlace: false });
    expect(read).toMatchObject({ threadsPerBlock: 1024, alignment: 16, messages: { least: 0, most: 2 ** 64 } });
    expect(read.gpus[1]).toMatchObject({ id: 1, chunks: { input: 1, output: 2, scratch: 0 }, channels: { port: [0] } });
    const put = read.gpus[0].blocks[0].operations[3];
    expect(put).toMatchObject({ name: 'pwsf', channelType: 'port', channels: [0] });
    expect(put.targets).toEqual([{ place: { kind: 'remote', id: 0 }, index: 0, size: 1 }]);
  });

  it.each([
    ['"inplace": true,', '', /needs 'inplace'/],
    ['"collective": "allreduce"', '"collective": "all_reduce"', /not a collective; did you mean allreduce/],
    ['"input_chunks": 2,', '', /a gpu needs 'input_chunks'/],
    ['"input_chunks": 2', '"input_chunks": 2.5', /expected a number of chunks, a whole number, found 2.5/],
    ['"size": 1', '"size": -1', /at least 0, found -1/],
    ['"index": 0,', '', /a chunk needs 'index'/],
    ['"type": "i"', '"type": "q"', /'q' is not a buffer/],
    ['"name": "put",', '', /an operation needs 'name'/],
    ['"channel_ids": [', '"channel_ids": ["x", ', /expected a channel id, found a text/],
  ])('%s as %s', (was, is, message) => {
    const text = sourceOf(exchange()).text.replaceAll(/\n\s*/g, ' ');
    expect(text).toContain(was);
    const found = failure(text.replace(was, is));
    expect(found.code).toBe('malformed');
    expect(found.message).toMatch(message);
    expect(found.at).not.toBe('');
  });

  it('stay within limits', () => {
    const many = exchange();
    many.gpus[0].threadblocks[0].ops = Array.from({ length: 2000 }, () => ({ name: 'nop' }));
    expect(failure(JSON.stringify(many))).toMatchObject({
      code: 'limit',
      message: expect.stringContaining('operations = 1000'),
    });
    const wide = exchange();
    wide.gpus = Array.from({ length: 20 }, () => wide.gpus[0]);
    expect(failure(JSON.stringify(wide)).message).toContain('ranks = 16');
  });
});

/** A verdict, or the code of an error that has a place. */
function outcome(text: string): string {
  try {
    const { verification } = judgeExecutionPlan(readMscclpp({ name: 'fuzz', text }, { limits }));
    expect(verdicts).toContain(verification.verdict);
    return verification.verdict;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    expect(error.message).not.toBe('');
    if (error.range === undefined) expect(error.code).toBe('limit');
    return error.code;
  }
}

describe('damaged files', () => {
  const texts = [exchange(), packetExchange(), portAllgather()].map((json) => JSON.stringify(json, null, 1));

  it('cut off anywhere', () => {
    for (const text of texts) {
      for (let end = 1; end < text.length - 1; end += 37)
        expect(outcome(text.slice(0, end))).toMatch(/syntax|malformed/);
    }
  });

  it('changes of values, lost and doubled lines', () => {
    const values = texts.map((text) => [...text.matchAll(/(?<=[:[\n ])(?:"[^"]*"|-?\d+|true|false)(?=[,\n\]])/g)]);
    const word = fc.constantFrom(
      '-1',
      '0',
      '1',
      '2',
      '17',
      '4294967296',
      '"i"',
      '"s"',
      '"memory"',
      '"port"',
      '"nop"',
      '"wait"',
      '"re"',
      '"get"',
      '"glres"',
      '"pipeline"',
      '"upkt"',
      '"LL"',
      'true',
      'null',
      '[]',
      '{}',
    );
    const change = fc.record({
      kind: fc.constantFrom('value', 'value', 'value', 'lost', 'doubled'),
      at: fc.nat(9999),
      value: word,
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.nat(texts.length - 1), fc.array(change, { minLength: 1, maxLength: 3 }), (which, changes) => {
        let text = texts[which];
        const edits = changes
          .filter(({ kind }) => kind === 'value')
          .map((edit) => ({ edit, found: values[which][edit.at % values[which].length] }));
        for (const { edit, found } of edits.sort((a, b) => b.found.index - a.found.index)) {
          text = text.slice(0, found.index) + edit.value + text.slice(found.index + found[0].length);
        }
        const lines = text.split('\n');
        for (const { kind, at } of changes) {
          if (kind === 'lost') lines.splice(at % lines.length, 1);
          if (kind === 'doubled') lines.splice(at % lines.length, 0, lines[at % lines.length]);
        }
        seen.add(outcome(lines.join('\n')));
      }),
      drawn(300),
    );
    for (const end of ['correct', 'syntax', 'malformed']) expect(seen).toContain(end);
  });

  it('very deep and very long ones', () => {
    expect(outcome(`{"gpus":${'['.repeat(100_000)}`)).toMatch(/syntax|malformed/);
    expect(outcome(`{"name":"x","extra":${'['.repeat(100_000)}${']'.repeat(100_000)},"gpus":[]}`)).toMatch(
      /syntax|malformed/,
    );
    const huge = exchange();
    huge.gpus[0].threadblocks[0].ops.push({
      name: 'pipeline',
      iter_context: { unit_size: 1, num_chunks: 2 ** 31 - 1 },
      ops: [{ name: 'nop' }],
    });
    expect(outcome(JSON.stringify(huge))).toMatch(/limit|unsupported/);
  });
});
