/**
 * Every target format that ccc writes. The registry stands above the rooms that hold the emitters: `src/emit` has the
 * contract and the formats that are one file each, `src/mscclpp` a target that is also read, checked and timed.
 */
import { chakra } from '../emit/chakra/index.ts';
import { goal } from '../emit/goal.ts';
import type { Emitter } from '../emit/index.ts';
import { json } from '../emit/json.ts';
import { mpiC } from '../emit/mpi/index.ts';
import { mscclXml, mscclXmlRccl } from '../emit/msccl/index.ts';
import { sg2260, sg2260Listing } from '../emit/sg2260/index.ts';
import { torch } from '../emit/torch/index.ts';
import { trace } from '../emit/trace.ts';
import { typescript } from '../emit/typescript/index.ts';
import { mscclpp, mscclppPackets } from '../mscclpp/write/index.ts';

/** All emitters in the order in which `ccc list emitters` shows them: ccc's own formats first. */
export const emitters: readonly Emitter[] = [
  json,
  typescript,
  mpiC,
  torch,
  mscclXml,
  mscclXmlRccl,
  mscclpp,
  mscclppPackets,
  sg2260,
  sg2260Listing,
  trace,
  goal,
  chakra,
];
