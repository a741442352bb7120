/** What makes the command start fast: the code that was kept when it was built (bin/load.js). */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const load = new URL('../../bin/load.js', import.meta.url).href;

/** Whether V8 takes code for the bundle; `of` is an expression of the code that was kept. */
function isTaken(of: string): string {
  const program = `
    import { readFileSync } from 'node:fs';
    import load from '${load}';
    const { codeFile, run, scriptOf } = load;
    const kept = readFileSync(codeFile);
    const script = scriptOf(${of});
    console.log(!script.cachedDataRejected, typeof run(script).main);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).trim();
}

describe('the code of the bundle', () => {
  it('was kept, and fits', () => {
    expect(isTaken('kept')).toBe('true function');
  });

  it('does no harm where it is damaged', () => {
    expect(isTaken('kept.subarray(0, 1000)')).toBe('false function');
  });
});
