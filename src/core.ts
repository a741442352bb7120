/**
 * ccc without Node: everything that reads, compiles, checks, simulates, bounds, emits and shows plans, for browsers and other programs
 * that bundle it (`import … from 'ccc/core'`). No module that it loads imports `node:…` or uses `Buffer` or `process`
 * (test/core/bundle.test.ts). On Node, `ccc` offers the same and files, worker threads and runs on real memory besides.
 *
 * ```ts
 * import { compile, compileDefaults, planJson, resolveTopology } from 'ccc/core';
 *
 * const topology = resolveTopology('dgx1');
 * const collective = { kind: 'allreduce', ranks: 8, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false } as const;
 * const { bundle } = compile({ ...compileDefaults, collective, topology, size: 2 ** 20 });
 * const text = planJson(bundle);
 * ```
 */
import './host/browser.ts';

export * from './api.ts';
