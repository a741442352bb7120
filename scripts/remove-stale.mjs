// Removes from dist what earlier builds left there: parts of the bundle that this one did not write (their names change with what they
// hold), and compiled files whose source is gone. Runs at the end of a build, so that the command works while it is being built.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../', import.meta.url).pathname;
const written = new Set(Object.keys(JSON.parse(readFileSync(join(root, 'dist/bundle.json'), 'utf8')).outputs));

for (const file of readdirSync(join(root, 'dist'), { recursive: true })) {
  const path = `dist/${file}`;
  const bundled = path.startsWith('dist/bin/');
  const source = join(root, 'src', file.replace(/(\.d)?\.[jt]s$/, '.ts'));
  if (!/\.[jt]s$/.test(path) || (bundled ? written.has(path) : existsSync(source))) continue;
  rmSync(join(root, path), { force: true });
}
