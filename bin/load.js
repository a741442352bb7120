/**
 * Loads the bundle in dist/bin together with the code that V8 made of it when ccc was built (scripts/keep-code.mjs): starting then takes
 * half the time. V8 checks that the code fits the bundle and itself; where it does not, the bundle is compiled like any other file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

export const bundleFile = fileURLToPath(new URL('../dist/bin/ccc.cjs', import.meta.url));
export const codeFile = `${bundleFile}.code`;

// Workers optimize code in their own thread: while another one does it they would go on with slow code, at a fifth more CPU in all where
// a search takes a second or two. To be set before code is made or loaded, since V8 takes it only with the flags it was made with.
setFlagsFromString('--no-concurrent-recompilation');

/** The bundle as a function of what it is given by `run`. */
export function scriptOf(cachedData) {
  const head = '(function (exports, require, module, __filename, __dirname, loadModule) {';
  return new Script(`${head}${readFileSync(bundleFile, 'utf8')}\n})`, { filename: bundleFile, cachedData });
}

/** What the bundle exports (src/cli/bundle.ts) when it is run. */
export function run(script) {
  const module = { exports: {} };
  const require = createRequire(bundleFile);
  // Scripts with code that was kept cannot import: ECMAScript modules that are not in the bundle are imported from here.
  const loadModule = (name) => import(name);
  script.runInThisContext()(module.exports, require, module, bundleFile, dirname(bundleFile), loadModule);
  return module.exports;
}

/** What the bundle exports. */
export function load() {
  return run(scriptOf(existsSync(codeFile) ? readFileSync(codeFile) : undefined));
}
