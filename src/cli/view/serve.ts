/** Serves the page on this machine only, and makes it anew whenever one of its files changes. */
import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename, dirname } from 'node:path';
import { CccError } from '../../ir/diagnostic.ts';
import { isFilePath } from '../../read/index.ts';
import { pageText } from '../../view/index.ts';
import { textOfError } from '../failure.ts';
import { note } from '../output.ts';
import type { ViewOptions } from './options.ts';
import { filesIn, pageOf } from './page.ts';

const loopback = '127.0.0.1';
/** Milliseconds to wait after a file has changed, since editors write a file in several steps. */
const settling = 60;

/** Serves the page until Ctrl-C. @throws CccError 'usage' if there is no file to watch, 'file' if the port is in use */
export async function serve(files: readonly string[], options: ViewOptions): Promise<void> {
  if (files.includes('-')) throw new CccError('usage', '--serve watches files: standard input cannot change');
  const waiting = new Set<ServerResponse>();
  const page = new ServedPage(files, options);
  await page.make();
  const server = createServer((request, response) => answer(request, response, page, waiting));
  const watchers = watched(files, options).map((file) => onChange(file, () => void remake(page, waiting)));
  const stop = (): void => {
    for (const watcher of watchers) watcher.close();
    for (const response of waiting) response.end();
    server.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    server.listen(options.port, loopback);
    await Promise.race([once(server, 'listening'), once(server, 'error').then(([error]) => Promise.reject(error))]);
  } catch (error) {
    stop();
    throw new CccError(
      'file',
      `cannot serve on port ${options.port}: ${error instanceof Error ? error.message : error}`,
    );
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  note(`ccc: the page is at http://${loopback}:${port}/ and follows the files; Ctrl-C ends it`);
  await once(server, 'close');
}

/** The current page, or the reason why there is none. */
class ServedPage {
  text = '';
  private readonly files: readonly string[];
  private readonly options: ViewOptions;

  constructor(files: readonly string[], options: ViewOptions) {
    this.files = files;
    this.options = options;
  }

  async make(): Promise<void> {
    try {
      this.text = await pageOf(this.files, this.options, true);
    } catch (error) {
      if (!(error instanceof CccError)) throw error;
      this.text = pageText({ title: 'ccc', plans: [], tuning: undefined, served: true, error: textOfError(error) });
    }
  }
}

async function remake(page: ServedPage, waiting: Set<ServerResponse>): Promise<void> {
  await page.make();
  for (const response of waiting) response.write('data: changed\n\n');
}

/**
 * Accepts requests only for this machine's own names. Otherwise another site could make a browser send requests here under a host name of its own
 * (DNS rebinding).
 */
function isFromHere({ headers: { host = '' } }: IncomingMessage): boolean {
  return /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host);
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  page: ServedPage,
  waiting: Set<ServerResponse>,
): void {
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  if (!isFromHere(request)) response.writeHead(403, headers).end();
  else if (request.method !== 'GET') response.writeHead(405, headers).end();
  else if (request.url === '/')
    response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' }).end(page.text);
  else if (request.url === '/changes') {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    response.write('\n');
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
  } else response.writeHead(404, headers).end();
}

/** Returns the files whose changes affect the page; shipped files do not change. */
function watched(files: readonly string[], { topo, measured }: ViewOptions): readonly string[] {
  const named = [
    ...files.flatMap((file) => filesIn(file)),
    ...(topo === undefined ? [] : [topo]),
    ...(measured === undefined ? [] : [measured]),
  ];
  return named.filter((file) => isFilePath(file));
}

/** Watches the folder of a file, since editors replace the file, which a watcher of the file itself would miss. */
function onChange(file: string, then: () => void): FSWatcher {
  const name = basename(file);
  let timer: NodeJS.Timeout | undefined;
  return watch(dirname(file), (_, changed) => {
    if (changed !== null && changed !== name) return;
    clearTimeout(timer);
    timer = setTimeout(then, settling);
  });
}
