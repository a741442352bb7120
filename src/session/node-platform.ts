/** Node as the platform of sessions: importing this module registers it. Modules that cost time to load are loaded when they are needed. */
import '../host/node.ts';
import { setFlagsFromString } from 'node:v8';
import { usePlatform } from './platform.ts';

/** Bytes of bytecode that a function runs before V8 considers optimizing it; the default is 132 KiB. */
const interruptBudget = 500_000;

usePlatform({
  workerHost: async () => (await import('./workers/node-threads.ts')).nodeThreads(),
  writeFile: async (path, pieces) => (await import('./write-file.ts')).writeFile(pieces, path),
  // To be called after the code of a search has been loaded: V8 accepts cached code only with the flags with which it was made.
  optimizeLate: () => setFlagsFromString(`--interrupt-budget=${interruptBudget}`),
});
