/**
 * How long an operation has exclusive use of its slices.
 *
 * - `event`: an operation is one instant; everything that happens after it may use its slices.
 * - `strict`: an operation owns its slices from its posting (when its lane and its `after` have reached it) until its own rank knows that it is
 * complete, which only lane order and `after` establish. MPI and RDMA own buffers in this way: the buffer of a send may not be written merely because
 * effects of the message have come back, and a receive may write from the moment when it is posted.
 *
 * So x is before y under `strict` if there is a path of happens-before from x to y whose first and last edges are lane order or `after`
 * (docs/verification.md).
 */
export const ownerships = ['event', 'strict'] as const;
export type Ownership = (typeof ownerships)[number];
