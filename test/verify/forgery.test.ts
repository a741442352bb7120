/** A proof cannot be forged: whatever is not the plan that the kernel accepted is a type error or is refused, and "correct" is never written of it. */
import { describe, expect, it } from 'vitest';
import { compactPlanText } from '../../src/compact/plan-json.ts';
import { ProvedCompactPlan, proveCompact } from '../../src/compact/verify/prove.ts';
import { json, type PlanBundle } from '../../src/emit/index.ts';
import { type CompileRequest, planJson, run, runDefaults, searchDefaults, searchPlan } from '../../src/index.ts';
import { customResults } from '../../src/ir/custom-results.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { type Plan, PlanBuilder } from '../../src/ir/plan.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { posted, received } from '../../src/session/compile/found-plan.ts';
import { emitters } from '../../src/targets/index.ts';
import { checkByKernel, ProvedPlan, prove, proveAgain, proveChecked } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { layeredPlan, torus } from '../compact/machines.ts';
import { changeAt, containersIn, objectAt, type Path, placesIn } from './changes.ts';
import { planOf } from './plans.ts';

const broadcast = collectiveOf('broadcast', 2);
const right = planOf({ collective: broadcast, programs: [[['copy i0 o0'], ['send i0 1']], [['recv o0 0']]] });
/** Rank 0 never fills its output. */
const wrong = planOf({ collective: broadcast, programs: [[['send i0 1']], [['recv o0 0']]] });

function proofOf(plan: Plan): ProvedPlan {
  const { proved, verification } = prove(plan);
  if (proved === undefined) throw new Error(verification.findings.map(({ message }) => message).join('; '));
  return proved;
}

function bundleOf(proved: ProvedPlan, changes: Partial<PlanBundle> = {}): PlanBundle {
  const unknown = { size: undefined, dtype: undefined, cost: undefined, bound: undefined, origin: undefined };
  return { proved, topology: undefined, ...unknown, ...changes };
}

/** What is thrown when somebody tries to write a bundle in any format or to run its plan. */
async function refusals(bundle: PlanBundle): Promise<readonly unknown[]> {
  const written = emitters.map(async (emitter) => {
    const text = [...(await emitter.emit({ ...bundle, dtype: 'f32', size: 64 }))].join('');
    return emitter.files === undefined ? text : emitter.files({ ...bundle, dtype: 'f32', size: 64 });
  });
  const ran = run(bundle.proved, { ...runDefaults, size: 64, threads: 0 });
  return Promise.all(
    [...written, ran].map((each) =>
      each.then(
        () => 'nothing was thrown',
        (error: unknown) => error,
      ),
    ),
  );
}

async function expectRefused(bundle: PlanBundle): Promise<void> {
  for (const refusal of await refusals(bundle)) {
    expect(refusal).toBeInstanceOf(CccError);
    expect(refusal).toMatchObject({ code: 'unproved' });
  }
  expect(() => planJson(bundle)).toThrow(CccError);
}

/** A plan with every optional part that a plan can have: a custom collective, rounds, turns, waits over bulks, origins, computing times. */
function fullPlan(): Plan {
  const source = { name: 'schedule.yaml', text: 'steps' };
  const origin = { source, start: 0, end: 5 };
  const builder = new PlanBuilder();
  for (const rank of [0, 1]) {
    const [out, into] = [builder.openLane(rank, 0), builder.openLane(rank, 1)];
    const slot = { buffer: 'output', offset: rank, count: 1 } as const;
    const src = { buffer: 'input', offset: 0, count: 1 } as const;
    const copy = builder.add(out, { kind: 'copy', src, dst: slot, step: 0, origin, nanoseconds: 3 });
    const send = builder.add(out, { kind: 'send', peer: 1 - rank, channel: 0, src: slot, step: 0, origin });
    const dst = { buffer: 'output', offset: 1 - rank, count: 1 } as const;
    const receive = builder.add(into, { kind: 'recv', peer: 1 - rank, channel: 0, dst, step: 0, origin });
    builder.wait(receive, copy);
    builder.wait(receive, send, 1);
  }
  const gathered = [0, 1].map((rank) => [{ rank, chunk: 0 }]);
  const results = customResults([gathered, gathered]);
  const custom = { input: [1, 1], output: [2, 2], inputAt: [0, 1], results };
  return builder.build({
    name: 'full',
    collective: collectiveOf('custom', 2, { custom }),
    bulks: 2,
    scratchPerBulk: 1,
    buffers: [0, 1].map(() => ({ input: 1, output: 2, scratch: 0 })),
    rounds: [2],
    inTurn: true,
  });
}

const counted = planOf({
  collective: collectiveOf('alltoall', 2, { counts: [4, 8, 0, 4] }),
  programs: [
    [['copy i0 o0', 'send i1 1'], ['recv o1 1']],
    [['copy i1 o1', 'send i0 0'], ['recv o0 0']],
  ],
});

const name = (path: Path) => path.join('.');

describe('a changed plan is refused', () => {
  const plans = { full: fullPlan(), counted };
  const places = Object.entries(plans).flatMap(([which, plan]) =>
    [...placesIn(plan)].map((path) => [`${which}.${name(path)}`, plan, path] as const),
  );

  it.each(places)('%s', (_, plan, path) => {
    const bundle = bundleOf(proofOf(plan));
    const text = planJson(bundle);
    expect(text).toContain('"verdict":"correct"');
    const restore = changeAt(bundle.proved.plan, path);
    expect(() => planJson(bundle)).toThrow('was changed after the kernel had accepted it');
    restore();
    expect(planJson(bundle)).toBe(text);
  });

  const containers = [...containersIn(fullPlan())].map((path) => [name(path) || 'the plan', path] as const);

  it.each(containers)('in which something is added to or missing from %s', (_, path) => {
    for (const change of [addTo, removeFrom]) {
      const bundle = bundleOf(proofOf(fullPlan()));
      if (!change(bundle.proved.plan, path)) continue;
      expect(() => planJson(bundle)).toThrow('was changed after the kernel had accepted it');
    }
  });

  it('by all emitters, and by the runtime', async () => {
    const bundle = bundleOf(proofOf(right));
    bundle.proved.plan.ops.srcOffset.fill(7);
    await expectRefused(bundle);
  });

  it('even while it is written: the text is that of the plan which was accepted', () => {
    const bundle = bundleOf(proofOf(right));
    const text = planJson(bundle);
    const pieces: string[] = [];
    for (const piece of json.emit(bundle)) {
      pieces.push(piece);
      bundle.proved.plan.ops.srcOffset.fill(pieces.length);
    }
    expect(pieces.join('')).toBe(text);
  });

  it('where a search reports it and finds it again', () => {
    const topology = resolveTopology('ring:4');
    const collective = collectiveOf('allgather', 4);
    const request = { ...searchDefaults, collective, topology, size: 2 ** 20, algorithm: 'ring', bulks: 1, chunks: 1 };
    const reported: Plan[] = [];
    const onBest: CompileRequest['onBest'] = ({ bundle }) => {
      reported.push(bundle.proved.plan);
      bundle.proved.plan.ops.dstOffset.fill(0);
    };
    expect(() => planJson(searchPlan({ ...request, onBest }).bundle)).toThrow(/correct before|was changed/);
    expect(reported).toHaveLength(1);
  });
});

/** Adds a key or an element. @returns whether that was possible */
function addTo(value: unknown, path: Path): boolean {
  const container = objectAt(value, path);
  if (container instanceof Int32Array) return false;
  if (Array.isArray(container)) container.push(0);
  else Reflect.set(container, 'another', 0);
  return true;
}

/** Removes a key or an element. @returns whether there was one */
function removeFrom(value: unknown, path: Path): boolean {
  const container = objectAt(value, path);
  const key = Object.keys(container).at(-1);
  if (container instanceof Int32Array || key === undefined) return false;
  return Array.isArray(container) ? container.pop() !== undefined : Reflect.deleteProperty(container, key);
}

describe('what looks like a proof is refused', () => {
  const proved = proofOf(right);
  const { verification } = proved;

  it('if it was spread, or written down', async () => {
    // @ts-expect-error A spread copy lacks the private fields of a proof.
    await expectRefused(bundleOf({ ...proved, plan: wrong }));
    // @ts-expect-error So does a literal.
    await expectRefused(bundleOf({ plan: wrong, verification, options: {} }));
  });

  it('if it was cloned, or read back from JSON', async () => {
    await expectRefused(bundleOf(structuredClone(proved)));
    await expectRefused(structuredClone(bundleOf(proved)));
    await expectRefused(bundleOf(JSON.parse(JSON.stringify(proved))));
  });

  it('if it has the prototype of a proof, is a proxy of one, or inherits from one', async () => {
    const fields = { plan: { value: wrong }, verification: { value: verification } };
    await expectRefused(bundleOf(Object.create(ProvedPlan.prototype, fields)));
    await expectRefused(bundleOf(Object.setPrototypeOf({}, ProvedPlan.prototype)));
    await expectRefused(bundleOf(Object.create(proved, fields)));
    await expectRefused(bundleOf(new Proxy(proved, { get: (_, key) => (key === 'plan' ? wrong : verification) })));
  });

  it('and nobody else can construct one', () => {
    // @ts-expect-error The constructor is private.
    expect(() => new ProvedPlan(Symbol('mine'), wrong, '', verification, {})).toThrow(CccError);
    const given = [Symbol('the kernel has accepted the plan'), wrong, '', verification, {}];
    expect(() => Reflect.construct(ProvedPlan, given)).toThrow(CccError);
    expect(() => Reflect.construct(Object.getPrototypeOf(proved).constructor, given)).toThrow(CccError);
    // @ts-expect-error A class with a private constructor has no subclasses.
    class Mine extends ProvedPlan {}
    expect(() => Reflect.construct(Mine, given)).toThrow(CccError);
  });

  it('and a proof cannot be changed, nor can its class', () => {
    expect(() => Object.assign(proved, { plan: wrong })).toThrow(TypeError);
    expect(() => Object.defineProperty(proved, 'plan', { value: wrong })).toThrow(TypeError);
    expect(() => Object.defineProperty(ProvedPlan.prototype, 'plan', { value: wrong })).toThrow(TypeError);
    expect(() => Object.assign(ProvedPlan, { open: () => ({ plan: wrong, verification }) })).toThrow(TypeError);
    expect(() => Object.setPrototypeOf(proved, {})).toThrow(TypeError);
    for (const changes of [{ inflight: 0 }, { verdict: 'correct' }, { checkedBy: 'me' }, { determinism: undefined }]) {
      expect(() => Object.assign(proved.verification, changes)).toThrow(TypeError);
    }
    expect(() => Object.assign(proved.verification.proved, ['anything'])).toThrow(TypeError);
    expect(() => Object.assign(proved.options, { inflight: 0 })).toThrow(TypeError);
  });
});

describe('the kernel sees what is written', () => {
  it('where a plan answers differently each time that it is read', () => {
    let reads = 0;
    const changing = Object.defineProperty({ ...right }, 'ops', {
      get: () => (reads++ === 0 ? right.ops : wrong.ops),
      enumerable: true,
    });
    expect(planJson(bundleOf(proofOf(changing)))).toBe(planJson(bundleOf(proofOf(right))));
  });

  it('where tables lie in memory that others share', () => {
    const shared = new Int32Array(new SharedArrayBuffer(4 * right.ops.srcOffset.length));
    const bundle = bundleOf(proofOf({ ...right, ops: { ...right.ops, srcOffset: shared } }));
    const text = planJson(bundle);
    shared.fill(7);
    expect(planJson(bundle)).toBe(text);
  });

  it('where a plan holds something that is no plain data', () => {
    const tables = new Float64Array(right.ops.srcOffset.length);
    // @ts-expect-error Columns are 32-bit integers.
    expect(() => prove({ ...right, ops: { ...right.ops, srcOffset: tables } })).toThrow('plain data');
    expect(() =>
      prove(
        Object.setPrototypeOf(
          { ...right },
          {
            get ops() {
              return wrong.ops;
            },
          },
        ),
      ),
    ).toThrow('plain data');
  });

  it('where a candidate was changed after it had been checked', () => {
    const { checked } = checkByKernel(right);
    if (checked === undefined) throw new Error('it is right');
    checked.plan.ops.srcOffset.fill(7);
    expect(() => proveChecked(checked)).toThrow('found correct before');
  });

  it('where a plan comes from another thread', () => {
    const topology = resolveTopology('ring:4');
    const { bundle } = searchPlan({
      ...searchDefaults,
      collective: collectiveOf('allgather', 4),
      topology,
      size: 2 ** 20,
    });
    const sent = structuredClone(posted(bundle));
    expect(planJson(received(sent))).toBe(planJson(bundle));
    expect(() => proveAgain({ plan: wrong, options: {} })).toThrow(CccError);
    const tampered = structuredClone(posted(bundle));
    changeAt(tampered, ['proof', 'plan', 'ops', 'dstOffset', 0]);
    expect(() => received(tampered)).toThrow('not correct');
  });
});

describe('a bundle names what its plan was checked for', () => {
  const topology = resolveTopology('sg2260x4');
  const collective = collectiveOf('allgather', 4);
  const { bundle } = searchPlan({ ...searchDefaults, collective, topology, size: 2 ** 20 });

  it('in the machine, the size and the type, and its limits come from the proof', () => {
    expect(JSON.parse(planJson(bundle))).toMatchObject({ limits: { alignment: topology.messages?.alignment } });
    const other = { ...topology, messages: undefined };
    for (const changes of [{ topology: undefined }, { topology: other }, { size: 2 ** 21 }, { dtype: 'u8' }] as const) {
      expect(() => planJson({ ...bundle, ...changes })).toThrow('was checked for');
    }
    const unlimited = { ...bundleOf(proofOf(bundle.proved.plan)), topology, size: 2 ** 20 };
    expect(planJson(unlimited)).not.toContain('"limits"');
  });

  it('and refuses a machine that was changed since', () => {
    const machine = { ...topology, links: topology.links.map((link) => ({ ...link })) };
    const own = searchPlan({ ...searchDefaults, collective, topology: machine, size: 2 ** 20 }).bundle;
    changeAt(machine, ['links', 0, 'to']);
    expect(() => planJson(own)).toThrow('the topology sg2260x4 was changed');
  });
});

describe('compact plans', () => {
  const plan = layeredPlan(torus([3, 4]), { chunks: 2, bulks: 2 });
  const text = (proved: ProvedCompactPlan): string => {
    const unknown = { topology: undefined, size: undefined, dtype: undefined, cost: undefined, bound: undefined };
    return [...compactPlanText({ proved, ...unknown, origin: undefined })].join('');
  };
  const proof = (): ProvedCompactPlan => {
    const { proved } = proveCompact(plan);
    if (proved === undefined) throw new Error('it is right');
    return proved;
  };

  it.each([...placesIn(plan)].map((path) => [name(path), path] as const))('are refused with another %s', (_, path) => {
    const proved = proof();
    const before = text(proved);
    const restore = changeAt(proved.plan, path);
    expect(() => text(proved)).toThrow('was changed after it had been verified');
    restore();
    expect(text(proved)).toBe(before);
  });

  it('are refused where a proof was copied or made by hand', () => {
    const proved = proof();
    // @ts-expect-error A spread copy lacks the private fields of a proof.
    expect(() => text({ ...proved, plan })).toThrow(CccError);
    expect(() => text(structuredClone(proved))).toThrow(CccError);
    expect(() => text(JSON.parse(JSON.stringify(proved)))).toThrow(CccError);
    expect(() => text(Object.create(proved, { plan: { value: plan } }))).toThrow(CccError);
    expect(() => text(new Proxy(proved, {}))).toThrow(CccError);
    const given = [Symbol('the plan has been verified'), plan, '', proved.verification];
    expect(() => Reflect.construct(ProvedCompactPlan, given)).toThrow(CccError);
    expect(() => Object.assign(proved.verification, { checkedBy: 'me' })).toThrow(TypeError);
  });
});
