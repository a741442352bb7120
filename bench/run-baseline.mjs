/**
 * A thread that does nothing but copy and add, with the runtime's own kernel: what plans are measured against. `workerData` is the memory, where
 * the thread's source and target begin, and how many bytes it adds to and copies over the target each time it is told to.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { loadKernel } from '../dist/run/kernels/kernel.js';

const { memory, source, target, copied, added } = workerData;
const kernel = loadKernel(memory, 'f32', 'sum');

parentPort.on('message', () => {
  const start = Number(process.hrtime.bigint());
  kernel.reduce(target, target, source, added);
  kernel.copy(target + added, source + added, copied);
  parentPort.postMessage({ start, end: Number(process.hrtime.bigint()) });
});
