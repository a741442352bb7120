/** Solvers on a system that has no memory for them. They are loaded here alone, as solvers stay loaded. */
import { afterEach, expect, it, vi } from 'vitest';
import { loadSolver } from '../../../src/synth/solver/index.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** As V8 does it under a limit on addresses. */
function refuse(): never {
  throw new RangeError('WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance');
}

it.each(['highs', 'glpk'] as const)('%s says that the system gives it no memory', async (name) => {
  const refusing = { instantiate: { value: refuse }, Instance: { value: refuse } };
  vi.stubGlobal('WebAssembly', Object.create(Reflect.get(globalThis, 'WebAssembly'), refusing));
  await expect(loadSolver(name)).rejects.toMatchObject({ code: 'stopped' });
});
