/**
 * Loads the bundle in dist/bin together with the code that V8 made of it when ccc was built (scripts/keep-code.mjs): starting then takes
 * half the time. V8 checks that the code fits the bundle and itself; where it does not, the bundle is compiled like any other file.
 * This folder has CommonJS modules (package.json), with which Node starts sooner than with its loader of ECMAScript modules.
 */
const { existsSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const bundleFile = join(__dirname, '../dist/bin/ccc.cjs');
const codeFile = `${bundleFile}.code`;

// Searches of a second or two spend a third of it on optimizing code. To be set before code is made or loaded, since V8 takes it only with
// the flags it was made with.
// Workers optimize code in their own thread: while another one does it they would go on with slow code, at a fifth more CPU in all.
setFlagsFromString('--no-concurrent-recompilation');
// Less is put into each other, and the first turns of loops are not written out: a tenth less CPU, two per cent more where searches are long.
setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
setFlagsFromString('--no-turbo-loop-peeling');

/** The bundle as a function of what it is given by `run`. It is ASCII (scripts/bundle.mjs), which V8 reads and keeps in half the room. */
function scriptOf(cachedData) {
  const head = '(function (exports, require, module, __filename, __dirname, loadModule) {';
  return new Script(`${head}${readFileSync(bundleFile, 'latin1')}\n})`, { filename: bundleFile, cachedData });
}

/** What the bundle exports (src/cli/bundle.ts) when it is run. */
function run(script) {
  const module = { exports: {} };
  const requireThere = createRequire(bundleFile);
  // Scripts with code that was kept cannot import: ECMAScript modules that are not in the bundle are imported from here.
  const loadModule = (name) => import(name);
  script.runInThisContext()(module.exports, requireThere, module, bundleFile, dirname(bundleFile), loadModule);
  return module.exports;
}

/** What the bundle exports. */
function load() {
  return run(scriptOf(existsSync(codeFile) ? readFileSync(codeFile) : undefined));
}

module.exports = { bundleFile, codeFile, scriptOf, run, load };
