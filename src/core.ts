/**
 * ccc without Node: everything that reads, compiles, checks, simulates, bounds, emits and shows plans, for browsers and other programs
 * that bundle it (`import … from 'ccc/core'`). No module that it loads imports `node:…` or uses `Buffer` or `process`
 * (test/core/bundle.test.ts). On Node, `ccc` offers the same and files, worker threads and runs on real memory besides.
 *
 * ```ts
 * import { allreduce, compile, Machine } from 'ccc/core';
 *
 * const outcome = await compile(allreduce(await Machine.load('dgx1'), { size: '1MiB' }));
 * if (outcome.ok) document.body.textContent = outcome.plan.text;
 * ```
 */
import './host/browser.ts';

export * from './api.ts';
