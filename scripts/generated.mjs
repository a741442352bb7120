// Makes the modules of dist/generated, from which src/core.ts takes what Node reads from files. Their types stand in src/generated.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';

/** @param sources the shipped YAML files @param pageParts script and style of pages, by name */
export function shippedModule(sources, pageParts) {
  const texts = Object.fromEntries(sources.map(({ name, text }) => [name, text]));
  return `export const shippedTexts = ${JSON.stringify(texts)};\nexport const pageParts = ${JSON.stringify(pageParts)};\n`;
}

/** The package `highs` for browsers: its WebAssembly is part of the module, deflated, and its code for Node is left out. */
export async function highsModule() {
  const folder = dirname(createRequire(import.meta.url).resolve('highs'));
  const found = /var ENVIRONMENT_IS_NODE=[^;]*;/;
  const loader = readFileSync(join(folder, 'highs.mjs'), 'utf8');
  if (!found.test(loader)) throw new Error('highs.mjs no longer says where it asks whether it runs on Node');
  const base64 = deflateRawSync(readFileSync(join(folder, 'highs.wasm')), { level: 9 }).toString('base64');
  const { outputFiles } = await build({
    stdin: {
      contents: `${loader.replace(found, '').replace('export default Module;', '')}
const deflated = '${base64}';
export async function loadHighs() {
  const bytes = Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const module = await WebAssembly.compile(await new Response(inflated).arrayBuffer());
  // The loader would look for a file beside its own, whose address a page or classic script does not have.
  return new Promise((resolve, reject) => {
    const instantiateWasm = (imports, receive) => WebAssembly.instantiate(module, imports).then(receive, reject);
    Module({ instantiateWasm }).then(resolve, reject);
  });
}`,
      resolveDir: folder,
    },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    define: { ENVIRONMENT_IS_NODE: 'false' },
    minify: true,
    logLevel: 'warning',
    write: false,
  });
  return outputFiles[0].text;
}
