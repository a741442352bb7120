/** Seconds of a clock that is the same in all threads of the process, unlike `performance.now()`. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e9;
}
