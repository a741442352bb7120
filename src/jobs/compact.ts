/** Compact plans in files. This is the only module of this layer that depends on `src/compact`. */
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

/** The verification of a compact plan, which is not written out for that. @param given the machine of the plan, if the caller specifies one */
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

/** Options for the verification of a compact plan. */
export interface CompactRequest extends Pick<CompactVerifyOptions, 'shape' | 'inflight' | 'bitwise' | 'ownership'> {
  readonly limits: Limits;
  /** M in bytes, for the predicted time; default: the size that the document states. */
  readonly size?: Bytes | undefined;
}

/**
 * The simulated time of a correct compact plan; undefined if no machine is known, the plan is too long, or the machine lacks links or ports for it.
 */
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

/** A line with the time of a compact plan, or the reason why there is none; empty if no machine is known. */
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

/** The blocks of a compact document for its written-out plan: the machine by its name, if its digest is that of the symmetric machine. */
export function blocksWrittenOut({ topology, ...extra }: DocumentBlocks): DocumentBlocks {
  const machine = machineOf(topology, undefined);
  return machine === undefined ? extra : { ...extra, topology: { name: machine.name } };
}

/** The machine of a document. A shipped machine is used only if the digest matches, since names do not record changed numbers. */
function machineOf(block: unknown, given: SymmetricTopology | undefined): SymmetricTopology | undefined {
  if (!isRecord(block) || typeof block.name !== 'string') return given;
  const { name, digest } = block;
  if (digest === undefined) return given;
  const machine = given ?? shipped(name, resolveSymmetricTopology);
  return machine !== undefined && symmetricDigest(machine) === digest ? machine : undefined;
}

/**
 * Writes out a compact plan in full, within the limits of full plans. Returns a finding if the compact plan is wrong.
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
