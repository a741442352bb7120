/** The time in seconds of a clock that all threads of the process share, unlike `performance.now()`. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e9;
}
