/** The format of a plan follows from the name of its file, where none is asked for. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ownFile } from '../../src/cli/target.ts';
import { formatFor } from '../../src/session/targets.ts';
import { emptyFolder } from '../temporary.ts';
import { inProcess } from './in-process.ts';

describe('the name behind -o', () => {
  it.each([
    ['plan.json', 'json'],
    ['plan', 'json'],
    ['/dev/null', 'json'],
    ['a.xml', 'msccl-xml'],
    ['a.ts', 'ts'],
    ['A.C', 'mpi-c'],
    ['page.html', 'html'],
    [undefined, 'json'],
  ])('%s is written as %s', (output, format) => {
    expect(formatFor(output === undefined ? {} : { output })).toBe(format);
  });

  it('gives way to --emit', () => {
    expect(formatFor({ emit: 'mscclpp', output: 'a.xml' })).toBe('mscclpp');
  });

  it('is refused where it asks for what is not written', async () => {
    for (const command of ['compile allgather --topo ring:2', 'convert ring-allgather --ranks 2']) {
      const { status, stderr } = await inProcess([...command.split(' '), '-o', 'plan.yaml']);
      expect(status).toBe(2);
      expect(stderr).toContain('not written as .yaml');
    }
  });

  it('chooses what is written', async () => {
    const folder = emptyFolder();
    const compiled = await inProcess(['compile', 'allgather', '--topo', 'ring:2', '-o', 'a.xml'], '', folder);
    expect(compiled.status).toBe(0);
    expect((await inProcess(['convert', 'a.xml', '-o', 'a.ts'], '', folder)).status).toBe(0);
    expect((await inProcess(['verify', 'a.xml'], '', folder)).stdout).toMatch(/^correct: /);
    expect((await inProcess(['convert', 'a.xml', '--topo', 'ring:2', '-o', 'a.html'], '', folder)).status).toBe(0);
    const page = readFileSync(`${folder}/a.html`, 'utf8');
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain("default-src 'none'");
  });
});

it('is made up only for a terminal, and where nothing was said', () => {
  expect(ownFile(true, {})).toMatch(/plan\.json$/);
  expect(ownFile(false, {})).toBeUndefined();
  expect(ownFile(true, { output: '-' })).toBeUndefined();
  expect(ownFile(true, { emit: 'json' })).toBeUndefined();
});
