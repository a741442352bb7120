/** Solvers on a system that has no memory for them: in a process of its own, as solvers stay loaded. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const bin = new URL('../../bin/ccc.js', import.meta.url).pathname;

/** As V8 does it under a limit on addresses. */
const refusing = `data:text/javascript,${encodeURIComponent(`
function refuse() {
  throw new RangeError('WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance');
}
WebAssembly.instantiate = refuse;
WebAssembly.Instance = refuse;
`)}`;

it.each(['highs', 'glpk'] as const)('%s says that the system gives it no memory', (name) => {
  const asked = ['pareto', 'alltoall', '--topo', 'ring:5', '--solver', name];
  const { status, stderr } = spawnSync(process.execPath, ['--import', refusing, bin, ...asked], { encoding: 'utf8' });
  expect(stderr).toContain('the system gives it no memory');
  expect(status).toBe(3);
});
