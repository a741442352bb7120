import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup.ts',
    setupFiles: 'test/draw.ts',
    testTimeout: 60_000,
    passWithNoTests: false,
    // A golden file that is missing is a failure; `npx vitest run --update=all` writes it.
    update: 'none',
    // Files share the modules of src, which keep nothing but what is shipped: loading and warming them up took a fourth of the time.
    isolate: false,
  },
});
