import { configDefaults, defineConfig } from 'vitest/config';
import { exhaustiveTests, longTests } from './test/long-tests.ts';

/** How many times as many cases the exhaustive tests draw as `npm test`, unless CCC_TEST_FACTOR says otherwise. */
const exhaustiveFactor = '20';

/**
 * `--mode short` leaves the long tests out, `--mode long` runs them alone; `--mode exhaustive` runs what takes too long for every change. Without a mode all short
 * and long tests run.
 */
export default defineConfig(({ mode }) => ({
  test: {
    include: { long: [...longTests], exhaustive: exhaustiveTests() }[mode] ?? ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode === 'short' ? longTests : [])],
    env: mode === 'exhaustive' ? { CCC_TEST_FACTOR: process.env.CCC_TEST_FACTOR ?? exhaustiveFactor } : {},
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
