/** MPI in C: one file with the plan as tables, a function with the signature of MPI's own, and a shim for LD_PRELOAD. */
import { blockComment } from '../block-comment.ts';
import type { Emitter, PlanBundle } from '../emitter.ts';
import { callText } from './call-text.ts';
import { executorText } from './executor-text.ts';
import { type MpiInterface, mpiInterfaces } from './interfaces.ts';
import { movingText, reducingText, shardAddressText } from './moving-text.ts';
import { roomLacking, sendsThatLeave } from './room.ts';
import { planTables } from './tables.ts';

export const mpiC: Emitter = {
  name: 'mpi-c',
  about: "a C file for MPI: the plan as a function with MPI's own signature, and as a shim that replaces MPI's",
  ownership: 'strict',
  check,
  emit,
};

/** MPI promises no channel above this (MPI_TAG_UB); one more is used for messages to oneself. */
const highestTag = 32_767;

function check({ proved }: PlanBundle): readonly string[] {
  const { plan, verification } = proved;
  const { kind, counts } = plan.collective;
  const lacks: string[] = [];
  if (mpiInterfaces[kind] === undefined) lacks.push(`MPI has no call for a ${kind} collective`);
  if (counts !== undefined) lacks.push('shards of different sizes are not supported');
  const needed = verification.smallestInflight ?? 0;
  if (needed > 1) {
    lacks.push(`the plan needs room for ${needed} undelivered messages on a connection; only one is made there`);
  } else if (needed === 1) lacks.push(...roomLacking(proved));
  if (plan.ops.channel.some((channel) => channel >= highestTag)) {
    lacks.push(`channels are tags there, and MPI promises no tag above ${highestTag}`);
  }
  return lacks;
}

function* emit(bundle: PlanBundle): Iterable<string> {
  const { plan } = bundle.proved;
  const call = mpiInterfaces[plan.collective.kind];
  if (call === undefined) throw new Error(`${plan.collective.kind} is no collective of MPI`);
  yield heading(bundle, call);
  yield* planTables(plan, sendsThatLeave(bundle.proved));
  yield `${executorText}\n${callText}\n`;
  yield* callTexts(call);
}

function* callTexts(call: MpiInterface): Iterable<string> {
  const { name, parameters, passed, body, reduces } = call;
  yield reduces ? reducingText : movingText;
  yield '\n';
  if (body.includes('ccc_shard_at')) yield shardAddressText;
  if (body.includes('ccc_writable')) yield writableText;
  if (body.includes('ccc_shift_to')) yield shiftText;
  const own = functionName(call);
  yield `/* ---- MPI_${name} ---- */\n\nint ${own}(${parameters});\n\n`;
  yield `int ${own}(${parameters})\n{\n  struct ccc_state *state;\n  int rc${reduces ? ', commutes' : ''};\n`;
  yield '  if ((rc = ccc_state_of(comm, &state)) != MPI_SUCCESS) return ccc_report(comm, rc);\n';
  yield `  if (state != NULL) {${body.replaceAll('\n', '\n  ')}\n  }\n`;
  yield `  return PMPI_${name}(${passed});\n}\n`;
  yield `\n#ifdef CCC_PMPI\nint MPI_${name}(${parameters})\n{\n  return ${own}(${passed});\n}\n#endif\n`;
}

/** The C function of a plan's collective, as `ccc_allgather`. */
function functionName({ name }: MpiInterface): string {
  return `ccc_${name.toLowerCase()}`;
}

const writableText = `/* What the plan only reads: writes_input and may_spoil see to it. */
static char *ccc_writable(const void *buffer)
{
  return (char *)(uintptr_t)buffer;
}

`;

const shiftText = `/* For another root all ranks take the parts of others, round about. */
static int ccc_shift_to(int root)
{
  return (root + CCC_RANKS - CCC_ROOT) % CCC_RANKS;
}

`;

function heading({ proved }: PlanBundle, call: MpiInterface): string {
  const { plan, verification } = proved;
  const lines = [
    `${plan.name}: ${plan.collective.kind} of ${plan.collective.ranks} ranks, written by ccc.`,
    '',
    `int ${functionName(call)}(${call.parameters})`,
    `takes the arguments of MPI_${call.name} and means the same. Other numbers of ranks and what the plan is not for go to`,
    "MPI's own function. Collective over the communicator, whose first call makes a private one.",
    '',
    'As a part of a program:   mpicc -c FILE.c',
    `Under existing programs:  mpicc -DCCC_PMPI -shared -fPIC -O2 -o shim.so FILE.c; mpirun -x LD_PRELOAD=./shim.so …`,
    '',
    'Proved:',
    ...verification.proved.map((line) => `- ${line}`),
  ];
  return `${blockComment(lines, '/*')}${includes}`;
}

const includes = `#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* for madvise */
#endif
#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

`;
