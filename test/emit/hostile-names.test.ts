/** Names that are more than names: what is written with them is, to its own readers, what is written with plain ones. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { ts } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import type { Emitter, PlanBundle } from '../../src/emit/index.ts';
import type { ProvedPlan } from '../../src/index.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { owningStrictly } from '../../src/jobs/owning-strictly.ts';
import { withTimeline } from '../../src/jobs/timed.ts';
import { simulate } from '../../src/model/index.ts';
import { emitters } from '../../src/targets/index.ts';
import { prove } from '../../src/verify/index.ts';
import { acting, hostileNames } from '../hostile-names.ts';
import { ring } from '../model/machines.ts';
import { planOf } from '../seeds/library.ts';
import { emptyFolder } from '../temporary.ts';

const plain = planOf('ring-allreduce', 3, { inPlace: true });
const size = 1200;

/** For targets that ask for them. */
const messages = { alignment: 8, ids: 512, counts: 127, dimensions: [1, 1, 1, 1e6], stride: 1e6 } as const;

/** A machine whose every name is that name. */
function machineNamed(name: string): Topology {
  const machine = ring(3);
  return { ...machine, messages, name, notes: [name], nodes: machine.nodes.map((node) => ({ ...node, name })) };
}

/** The same plan with that name, on a machine of that name: also what was proved of it names the machine. */
function bundleNamed(name: string, emitter: Emitter): PlanBundle {
  const topology = machineNamed(name);
  const bundle = withTimeline({
    ...{ proved: provedOf({ ...plain, name }, topology), topology, size, dtype: 'f32', bound: undefined },
    cost: simulate(plain, Routes.of(topology), size),
    origin: { engine: name, schedule: name },
  });
  return emitter.ownership === 'strict' ? owningStrictly(bundle, emitter.name) : bundle;
}

function provedOf(plan: Plan, topology: Topology): ProvedPlan {
  const { proved } = prove(plan, { topology });
  if (proved === undefined) throw new Error('not proved');
  return proved;
}

async function textWith(name: string, emitter: Emitter): Promise<string> {
  const bundle = bundleNamed(name, emitter);
  expect(emitter.check(bundle)).toEqual([]);
  return [...(await emitter.emit(bundle))].join('');
}

/** What the readers of each target make of a text, without what only names things there. */
const readings: Readonly<Record<string, (text: string, name: string) => unknown>> = {
  json: jsonReading,
  ts: typescriptReading,
  'mpi-c': cReading,
  torch: pythonReading,
  'msccl-xml': xmlReading,
  'msccl-xml-rccl': xmlReading,
  mscclpp: executionPlanReading,
  'mscclpp-ll': executionPlanReading,
  trace: traceReading,
  sg2260: commandsReading,
  // The first two lines and those that begin with a rank name things.
  'sg2260-listing': (text) => text.split('\n').filter((line) => line.startsWith('  ')),
  goal: (text) => text,
  // The name stands in a comment of its own.
  chakra: (text) => text.replace(/^# .*$/m, ''),
};

describe.each(emitters.map((emitter) => [emitter.name, emitter] as const))('the emitter %s', (target, emitter) => {
  it('says the same whatever things are called', async () => {
    const reading = readings[target];
    const expected = reading(await textWith('plain', emitter), 'plain');
    for (const name of hostileNames) {
      const text = await textWith(name, emitter);
      expect(reading(text, name), JSON.stringify(name)).toEqual(expected);
      expect(acting.test(text.replaceAll('\n', '')), JSON.stringify(name)).toBe(false);
    }
  });
});

/** Names are kept as they are; everything else is the same. */
function jsonReading(text: string, name: string): unknown {
  const { name: own, topology, origin, verification, ...rest } = JSON.parse(text);
  expect([own, topology.name, ...topology.notes, origin.engine, origin.schedule]).toEqual(Array(5).fill(name));
  return { ...rest, digest: topology.digest, verdict: verification.verdict };
}

/** The first line, which is for people, has what is left of the name without quotes; the plan's own has it as it is. */
function pythonReading(text: string, name: string): unknown {
  const literal = /json\.loads\('((?:[^'\\]|\\.)*)'\)/;
  const { name: own, ...rest } = JSON.parse((literal.exec(text)?.[1] ?? '').replaceAll(/\\(.)/g, '$1'));
  expect(own).toBe(name);
  return { ...rest, others: text.replace(literal, '').split('\n').slice(1) };
}

/** The name is kept as it is; everything else is the same. */
function executionPlanReading(text: string, name: string): unknown {
  const { name: own, ...rest } = JSON.parse(text);
  expect(own).toBe(name);
  return rest;
}

/** Names are kept as they are; everything else is the same. */
function commandsReading(text: string, name: string): unknown {
  const { name: own, topology, ...rest } = JSON.parse(text);
  expect([own, topology.name, ...topology.notes]).toEqual([name, name, name]);
  return { ...rest, digest: topology.digest };
}

/** Events, with processes and threads by number. */
function traceReading(text: string, name: string): unknown {
  const events: { readonly args: { readonly name?: string } }[] = JSON.parse(text);
  expect(events.some(({ args }) => args.name === `rank 0, ${name}`)).toBe(true);
  return events.map((event) => (event.args.name === undefined ? event : { ...event, args: {} }));
}

/** Every node of the syntax tree, leaves with their text; comments are in none. */
function typescriptReading(text: string): unknown {
  const { diagnostics } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  expect(diagnostics).toEqual([]);
  const file = ts.createSourceFile('plan.ts', text, ts.ScriptTarget.ESNext);
  expect([file.referencedFiles, file.typeReferenceDirectives, file.libReferenceDirectives]).toEqual([[], [], []]);
  const nodes: string[] = [];
  const visit = (node: ts.Node): void => {
    const leaf = node.getChildCount(file) === 0;
    nodes.push(leaf ? `${ts.SyntaxKind[node.kind]} ${node.getText(file)}` : ts.SyntaxKind[node.kind]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return nodes;
}

/** The text after the first phases of C (trigraphs, continued lines, comments), as ISO C11 5.1.1.2 has them. */
function cReading(text: string): unknown {
  const joined = text.replaceAll('??/', '\\').replace(/\\\r?\n/g, '');
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\s\S]/g;
  return withoutNames([...joined.matchAll(tokens)].map(([token]) => (/^\/[*/]/.test(token) ? ' ' : token)).join(''));
}

/** C without the names of plans, which are texts in the first field of their rows. */
function withoutNames(text: string): string {
  return text.replaceAll(/\{ "[^"\\\n]*", (\d+)u,/g, '{ "name", $1u,');
}

/** Elements and attributes, without the name of the algorithm. */
function xmlReading(text: string): unknown {
  const found: unknown[] = [];
  const parser = new SaxesParser({ xmlns: false });
  parser.on('opentag', ({ name, attributes }) =>
    found.push([name, name === 'algo' ? { ...attributes, name: 'name' } : { ...attributes }]),
  );
  for (const event of ['comment', 'cdata', 'processinginstruction', 'doctype'] as const) {
    parser.on(event, () => found.push(event));
  }
  parser.on('text', (words) => {
    if (words.trim() !== '') found.push(words);
  });
  parser.write(text).close();
  return found;
}

const compiler = spawnSync('gcc', ['--version'], { stdio: 'ignore' }).status === 0;
if (!compiler) console.warn('There is no gcc here: C with hostile names is read by the tests only.');

/** As much of MPI's header as a preprocessor needs. */
const mpiHeader = '#define MPI_SUCCESS 0\n';

describe.skipIf(!compiler)('a compiler reads emitted C', () => {
  it.each([['-std=c99'], ['-std=gnu11']])('the same whatever things are called, with %s', async (standard) => {
    const emitter = emitters.find(({ name }) => name === 'mpi-c');
    if (emitter === undefined) throw new Error('there is no mpi-c');
    const folder = emptyFolder();
    writeFileSync(join(folder, 'mpi.h'), mpiHeader);
    const preprocessed = async (name: string): Promise<string> => {
      const input = await textWith(name, emitter);
      const flags = [standard, '-E', '-P', '-nostdinc', '-Wno-trigraphs', '-I', folder];
      const own = input.replace(/#include <(?!mpi\.h)[^>]*>/g, '');
      const { status, stdout, stderr } = spawnSync('gcc', [...flags, '-x', 'c', '-'], { input: own, encoding: 'utf8' });
      expect([status, stderr], JSON.stringify(name)).toEqual([0, '']);
      return withoutNames(stdout);
    };
    const expected = await preprocessed('plain');
    for (const name of hostileNames) expect(await preprocessed(name), JSON.stringify(name)).toEqual(expected);
  });
});
