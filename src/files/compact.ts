/** Compact plans in files: the one place of this floor that knows of `src/compact`. */
import { judgeCompactCertificate } from '../compact/cost/certificate-check.ts';
import { resolveSymmetricTopology } from '../compact/machine/resolve.ts';
import { type CompactVerifyOptions, verifyCompact } from '../compact/verify/verify.ts';
import { symmetricDigest } from '../emit/topology-digest.ts';
import type { CompactPlan, SymmetricTopology } from '../ir/compact.ts';
import { CccError } from '../ir/diagnostic.ts';
import { expandCompact } from '../ir/expand.ts';
import type { Limits } from '../ir/limits.ts';
import type { Plan } from '../ir/plan.ts';
import { type Finding, firstError, type Verification } from '../ir/verification.ts';
import type { CompactDocument } from '../read/plan/index.ts';
import { isRecord, shipped } from './claims.ts';
import { withClaimChecked } from './verify-bound.ts';

/** What is to be said of a compact plan, which is proved without being written out. @param given the machine it is for, if that is said */
export function compactVerification(
  { compact, extra }: CompactDocument,
  given: SymmetricTopology | undefined,
  request: Pick<CompactVerifyOptions, 'shape' | 'inflight' | 'bitwise' | 'ownership'> & { readonly limits: Limits },
): Verification {
  const { shape, inflight, bitwise, ownership, limits } = request;
  const { collective } = compact;
  const proof = verifyCompact(compact, { shape, inflight, bitwise, ownership, slots: limits.slots });
  return withClaimChecked(proof, extra, (size) => {
    const machine = machineOf(extra.topology, given);
    if (machine === undefined) return undefined;
    return {
      machine: machine.name,
      judge: (certificate) => judgeCompactCertificate(certificate, collective, machine, size),
    };
  });
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
