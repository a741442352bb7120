import { describe, expect, it } from 'vitest';
import { type Finding, verdictText } from '../../src/ir/verification.ts';

const finding = (severity: Finding['severity'], code: Finding['code'], message: string): Finding => {
  return { severity, code, message, story: [] };
};

describe('the verdict on a plan, in one line', () => {
  const others = { inflight: undefined, smallestInflight: undefined, determinism: undefined, proved: [] };

  it('says the error that decided, whatever warnings stand before it', () => {
    const warning = finding('warning', 'uninitialised', 'something is read that nothing has written.');
    const errors = [finding('error', 'race', 'two write at once.'), finding('error', 'race', 'two more do.')];
    expect(verdictText({ ...others, verdict: 'race', findings: [warning, ...errors] })).toBe(
      'race: two write at once.',
    );
  });

  it('is the verdict alone where nothing tells more', () => {
    expect(verdictText({ ...others, verdict: 'deadlock', findings: [] })).toBe('deadlock');
  });
});
