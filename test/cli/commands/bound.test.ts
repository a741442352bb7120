/** What `ccc bound` says to people: every certificate of the document, in lines that fit. */
import { describe, expect, it } from 'vitest';
import { displayLimits } from '../../../src/cli/shown.ts';
import { inProcess } from '../in-process.ts';

interface BoundDocument {
  readonly seconds: number;
  readonly baselines?: { readonly priced: readonly { readonly name: string; readonly seconds: number }[] };
  readonly certificates: readonly { readonly reason: string }[];
}

describe('ccc bound', () => {
  it('gives the reasons of the document, broken where lines would be too long', async () => {
    const request = ['bound', 'allgather', '--topo', 'torus:4x4', '--size', '64MiB'];
    const { certificates } = JSON.parse((await inProcess([...request, '--json'])).stdout) as BoundDocument;
    const { stdout } = await inProcess(request);
    const lines = stdout.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(displayLimits.width);
    expect(lines.length).toBeGreaterThan(certificates.length + 1);
    const said = stdout.replaceAll(/\s+/g, ' ');
    expect(certificates.length).toBeGreaterThan(3);
    for (const { reason } of certificates) expect(said).toContain(reason);
  });

  it('says what rings and trees of NCCL make of the bound, and nothing where NCCL has none', async () => {
    const request = ['bound', 'allreduce', '--topo', 'dgx1', '--size', '64MiB'];
    const { seconds, baselines } = JSON.parse((await inProcess([...request, '--json'])).stdout) as BoundDocument;
    expect(baselines?.priced.map(({ name }) => name).sort()).toEqual(['nccl-ring', 'nccl-tree']);
    const { stdout } = await inProcess(request);
    for (const { name, seconds: time } of baselines?.priced ?? []) {
      expect(stdout).toMatch(new RegExp(`^  ${name}: .*, optimality ${(seconds / time).toFixed(4)}`, 'm'));
    }
    expect((await inProcess(['bound', 'alltoall', '--topo', 'dgx1'])).stdout).not.toContain('NCCL');
  });
});
