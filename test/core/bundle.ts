/** Programs that import `ccc/core`, bundled for browsers. */
import { fileURLToPath } from 'node:url';
import { type BuildResult, build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));

export type Bundle = BuildResult<{ metafile: true; write: false }>;

/** Bundles a program that imports `ccc/core`, as anybody would who has installed ccc, for browsers. */
export function bundled(program: string, define: Readonly<Record<string, string>> = {}): Promise<Bundle> {
  return build({
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    define,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
}
