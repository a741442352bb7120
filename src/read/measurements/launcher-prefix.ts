/**
 * Finds the prefixes that launchers and log collectors put in front of each line of a program's output: `mpirun --tag-output` writes
 * `[1,0]<stdout>:`, `mpirun --timestamp-output` a date before it, `srun -l` the number of the task and a colon, and collectors of container logs an
 * ISO 8601 time.
 */

const isoTime = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`;
const clockTime = String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d(?:[.,]\d+)?(?: \d{4})?`;
const date = new RegExp(String.raw`^\s*(?:\[?(?:${isoTime}|${clockTime})\]?)[:,]?\s?`);
/** The tag of Open MPI. Some versions put the name of the launcher (`prterun-host-1@1,0`) or of the host (`host[1,0]`) into it. */
const openMpiTag =
  /^\s*(?:[\w.-]+)?\[(?:[\w.@-]*@)?\d+,\s*(\d+)\](?:\[[^\]]*\])?(?:<(stdout|stderr|stddiag)>)?\s?:?\s?/;
const taskNumber = /^\s*(\d+):\s?/;

/** Returns the length of a line's prefix; 0 if it has none. */
export type PrefixLength = (line: string) => number;

/**
 * Decides which prefixes the lines of a text have. A date counts as a prefix wherever it opens a line, unless that line is the row of a table. The
 * task numbers of `srun` count only if every line has one, since `4: 5` may be data.
 */
export function prefixLengthOf(lines: readonly string[]): PrefixLength {
  const filled = lines.filter((line) => line.trim() !== '');
  const undated = (line: string): number => date.exec(line)?.[0].length ?? 0;
  const hasTaskNumbers = filled.length > 0 && filled.every((line) => taskNumber.test(line.slice(undated(line))));
  return (line) => {
    const dated = undated(line);
    const rest = line.slice(dated);
    const tag = (openMpiTag.exec(rest) ?? (hasTaskNumbers ? taskNumber.exec(rest) : null))?.[0].length ?? 0;
    // The program itself or a second log collector may have written another date after the tag.
    return dated + tag + (tag > 0 ? undated(rest.slice(tag)) : 0);
  };
}
