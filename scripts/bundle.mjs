// Bundles the command line and its workers in one file that bin/load.js loads, and ccc-check in another, keeps the trees of the YAML files that are shipped, then removes
// from dist what earlier builds left there: other bundles, and compiled files whose source is gone. Each file is there at once, so that the
// command works while it is being built.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import '../dist/host/node.js';
import { shippedTrees } from '../dist/read/kept-yaml.js';
import { shippedFiles } from '../dist/read/shipped.js';
import { highsModule, shippedModule } from './generated.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['dist/cli/bundle.js'],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['highs', 'glpk.js'],
  minifyWhitespace: true,
  minifySyntax: true,
  define: { 'import.meta.url': 'bundleAddress' },
  banner: { js: "const bundleAddress = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
  write: false,
});
// bin/load.js imports what is not in the bundle.
const text = outputFiles[0].text.replaceAll('await import("', 'await loadModule("');
// One other character would double the room that the text takes and the time to read it; what esbuild leaves stands in tagged templates.
const other = /[^\0-\x7F]/.exec(text);
if (other !== null) throw new Error(`the bundle is not ASCII: ${text.slice(other.index - 60, other.index + 60)}`);
const check = await build({
  stdin: {
    contents: "import { checkMain } from './ccc-check.js'; checkMain(process.argv);",
    resolveDir: join(root, 'dist/cli'),
  },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
  write: false,
});
// The script and style of pages that `ccc view` writes.
const page = await build({
  absWorkingDir: root,
  entryPoints: ['src/view/page/main.ts', 'src/view/page/page.css'],
  bundle: true,
  format: 'iife',
  target: ['es2022'],
  minify: true,
  outdir: 'page',
  logLevel: 'warning',
  write: false,
});
const pagePart = (ending) => page.outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
const pageParts = { 'page.js': pagePart('.js'), 'page.css': pagePart('.css') };
const files = {
  'page/page.js': pageParts['page.js'],
  'page/page.css': pageParts['page.css'],
  'generated/shipped.js': shippedModule(shippedFiles(), pageParts),
  'generated/highs.js': await highsModule(),
  'bin/ccc-check.cjs': check.outputFiles[0].text,
  'bin/ccc.cjs': text,
  'bin/package.json': '{ "type": "commonjs" }\n',
};
for (const worker of ['job-worker', 'verify-worker', 'run-worker']) {
  files[`bin/${worker}.js`] = `require('../../bin/load.js').load().workers['${worker}']();\n`;
}
for (const [name, text] of shippedTrees()) files[`kept/${name}`] = text;

for (const [name, text] of Object.entries(files)) {
  const path = join(root, 'dist', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text);
  if (name === 'bin/ccc-check.cjs') chmodSync(`${path}.new`, 0o755);
  renameSync(`${path}.new`, path);
}
for (const path of readdirSync(join(root, 'dist'), { recursive: true })) {
  const file = path.replaceAll('\\', '/');
  const source = join(root, 'src', file.replace(/(\.d)?\.[jt]s$/, '.ts'));
  const isLeft = /^(?:bin|generated|kept|page)\/.*\./.test(file)
    ? files[file] === undefined
    : /\.[jt]s$/.test(file) && !existsSync(source);
  if (isLeft) rmSync(join(root, 'dist', file), { force: true });
}

// Should a command fail here, ccc still works, if more slowly, and test/cli/start.test.ts is red.
const { status } = spawnSync(process.execPath, [join(root, 'scripts/keep-code.mjs')], { stdio: 'ignore' });
if (status !== 0) process.stderr.write(`scripts/keep-code.mjs ended with ${status}: ccc will start more slowly\n`);
