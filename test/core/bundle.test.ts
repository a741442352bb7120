/** What `ccc/core` loads when somebody bundles it for browsers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundled } from './bundle.ts';

/** Names of Node's globals, and what the bundle calls them instead. */
const globals = { Buffer: 'global_Buffer', process: 'global_process' };

describe('the bundle of ccc/core for browsers', () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundled("export * from 'ccc/core';", globals);
  });

  it('imports nothing of Node, statically or later', () => {
    const imports = Object.values(bundle.metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
    expect(imports.length).toBeGreaterThan(1000);
    expect(imports.filter((path) => path.startsWith('node:'))).toEqual([]);
    const outside = Object.values(bundle.metafile.outputs).flatMap((output) => output.imports);
    expect(outside).toEqual([]);
  });

  it('uses no global that only Node has', () => {
    // esbuild renames free names alone: texts that are emitted for Node keep theirs.
    expect(bundle.outputFiles[0].text.match(/.{0,60}\bglobal_(?:Buffer|process)\b/g)).toBeNull();
  });
});
