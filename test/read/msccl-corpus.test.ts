/** Real files, where they are at hand: each gets the verdict that is known for it. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifyMsccl } from '../../src/jobs/verify-msccl.ts';
import { readMsccl } from '../../src/read/msccl/index.ts';

const folder = new URL('../../../shared/corpus/msccl-xml/', import.meta.url);
const table = new URL('expected.tsv', folder);
const here = existsSync(table);
if (!here) console.info('skipped: the files of ../shared/corpus/msccl-xml are not here');

const rows = here
  ? readFileSync(table, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [file, collective, ranks, steps, verdict, notes] = line.split('\t');
        return { file, collective, ranks: Number(ranks), steps: Number(steps), verdict, notes };
      })
  : [];

describe.skipIf(!here)('real MSCCL files', () => {
  it.each(rows)('$file: $verdict', ({ file, collective, ranks, steps, verdict, notes }) => {
    const source = { name: file, text: readFileSync(new URL(file, folder), 'utf8') };
    expect(source.text.match(/<step /g)).toHaveLength(steps);
    const { verification, document } = verifyMsccl(source, {});
    expect(verification.verdict).toBe(verdict);
    expect(document.plan.collective).toMatchObject({ kind: collective, ranks });
    for (const finding of verification.findings.filter(({ severity }) => severity === 'error')) {
      const range = finding.story[0]?.place.range;
      if (range !== undefined) expect(source.text.slice(range.start, range.end)).toMatch(/^<step /);
    }
    if (notes.includes('deadlocks with 1 slot')) {
      expect(verifyMsccl(source, { inflight: 1 }).verification.verdict).toBe('deadlock');
      expect(verifyMsccl(source, { inflight: 2 }).verification.verdict).toBe('correct');
    }
    if (notes.startsWith('omits')) {
      for (const name of notes.slice('omits '.length).split(', ')) expect(document.notes.join()).toContain(name);
    }
    if (notes.includes('differ between ranks')) {
      expect(verification.determinism?.identical).toBe(false);
      expect(verifyMsccl(source, { bitwise: true }).verification.verdict).toBe('not-bitwise');
    }
    const wrong = /(\d+) of \d+ output slots wrong/.exec(notes);
    if (wrong !== null) {
      const errors = verification.findings.filter(({ severity }) => severity === 'error');
      const more = Number(/^(\d+) more/.exec(errors.at(-1)?.message ?? '')?.[1]);
      expect(errors.length - 1 + more).toBe(Number(wrong[1]));
    }
  });

  it('are all read', () => {
    expect(rows.length).toBeGreaterThanOrEqual(22);
    for (const { file } of rows) readMsccl({ name: file, text: readFileSync(new URL(file, folder), 'utf8') });
  });
});
