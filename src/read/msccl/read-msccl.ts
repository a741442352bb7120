/** Reads MSCCL XML into a plan. */
import type { SourceText } from '../../ir/diagnostic.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { defaultLimits } from '../../ir/limits.ts';
import { PlanBuilder } from '../../ir/plan.ts';
import type { Bytes } from '../../ir/units.ts';
import type { Finding } from '../../ir/verification.ts';
import { readable } from '../limits.ts';
import type { ReadOptions } from '../options.ts';
import type { PlanDocument } from '../plan/index.ts';
import type { MscclAlgorithm, MscclGpu, MscclProtocol } from './algorithm.ts';
import { readMscclAlgorithm } from './algorithm-reader.ts';
import { type CallArguments, mscclCollectiveOf, mscclNotes } from './collective.ts';
import { MscclProgram } from './program.ts';
import { MscclWaits } from './waits.ts';

/** The plan of an algorithm, and facts about the file that the plan does not hold. */
export interface MscclDocument extends PlanDocument {
  /** Whether the file is for in-place and out-of-place use; the plan is for one of them. */
  readonly hasBothUses: boolean;
  readonly protocol: MscclProtocol;
  /** The range of sizes M for which runtimes use the algorithm, both ends included; for other sizes they run another one. */
  readonly messages: { readonly least: Bytes; readonly most: Bytes };
  /** The number of transfers that a connection buffers under the file's protocol. */
  readonly inflight: number;
  /** Remarks on properties of the file that are unusual, but not wrong. */
  readonly notes: readonly string[];
  /** Errors of the file that no plan can express. They decide the verdict, whatever the verifier finds. */
  readonly flaws: readonly Finding[];
}

/** The arguments that the format leaves to the call (by default root 0, `sum` and in place), and limits. */
export type MscclOptions = ReadOptions & Partial<CallArguments>;

const depths: Readonly<Record<MscclProtocol, number>> = { Simple: 2, LL: 8, LL128: 8 };

/**
 * Reads an algorithm. Thread blocks become lanes; every operation keeps the place of its step.
 * @throws CccError 'syntax' for text that is not XML, 'malformed' for missing elements and wrong values, 'limit', 'unsupported'
 */
export function readMsccl(source: SourceText, options: MscclOptions = {}): MscclDocument {
  const { limits = defaultLimits, root = 0, op = 'sum', use } = options;
  const algorithm = readMscclAlgorithm(source, limits);
  const collective = mscclCollectiveOf(algorithm, { root, op, use });
  const builder = new PlanBuilder();
  const waits = new MscclWaits();
  const programs = algorithm.gpus.map((gpu) => {
    const program = new MscclProgram(gpu, collective, builder);
    waits.of(gpu, (step, earlier) => program.wait(step, earlier));
    if (program.buffers.scratch > limits.chunks) {
      throw new CccError(
        'limit',
        `gpu ${gpu.id} uses more scratch than the limit chunks = ${limits.chunks}`,
        gpu.range,
      );
    }
    return program;
  });
  const buffers = programs.map((program) => program.buffers);
  const header = { name: algorithm.name, collective, bulks: 1, scratchPerBulk: 1, buffers, rounds: [] };
  const beyond = programs.flatMap((program) => program.notes);
  if (beyond.length > readable.spelt)
    beyond.splice(readable.spelt, beyond.length, `${beyond.length - readable.spelt} more steps read past scratch`);
  return {
    plan: builder.build(header),
    extra: { protocol: algorithm.protocol },
    hasBothUses: algorithm.inPlace && algorithm.outOfPlace,
    protocol: algorithm.protocol,
    messages: algorithm.messages,
    inflight: depths[algorithm.protocol],
    notes: [...mscclNotes(algorithm, collective), ...beyond],
    flaws: [...sharedConnections(algorithm), ...programs.flatMap((program) => program.flaws), ...waits.flaws],
  };
}

/** Two thread blocks that serve one direction of a connection overwrite each other's position in it. */
function sharedConnections({ gpus }: MscclAlgorithm): readonly Finding[] {
  return gpus.flatMap((gpu) => [...shared(gpu, 'send'), ...shared(gpu, 'receive')]);
}

function shared(gpu: MscclGpu, direction: 'send' | 'receive'): readonly Finding[] {
  const owners = new Map<string, number>();
  const found: Finding[] = [];
  for (const block of gpu.blocks.values()) {
    const peer = block[direction];
    if (peer === -1) continue;
    const connection = `${peer}, ${block.channel}`;
    const owner = owners.get(connection);
    if (owner === undefined) {
      owners.set(connection, block.id);
      continue;
    }
    const way = direction === 'send' ? `sends to gpu ${peer}` : `receives from gpu ${peer}`;
    const message = `tb ${block.id} of gpu ${gpu.id} ${way} on channel ${block.channel}, as tb ${owner} does: they corrupt it.`;
    const place = { rank: gpu.id, lane: block.id, index: 0, bulk: 0, step: 0, range: block.range };
    found.push({
      severity: 'error',
      code: 'malformed',
      message,
      story: [{ text: `tb ${block.id} of gpu ${gpu.id}`, place }],
    });
  }
  return found;
}
