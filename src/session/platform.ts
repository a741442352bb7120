/**
 * What ccc needs of the platform beside the language: worker threads, files, and a switch of the compiler. Node's implementation is `node-platform.ts`, which
 * the entry points for Node register. Without a platform (a browser, a test) jobs run in the calling thread and nothing is written.
 */
import { CccError } from '../ir/diagnostic.ts';
import type { WorkerHost } from './workers/worker-host.ts';

export interface Platform {
  /** Undefined where no workers can be started. */
  workerHost(): Promise<WorkerHost | undefined>;
  /** Writes a file whole or not at all. @throws CccError 'file' */
  writeFile(path: string, pieces: Iterable<string>): Promise<void>;
  /** Has V8 optimize code later, in a process whose searches are short: a second is over before optimized code has paid for itself. */
  optimizeLate(): void;
}

const bare: Platform = {
  workerHost: async () => undefined,
  writeFile: async (path) => {
    throw new CccError('unsupported', `there are no files on this platform: ${path} was not written`);
  },
  optimizeLate: () => {},
};

let registered = bare;

/** Registers the platform. To be called before anything else, by the entry point. */
export function usePlatform(platform: Platform): void {
  registered = platform;
}

export function platform(): Platform {
  return registered;
}
