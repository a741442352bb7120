import { configDefaults, defineConfig } from 'vitest/config';
import { longTests } from './test/long-tests.ts';

/** `--mode short` leaves the long tests out, `--mode long` runs them alone; without a mode all of them run. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'long' ? [...longTests] : ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode === 'short' ? longTests : [])],
    globalSetup: 'test/setup.ts',
    setupFiles: ['src/host/node.ts', 'test/draw.ts', 'test/cpu-by-file.ts'],
    // Only for what hangs: a laptop with other work may take minutes for what takes a second.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    passWithNoTests: false,
    // A golden file that is missing is a failure; `npx vitest run --update=all` writes it.
    update: 'none',
    // Files share the modules of src, which keep nothing but what is shipped: loading and warming them up took a fourth of the time.
    isolate: false,
  },
}));
