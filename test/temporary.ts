/** Folders for what tests write. All stand in one, which `npm test` makes before its first test and removes after its last (setup.ts). */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'ccc-test-'));
}
