/** Finds the plans that measurements name, reads and verifies them, and joins them with their times to configurations. */

import { collectiveFacts, messageChunks } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import type { Plan } from '../ir/plan.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { counted } from '../ir/units.ts';
import { firstError, sourceRangeOf, type Verdict, type Verification, verdictText } from '../ir/verification.ts';
import { importPlan } from '../jobs/convert.ts';
import { verdictOn } from '../jobs/verify-msccl.ts';
import { listShipped, loadScheduleFile, readSource } from '../read/index.ts';
import type { Measurement, MeasurementTable } from '../read/measurements/index.ts';
import { readMsccl } from '../read/msccl/index.ts';
import { prove } from '../verify/index.ts';
import { type Cleaned, clean, type Dropped, type RawTime, type Served } from './clean.ts';
import type { Configuration } from './configuration.ts';
import { groupedBy } from './errors.ts';
import { canonicalProtocolName, inflightOf } from './parameters.ts';

/** The content of a file of measurements. */
export interface MeasurementSubject {
  readonly table: MeasurementTable;
  /** Finds the text of a plan that the table names. */
  readonly planFile: (name: string) => string;
}

export interface SubjectRequest {
  /** The plan or algorithm that ran, for files of measurements that do not name one. */
  readonly plan: string | undefined;
  /** The protocol of measurements that do not name one; default: the algorithm's own. */
  readonly protocol: string | undefined;
  /** Whether plans that do not verify are accepted, too. */
  readonly unverified: boolean;
  readonly limits: Limits;
  /** The machine with that many ranks. @throws CccError if the topology file cannot make one */
  readonly machine: (ranks: number) => Topology;
}

/** The configurations, and counts of the measurements that were dropped. */
export interface Subjects {
  readonly configurations: readonly Configuration[];
  readonly measurements: number;
  readonly repeated: number;
  readonly dropped: ReadonlyMap<Dropped, number>;
  readonly notes: readonly string[];
}

/** A plan, with the protocol, uses and sizes that it is for. */
interface Subject {
  readonly plan: Plan;
  readonly topology: Topology;
  readonly served: Served;
  /** The protocol that the algorithm's file declares, if any. */
  readonly protocol: string | undefined;
}

/**
 * Joins tables of measurements with the plans that ran.
 *
 * @throws CccError 'usage' if nothing names the plan that ran or no time is left, 'unproved' for a plan that does not verify, 'schema' for
 * measurements of another collective, and what reading throws
 */
export async function subjectsOf(files: readonly MeasurementSubject[], request: SubjectRequest): Promise<Subjects> {
  const dropped = new Map<Dropped, number>();
  const configurations: Configuration[] = [];
  let [measurements, repeated] = [0, 0];
  const groups = groupedBy(
    files.flatMap(({ table, planFile }) =>
      table.measurements.map((measurement) => ({ measurement, table, path: pathOf(measurement, planFile, request) })),
    ),
    ({ path, measurement }) => `${path}\n${measurement.protocol ?? request.protocol ?? ''}`,
  );
  for (const group of groups.values()) {
    const [{ measurement, table, path }] = group;
    const inPlace = group.some((each) => each.measurement.inPlace === true);
    const subject = await subjectOf(path, measurement, inPlace, request);
    checkCollective(table, subject, measurement);
    const cleaned = clean(
      group.map((each) => rawTime(each.measurement, subject.plan)),
      subject.served,
    );
    measurements += group.length;
    repeated += cleaned.repeated;
    for (const [why, count] of cleaned.dropped) dropped.set(why, (dropped.get(why) ?? 0) + count);
    const said = measurement.protocol ?? request.protocol ?? subject.protocol;
    const protocol = said === undefined ? undefined : canonicalProtocolName(subject.topology, said);
    if (cleaned.times.length > 0) configurations.push(configurationOf(path, protocol, subject, cleaned));
  }
  checkLeft(configurations, measurements, dropped);
  const notes = files.flatMap(({ table }) => table.notes);
  return { configurations: named(configurations), measurements, repeated, dropped, notes };
}

/** @throws CccError 'usage' if cleaning has dropped every measurement */
function checkLeft(left: readonly Configuration[], measurements: number, dropped: ReadonlyMap<Dropped, number>): void {
  if (left.length > 0) return;
  const reasons = [...dropped].map(([why, count]) => `${count} ${why}`).join(', ');
  throw new CccError('usage', `of ${counted(measurements, 'measurement')} none is left to be fitted: ${reasons}`);
}

function pathOf({ plan, place }: Measurement, planFile: (name: string) => string, request: SubjectRequest): string {
  if (plan !== undefined) return planFile(plan);
  if (request.plan !== undefined) return request.plan;
  const message = `${place.source.name} does not say what ran: give --plan FILE or --algorithm NAME`;
  throw new CccError('usage', message, place);
}

function textOf(path: string, limits: Limits): SourceText {
  return listShipped('schedules').includes(path) ? loadScheduleFile(path).text : readSource(path, limits);
}

async function subjectOf(
  path: string,
  { place, protocol }: Measurement,
  inPlace: boolean,
  request: SubjectRequest,
): Promise<Subject> {
  const source = planText(path, place, request.limits);
  const said = protocol ?? request.protocol;
  return /^\s*</.test(source.text)
    ? algorithmOf(source, inPlace, said, request)
    : planOf(source, inPlace, said, request);
}

function planText(path: string, place: Measurement['place'], limits: Limits): SourceText {
  try {
    return textOf(path, limits);
  } catch (error) {
    if (error instanceof CccError && error.code === 'file') throw new CccError('file', error.message, place);
    throw error;
  }
}

function algorithmOf(source: SourceText, inPlace: boolean, said: string | undefined, request: SubjectRequest): Subject {
  const { limits } = request;
  const use = inPlace ? 'in place' : 'out of place';
  const document = readMsccl(source, { limits, use });
  const { plan, protocol, hasBothUses, messages } = document;
  const topology = request.machine(plan.collective.ranks);
  const inflight = inflightOf(topology, canonicalProtocolName(topology, said ?? protocol)) ?? document.inflight;
  checkVerdict(source.name, verdictOn(document, { slots: limits.slots, inflight }), request);
  const served = {
    inPlace: hasBothUses || plan.collective.inPlace,
    outOfPlace: hasBothUses || !plan.collective.inPlace,
    chunks: messageChunks(plan.collective),
    messages,
  };
  return { plan, topology, served, protocol };
}

async function planOf(
  source: SourceText,
  inPlace: boolean,
  said: string | undefined,
  request: SubjectRequest,
): Promise<Subject> {
  const { limits } = request;
  // A schedule is instantiated for the machine as the user named it; a plan has its own number of ranks.
  const ranks = /^\s*\{/.test(source.text) ? undefined : ranksOf(request.machine(0));
  const conversion = { root: 0, op: 'sum', ordered: false, inPlace, parameters: {}, limits, ranks } as const;
  const { plan, format } = await importPlan(source, conversion);
  const topology = request.machine(plan.collective.ranks);
  const inflight = inflightOf(topology, said === undefined ? undefined : canonicalProtocolName(topology, said));
  checkVerdict(source.name, prove(plan, { inflight, slots: limits.slots }).verification, request);
  const isSchedule = format === 'ccc-schedule';
  const own = plan.collective.inPlace;
  const served = { inPlace: isSchedule || own, outOfPlace: isSchedule || !own, chunks: undefined };
  return { plan, topology, served, protocol: undefined };
}

/** Verdicts of plans that cannot run to their end, so that no time can be predicted for them. */
const timeless: readonly Verdict[] = ['malformed', 'mismatched', 'deadlock'];

/** @throws CccError 'unproved' for a plan that does not verify, unless `unverified` accepts it and its time can be predicted */
function checkVerdict(name: string, verification: Verification, { unverified }: SubjectRequest): void {
  const { verdict, findings } = verification;
  const isTimeless = timeless.includes(verdict);
  if (verdict === 'correct' || (unverified && !isTimeless)) return;
  const way = isTimeless ? '' : ' (--unverified takes its times all the same)';
  const message = `${name} does not verify${way}, ${verdictText(verification)}`;
  throw new CccError('unproved', message, sourceRangeOf(firstError(findings)));
}

function checkCollective({ collective }: MeasurementTable, { plan }: Subject, { place }: Measurement): void {
  const { kind } = plan.collective;
  if (collective === undefined || collective === kind) return;
  throw new CccError('schema', `these are times of ${collective}, but ${plan.name} is for ${kind}`, place);
}

/** Converts sizes of OSU and IMB, which count the bytes that one rank sends to another, to M, which counts them for all ranks. */
function rawTime({ size, counted, seconds, inPlace }: Measurement, { collective }: Plan): RawTime {
  const blocks = counted === 'block' && collectiveFacts[collective.kind].sharded ? collective.ranks : 1;
  return { size: size * blocks, seconds, inPlace };
}

function configurationOf(
  path: string,
  protocol: string | undefined,
  { plan, topology }: Subject,
  { times }: Cleaned,
): Configuration {
  const { kind, ranks } = plan.collective;
  const file = path.split('/').at(-1) ?? path;
  return { name: file, plan, topology, collective: kind, ranks, protocol, times };
}

/** Appends the protocol to names that several configurations share. */
function named(configurations: readonly Configuration[]): readonly Configuration[] {
  const byName = groupedBy(configurations, ({ name }) => name);
  return configurations.map((each) =>
    (byName.get(each.name)?.length ?? 0) > 1 ? { ...each, name: `${each.name} ${each.protocol ?? ''}`.trim() } : each,
  );
}
