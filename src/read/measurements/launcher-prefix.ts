/**
 * What launchers and log collectors put in front of each line of a program's output: `mpirun --tag-output` writes `[1,0]<stdout>:`,
 * `mpirun --timestamp-output` a date before it, `srun -l` the task's number and a colon, collectors of containers' logs an ISO time.
 */

const isoTime = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`;
const clockTime = String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d(?:[.,]\d+)?(?: \d{4})?`;
const date = new RegExp(String.raw`^\s*(?:\[?(?:${isoTime}|${clockTime})\]?)[:,]?\s?`);
/** Open MPI's tag, with the name of the launcher (`prterun-host-1@1,0`) or of the host (`host[1,0]`) in some versions. */
const openMpiTag =
  /^\s*(?:[\w.-]+)?\[(?:[\w.@-]*@)?\d+,\s*(\d+)\](?:\[[^\]]*\])?(?:<(stdout|stderr|stddiag)>)?\s?:?\s?/;
const taskNumber = /^\s*(\d+):\s?/;

/** Length of the prefix of a line; 0 where there is none. */
export type PrefixLength = (line: string) => number;

/**
 * How long the prefixes of a text's lines are. A date counts as a prefix wherever it opens a line that is not a table's row; `srun`'s task
 * numbers count only where every line has one, since `4: 5` may be data.
 */
export function prefixLengthOf(lines: readonly string[]): PrefixLength {
  const filled = lines.filter((line) => line.trim() !== '');
  const undated = (line: string): number => date.exec(line)?.[0].length ?? 0;
  const hasTaskNumbers = filled.length > 0 && filled.every((line) => taskNumber.test(line.slice(undated(line))));
  return (line) => {
    const dated = undated(line);
    const rest = line.slice(dated);
    const tag = (openMpiTag.exec(rest) ?? (hasTaskNumbers ? taskNumber.exec(rest) : null))?.[0].length ?? 0;
    // A date may also stand behind the tag, where a program or a second collector wrote it.
    return dated + tag + (tag > 0 ? undated(rest.slice(tag)) : 0);
  };
}
