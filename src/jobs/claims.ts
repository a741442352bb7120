/** Shared parts of the checks of a plan document's claims: which machine a claim is about, and how a result is reported. */
import { topologyDigest } from '../emit/topology-digest.ts';
import { type Topology, withProtocol } from '../ir/topology.ts';
import type { Finding, Verification } from '../ir/verification.ts';
import {
  isFilePath,
  listShipped,
  parseChipMap,
  parseGroups,
  resolveTopology,
  withGroup,
  withMap,
  withoutParts,
} from '../read/index.ts';

/** The blocks of a plan's document besides the plan proper. */
export type DocumentBlocks = Readonly<Record<string, unknown>>;

export function withFinding(verification: Verification, severity: Finding['severity'], message: string): Verification {
  const finding: Finding = { severity, code: 'malformed', message, story: [] };
  return { ...verification, findings: [...verification.findings, finding] };
}

/**
 * The machine of a document: the given one if it has the digest that the document states, or else the shipped one of that name. A file is never
 * opened because a plan names it.
 */
export function claimedMachine(block: unknown, given: Topology | undefined): Topology | undefined {
  if (!isRecord(block) || typeof block.name !== 'string') return given;
  const { name, digest } = block;
  const machine = given ?? shipped(name, resolveEdited);
  return machine !== undefined && (digest === undefined || topologyDigest(machine) === digest) ? machine : undefined;
}

/** Resolves the name of a shipped machine with the edits that it records: `h100 --protocol LL --without link:0-1 --map 1,0,2,…`. */
function resolveEdited(name: string): Topology {
  const [base, ...edits] = name.split(/ --(?=(?:protocol|without|map|group) )/);
  const textsOf = (edit: string): readonly string[] =>
    edits.flatMap((text) => (text.startsWith(`${edit} `) ? [text.slice(edit.length + 1)] : []));
  const moved = textsOf('protocol').reduce(withProtocol, resolveTopology(base));
  let machine = withoutParts(moved, textsOf('without'));
  for (const map of textsOf('map')) machine = withMap(machine, parseChipMap(map));
  const groups = parseGroups(textsOf('group'), machine);
  return groups.length === 1 ? withGroup(machine, groups[0]) : machine;
}

/**
 * Resolves the name of a shipped topology. Returns undefined for other names and for names with invalid parts. Names do not record changed numbers,
 * so that the caller must compare digests.
 */
export function shipped<Machine>(name: string, resolve: (name: string) => Machine): Machine | undefined {
  if (isFilePath(name) || !listShipped('topologies').includes(name.split(/[: ]/)[0])) return undefined;
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
}

/** The recipe in the origin of a plan's document; undefined for plans of other programs and of earlier versions. */
export function recipeIn({ origin }: DocumentBlocks): string | undefined {
  return isRecord(origin) && typeof origin.recipe === 'string' ? origin.recipe : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
