/** `ccc optimize` as people run it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

it('writes a faster plan and says what was done', async () => {
  const folder = emptyFolder();
  const { status, stderr } = await inProcess(
    ['optimize', 'ring-allgather', '--topo', 'ring:4', '-o', 'fast.json'],
    '',
    folder,
  );
  expect(status).toBe(0);
  expect(stderr).toContain('before');
  expect(stderr).toContain('times as fast');
  expect(JSON.parse(readFileSync(join(folder, 'fast.json'), 'utf8')).verification.verdict).toBe('correct');
});

it('prints before and after as a document', async () => {
  const { stdout } = await inProcess(['optimize', 'ring-allgather', '--topo', 'ring:4', '--json']);
  const { ok, before, after, bound, engines } = JSON.parse(stdout);
  expect(ok).toBe(true);
  expect(after.seconds).toBeLessThan(before.seconds);
  expect(after.seconds).toBeGreaterThanOrEqual(bound);
  expect(engines.seconds).toBeGreaterThanOrEqual(bound);
});

it('tells the story of a schedule that is wrong to begin with', async () => {
  const path = new URL('../../../schedules/ring-allgather.yaml', import.meta.url).pathname;
  const wrong = fileWith(readFileSync(path, 'utf8').replace('1 .. N-1', '1 .. N-2'), 'wrong.yaml');
  const { status, stdout, stderr } = await inProcess(['optimize', wrong, '--topo', 'ring:4']);
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain('wrong to begin with');
  expect(stderr).toContain('output[');
});
