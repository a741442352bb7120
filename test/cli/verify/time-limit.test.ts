/** Verification ends by its limits of work, and when the user says so. */
import { describe, expect, it } from 'vitest';
import { ccc, shell } from '../run.ts';

const compiled = ccc(['compile', 'broadcast', '--topo', 'ring:2', '--size', '1KiB']).stdout;

describe('ccc verify', () => {
  it('does not simulate more than the limit of operations, and says so', () => {
    const { status, stdout } = ccc(['verify', '-'], JSON.stringify({ ...JSON.parse(compiled), bulks: 2 ** 28 }));
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /warning .*: its time was not simulated: \d+ operations in all bulks are more than the limit/,
    );
  });

  it('says the same in a process that a time limit can end', () => {
    expect(ccc(['verify', '-', '--time-limit', '600s'], compiled)).toEqual(ccc(['verify', '-'], compiled));
    const wrong = compiled.replace('"recv"', '"recvReduce"');
    const { status, stdout } = ccc(['verify', '-', '--time-limit', '600s'], wrong);
    expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringMatching(/^uninitialised: /) });
  });

  it.each(['--time-limit 0s -', '--time-limit=0s -', '--all --time-limit 0s'])(
    'ends when the time is up, even while it waits for what to read: %s',
    (asked) => {
      // Nobody ever writes to that pipe, nor closes it.
      const { status, stdout, stderr } = shell(`mkfifo never; ccc verify ${asked} <>never`);
      expect({ status, stdout, stderr }).toEqual({
        ...{ status: 3, stdout: '', stderr: 'ccc: there was no verdict within the time limit of 0 s\n' },
      });
    },
  );

  it('takes for a file what comes after --', () => {
    const { status, stderr } = ccc(['verify', '--time-limit', '600s', '--', '--time-limit']);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining("'--time-limit'") });
  });
});
