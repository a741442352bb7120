/** Verification ends by its limits of work, and when the user says so. */
import { describe, expect, it } from 'vitest';
import { ccc } from '../run.ts';

const compiled = ccc(['compile', 'broadcast', '--topo', 'ring:2', '--size', '1KiB']).stdout;

describe('ccc verify', () => {
  it('does not simulate more than the limit of operations, and says so', () => {
    const { status, stdout } = ccc(['verify', '-'], JSON.stringify({ ...JSON.parse(compiled), bulks: 2 ** 28 }));
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /warning .*: its time was not simulated: \d+ operations in all bulks are more than the limit/,
    );
  });

  it('says the same in a thread that a time limit can end', () => {
    expect(ccc(['verify', '-', '--time-limit', '600s'], compiled)).toEqual(ccc(['verify', '-'], compiled));
    const wrong = compiled.replace('"recv"', '"recvReduce"');
    const { status, stdout } = ccc(['verify', '-', '--time-limit', '600s'], wrong);
    expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringMatching(/^uninitialised: /) });
  });
});
