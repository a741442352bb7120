/** Writes the report of `ccc verify`, as text and as JSON. */

import { topologyDigest } from '../../emit/index.ts';
import { type CccError, formatRange, type SourceRange } from '../../ir/diagnostic.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { Topology } from '../../ir/topology.ts';
import { counted } from '../../ir/units.ts';
import type { Finding, PlanPlace } from '../../ir/verification.ts';
import { underProtocol } from '../../jobs/timing-target.ts';
import type { FileReport, FileVerdict, UnfinishedRange } from '../../jobs/verify-file.ts';
import { caretLines, jsonSource, textOfError } from '../failure.ts';

/** Makes a progress bar over a range of ranks, which is shown on a terminal only. */
export async function progressBar(): Promise<{ update(done: number, total: number): void; stop(): void }> {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format: 'verifying {bar} {value}/{total}',
    clearOnComplete: true,
    stream: process.stderr,
  });
  let started = false;
  return {
    update(done, total) {
      if (!started && total > 1) bar.start(total, 0);
      started ||= total > 1;
      if (started) bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

/** Whether a work limit kept some numbers of ranks from being verified. */
export function isUnfinished(report: FileReport): boolean {
  return report.unfinished !== undefined;
}

export function isCorrect(report: FileReport): boolean {
  return report.verdicts.every(isRight);
}

function isRight({ verification }: FileVerdict): boolean {
  return verification.verdict === 'correct';
}

/** Writes the verdict with its proof or with the explanation of the mistake. */
export function verifyReport(report: FileReport): string {
  const wrong = report.verdicts.filter((verdict) => !isRight(verdict));
  return wrong.length === 0 ? correctText(report) : wrongText(report, wrong);
}

function correctText({ verdicts, hasBothUses }: FileReport): string {
  const last = verdicts[verdicts.length - 1];
  const { plan, collective, verification } = last;
  const both = hasBothUses === true ? `${casesText(verdicts, true)} ` : '';
  const numbers = ranksText([...new Set(verdicts.map(ranksIn))]);
  const lines = [`correct: ${plan.name} (${collective.kind}), verified ${both}for N = ${numbers}`];
  if (verdicts.length > 1) {
    const smallest = Math.max(...verdicts.map((v) => v.verification.smallestInflight ?? 0));
    lines.push(
      `  no deadlock for any of them with ${smallest} or more transfers in flight per connection; ${casesText([last], hasBothUses, 'for ')}:`,
    );
  }
  lines.push(...verification.proved.map((line) => `  ${line}`));
  for (const verdict of verdicts) {
    const of = casesText([verdict], hasBothUses);
    for (const finding of verdict.verification.findings)
      lines.push(`  ${finding.severity} (${of}): ${finding.message}`);
  }
  return linesOf(lines);
}

/** Says for what several verdicts hold: `N = 1 … 16`, or `in place and out of place`. @param of text before the numbers */
function casesText(verdicts: readonly FileVerdict[], areUses = false, of = ''): string {
  if (!areUses) return `${of}N = ${ranksText(verdicts.map(ranksIn))}`;
  return verdicts.map(({ collective }) => (collective.inPlace ? 'in place' : 'out of place')).join(' and ');
}

/** Joins lines; line breaks in quoted names and messages are removed. */
function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

function ranksIn({ collective }: FileVerdict): number {
  return collective.ranks;
}

/** Writes `1 … 16` for consecutive numbers, `2, 4, 8` for others. */
function ranksText(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const ranks of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === ranks - 1) last[1] = ranks;
    else runs.push([ranks, ranks]);
  }
  return runs.map(runText).join(', ');
}

function runText([first, last]: readonly [number, number]): string {
  if (first === last) return `${first}`;
  return last === first + 1 ? `${first}, ${last}` : `${first} … ${last}`;
}

/** Explains the mistake at the smallest wrong number of ranks, and lists the other wrong numbers. */
function wrongText({ verdicts, hasBothUses }: FileReport, wrong: readonly FileVerdict[]): string {
  const right = verdicts.filter(isRight);
  const [{ plan, collective, verification }] = wrong;
  const errors = verification.findings.filter((finding) => finding.severity === 'error');
  const lines = [`${verification.verdict}: ${plan.name} (${collective.kind}) on ${counted(collective.ranks, 'rank')}`];
  if (wrong.length > 1 || hasBothUses === true) lines.push(`wrong ${casesText(wrong, hasBothUses, 'for ')}`);
  if (right.length > 0) lines.push(`correct ${casesText(right, hasBothUses, 'for ')}`);
  return `${linesOf(lines)}${findingsText(errors)}`;
}

/** Writes the first finding for each place in the file or plan; further ones at the same place are alike and only counted. */
function findingsText(errors: readonly Finding[]): string {
  const told = errors.filter(({ untold }) => untold === undefined);
  const firsts = told.filter((finding, index) => told.findIndex((other) => isAlike(finding, other)) === index);
  const open = errors.find(({ untold }) => untold !== undefined)?.untold;
  const left = told.length - firsts.length + (open?.count ?? 0);
  const more = `and ${left}${open?.isComplete === false ? ' or more' : ''} more of the same kind`;
  return firsts.map(findingText).join('') + (left === 0 && open === undefined ? '' : `\n${more}\n`);
}

function isAlike(one: Finding, other: Finding): boolean {
  const [first, second] = [rangeIn(one), rangeIn(other)];
  return one.code === other.code && first?.source === second?.source && first?.start === second?.start;
}

/** Returns the place in a file that the explanation of a finding mentions first. */
function rangeIn({ story }: Finding): SourceRange | undefined {
  return story.find(({ place }) => place.range !== undefined)?.place.range;
}

function findingText(finding: Finding): string {
  const range = rangeIn(finding);
  const where = range === undefined ? '' : `${formatRange(range)}: `;
  const carets = range === undefined ? '' : caretLines(range);
  const story = finding.story.map(({ text, place }) => `  ${text}${lineText(place)}`);
  return `\n${linesOf([`${where}${finding.message}`])}${carets}${linesOf(story)}`;
}

/** Writes the verdict on a file that is no plan, with the message of the reader that failed. */
export function malformedText(error: CccError): string {
  return `malformed: this is no plan\n\n${textOfError(error)}`;
}

function lineText({ range, bulk, step, loops }: PlanPlace): string {
  const parts = [
    ...(bulk === 0 ? [] : [`bulk ${bulk}`]),
    `step ${step}`,
    ...(range === undefined ? [] : [formatRange(range)]),
    ...(loops === undefined ? [] : [`with ${loops}`]),
  ];
  return `   (${parts.join(', ')})`;
}

/** Makes the document of `--json`: the first verdict that is not "correct", else the last one. */
export function verifyDocument(report: FileReport): object {
  const { verdicts, skipped, unfinished, hasBothUses } = report;
  const wrong = verdicts.find((v) => v.verification.verdict !== 'correct');
  const { verification, collective } = wrong ?? verdicts[verdicts.length - 1];
  return {
    ok: wrong === undefined && unfinished === undefined,
    verdict: verification.verdict,
    findings: verification.findings.map(findingDocument),
    // The smallest limit without a deadlock (0 = rendezvous), and the limit that was assumed for the proof.
    inflight: verification.smallestInflight ?? null,
    inflightAssumed: verification.inflight ?? 'unbounded',
    bitwise: verification.determinism === undefined ? undefined : verification.determinism.identical,
    proved: verification.proved,
    checkedBy: verification.checkedBy,
    collective: collective.kind,
    ranks: wrong === undefined ? [...new Set(verdicts.map(ranksIn))] : [collective.ranks],
    uses: hasBothUses === true ? verdicts.map(useDocument) : undefined,
    skipped,
    unfinished,
  };
}

/** Makes the document of one use (in place or out of place) of a file that allows both. */
function useDocument({ collective: { inPlace }, verification: { verdict, findings } }: FileVerdict): object {
  return { inPlace, ok: verdict === 'correct', verdict, findings: findings.map(findingDocument) };
}

function findingDocument(finding: Finding): object {
  const { code, severity, message, story } = finding;
  return {
    code,
    severity,
    message,
    source: jsonSource(rangeIn(finding)),
    story: story.map(({ text, place }) => ({ text, ...place, range: undefined, source: jsonSource(place.range) })),
  };
}

/** Makes the document of `--json` for a file that is no plan. */
export function malformedDocument(error: CccError): object {
  const finding = {
    code: 'malformed',
    severity: 'error',
    message: error.message,
    source: jsonSource(error.range),
    story: [],
  };
  return { ok: false, verdict: 'malformed', findings: [finding], inflight: null, proved: [] };
}

/** Returns remarks for users in addition to the verdict. */
export function remarks(report: FileReport, given: Topology | undefined): readonly string[] {
  const topology = underProtocol(given, report.document?.extra.protocol);
  const { unfinished } = report;
  const left = unfinished === undefined ? [] : [unfinishedText(unfinished)];
  const result = [...(report.notes ?? []), ...skippedTexts(report), ...left].map(oneLine);
  const made = report.document?.extra.topology;
  if (topology !== undefined && typeof made === 'object' && made !== null && 'digest' in made) {
    const name = 'name' in made ? String(made.name) : 'another topology';
    if (made.digest !== topologyDigest(topology))
      result.push(oneLine(`the plan was made for ${name}, which differs from ${topology.name}`));
  }
  return result;
}

export function unfinishedText({ first, last, reason }: UnfinishedRange): string {
  return `not verified for N = ${runText([first, last])}: ${reason}`;
}

/** Writes the numbers of ranks that a schedule does not support, grouped by reason (which may mention the number). */
function skippedTexts({ skipped }: FileReport): string[] {
  const kinds = new Map<string, { readonly reason: string; readonly numbers: number[] }>();
  for (const { ranks, reason } of skipped) {
    const kind = reason.replaceAll(String(ranks), 'N').replaceAll('N ranks', 'N rank');
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, { reason, numbers: [ranks] });
    else known.numbers.push(ranks);
  }
  return [...kinds.values()].map(({ reason, numbers }) => `not verified for N = ${ranksText(numbers)}: ${reason}`);
}
