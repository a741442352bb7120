/** Compact plans in files: the one place of this floor that knows of `src/compact`. */
import { judgeCompactCertificate, simulateCompact } from '../compact/cost/index.ts';
import { resolveSymmetricTopology } from '../compact/machine/resolve.ts';
import { type CompactVerifyOptions, verifyCompact } from '../compact/verify/verify.ts';
import { symmetricDigest } from '../emit/topology-digest.ts';
import type { CompactPlan, SymmetricTopology } from '../ir/compact.ts';
import { CccError } from '../ir/diagnostic.ts';
import { expandCompact } from '../ir/expand.ts';
import type { Limits } from '../ir/limits.ts';
import { oneLine } from '../ir/plain-text.ts';
import type { Plan } from '../ir/plan.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { type Finding, firstError, type Verification } from '../ir/verification.ts';
import type { CompactDocument } from '../read/plan/index.ts';
import { type DocumentBlocks, isRecord, shipped } from './claims.ts';
import { type TimingTarget, timingSentence, timingTargetOn } from './timing-target.ts';
import { withClaimChecked } from './verify-bound.ts';
import { withTime } from './verify-time.ts';

/** What is to be said of a compact plan, which is proved without being written out. @param given the machine it is for, if that is said */
export function compactVerification(
  { compact, extra }: CompactDocument,
  given: SymmetricTopology | undefined,
  request: CompactRequest,
): Verification {
  const { shape, inflight, bitwise, ownership, limits } = request;
  const { collective } = compact;
  const proof = verifyCompact(compact, { shape, inflight, bitwise, ownership, slots: limits.slots });
  const bounded = withClaimChecked(proof, extra, (size) => {
    const machine = machineOf(extra.topology, given);
    if (machine === undefined) return undefined;
    return {
      machine: machine.name,
      judge: (certificate) => judgeCompactCertificate(certificate, collective, machine, size),
    };
  });
  if (bounded.verdict !== 'correct') return bounded;
  const timed = compactTime({ compact, extra }, given, request);
  const isItsMachine = machineOf(extra.topology, given) !== undefined;
  return timed === undefined ? bounded : withTime(bounded, timed.seconds, timed.pricedFor, extra, isItsMachine);
}

/** What a compact plan is asked. */
export interface CompactRequest extends Pick<CompactVerifyOptions, 'shape' | 'inflight' | 'bitwise' | 'ownership'> {
  readonly limits: Limits;
  /** M for the time; default: what the document says. */
  readonly size?: Bytes | undefined;
}

/** How long a correct compact plan takes; undefined where no machine is known, it is too long, or chips there have no links or ports for it. */
function compactTime(
  { compact, extra }: CompactDocument,
  given: SymmetricTopology | undefined,
  { size: request, limits }: CompactRequest,
): { readonly seconds: Seconds; readonly pricedFor: TimingTarget<SymmetricTopology> } | undefined {
  const machine = given ?? machineOf(extra.topology, undefined);
  const wanted = timingTargetOn(machine, compact.collective, extra, { topology: given, size: request });
  const operations = compact.ops.kind.length * compact.bulks;
  if (machine === undefined || wanted.size === undefined || operations > limits.operations) return undefined;
  try {
    return { seconds: simulateCompact(compact, machine, wanted.size).seconds, pricedFor: wanted };
  } catch (error) {
    if (error instanceof CccError && error.code === 'unsupported') return undefined;
    throw error;
  }
}

/** A line below what is shown of a compact plan: its time, or why there is none; empty where none is known. */
export function compactTimeLine(
  document: CompactDocument,
  given: SymmetricTopology | undefined,
  request: CompactRequest,
): string {
  const { inflight, limits } = request;
  const wrong = firstError(
    verifyCompact(document.compact, { shape: given?.shape, inflight, slots: limits.slots }).findings,
  );
  if (wrong !== undefined) return `\nno time is simulated: ${oneLine(wrong.message)}\n`;
  const timed = compactTime(document, given, request);
  return timed === undefined ? '' : `\n${timingSentence(timed.seconds, timed.pricedFor)}\n`;
}

/** What a compact document says, for its plan written out: the machine by its name, where its digest is that of the symmetric one. */
export function blocksWrittenOut({ topology, ...extra }: DocumentBlocks): DocumentBlocks {
  const machine = machineOf(topology, undefined);
  return machine === undefined ? extra : { ...extra, topology: { name: machine.name } };
}

/** The shipped machine is taken only with the right digest: names do not say how its numbers were changed. */
function machineOf(block: unknown, given: SymmetricTopology | undefined): SymmetricTopology | undefined {
  if (!isRecord(block) || typeof block.name !== 'string') return given;
  const { name, digest } = block;
  if (digest === undefined) return given;
  const machine = given ?? shipped(name, resolveSymmetricTopology);
  return machine !== undefined && symmetricDigest(machine) === digest ? machine : undefined;
}

/**
 * The full plan of a compact one, which must fit the limits of full plans; or what is wrong with the compact one.
 * @throws CccError 'limit'
 */
export function expanded(compact: CompactPlan, inflight: number | undefined, limits: Limits): Plan | Finding {
  const wrong = firstError(verifyCompact(compact, { inflight, slots: limits.slots }).findings);
  if (wrong !== undefined) return wrong;
  const operations = compact.ops.kind.length * compact.collective.ranks;
  if (operations > limits.operations) {
    const message = `the full plan has ${operations} operations, more than the limit operations = ${limits.operations}`;
    throw new CccError('limit', message);
  }
  return expandCompact(compact);
}
