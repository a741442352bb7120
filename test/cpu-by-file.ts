/**
 * `CCC_TEST_CPU=FILE npm test` appends to FILE a line for each test file with the CPU seconds that it took, those of the commands that it started among them.
 * For whoever looks for what makes the tests slow: seconds of CPU are much the same on a machine that has other work.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const report = process.env.CCC_TEST_CPU;
if (report !== undefined) {
  const before = cpuSeconds();
  afterAll(() => {
    const { testPath = '' } = expect.getState();
    const file = testPath.slice(testPath.lastIndexOf('/test/') + 1);
    appendFileSync(report, `${(cpuSeconds() - before).toFixed(1).padStart(7)} ${file}\n`);
  });
}

/** User and system time of this process and of those that it started and waited for. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + startedSeconds();
}

/** Linux reports them in hundredths of a second, as the 16th and 17th field of a process's status; elsewhere they are not counted. */
function startedSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
