/**
 * How long an operation keeps its slices to itself.
 *
 * - `event`: an operation is one event; what comes after it may use its slices, however it knows of it.
 * - `strict`: an operation owns its slices from its posting – its lane and its waits have come to it – until its rank knows it to be
 *   complete, and only lane order and `after` tell its rank so. MPI and RDMA own buffers like this: a send's buffer may not be
 *   written just because the message's effects have come back, and a receive may write from the moment it is posted.
 *
 * So x is before y under `strict` when there is a path of happens-before from x to y whose first and last edges are lane order or
 * `after` (docs/verification.md).
 */
export const ownerships = ['event', 'strict'] as const;
export type Ownership = (typeof ownerships)[number];
