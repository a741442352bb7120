import { describe, expect, it } from 'vitest';
import { customResults } from '../../../src/ir/custom-results.ts';
import { CccError } from '../../../src/ir/diagnostic.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import type { Verdict } from '../../../src/ir/verification.ts';
import { prove, type VerifyOptions, verify } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { type PlanText, type Programs, planOf, ringAllgather, ringAllreduce } from '../plans.ts';

function allreduce2(programs: Programs, rest: Partial<PlanText> = {}): PlanText {
  return { collective: collectiveOf('allreduce', 2, { inPlace: true }), programs, scratch: 1, ...rest };
}

/** Both ranks send what they have, then add what arrives: right, if the send reads before the receive writes. */
const exchange = [[['send o0 1', 'recvReduce o0 1']], [['send o0 0', 'recvReduce o0 0']]];

/** Chips in a row or circle; `units` unit links each way between neighbours. */
function chips(ranks: number, edges: readonly (readonly [number, number])[], inflight?: number, units = 1): Topology {
  const node = { kind: 'chip', ports: { send: 1, receive: 1 }, reduce: undefined, copy: undefined } as const;
  const link = { latency: 1e-6, bandwidth: 1e9, occupancy: 'pipelined', units, origin: undefined } as const;
  return {
    name: 'test',
    nodes: Array.from({ length: ranks }, (_, r) => ({
      ...node,
      name: `chip ${r}`,
      multicast: false,
      origin: undefined,
    })),
    links: edges.map(([from, to]) => ({ from, to, ...link })),
    chips: Array.from({ length: ranks }, (_, r) => r),
    inflight,
    shape: undefined,
    groups: [],
    notes: [],
  };
}

const pair = chips(2, [
  [0, 1],
  [1, 0],
]);

describe('correct plans', () => {
  const plans: readonly (readonly [string, PlanText, VerifyOptions, number])[] = [
    ['ring allreduce on 2', ringAllreduce(2), {}, 0],
    ['ring allreduce on 5', ringAllreduce(5), {}, 0],
    ['ring allgather on 4', ringAllgather(4), {}, 0],
    ['exchange with one buffer', allreduce2(exchange), { inflight: 1 }, 1],
    [
      'exchange that is safe without buffers',
      allreduce2([exchange[0], [['recv s0 0', 'send o0 0', 'reduce s0 o0']]]),
      { inflight: 0 },
      0,
    ],
    ['allreduce on one rank', { collective: collectiveOf('allreduce', 1), programs: [[['copy i0 o0']]] }, {}, 0],
    [
      'allreduce on one rank in place',
      { collective: collectiveOf('allreduce', 1, { inPlace: true }), programs: [[]] },
      {},
      0,
    ],
    [
      'broadcast from rank 1',
      {
        collective: collectiveOf('broadcast', 2, { root: 1 }),
        programs: [[['recv o0 1']], [['send i0 0'], ['copy i0 o0']]],
      },
      {},
      0,
    ],
    [
      'scatter',
      { collective: collectiveOf('scatter', 2, { inPlace: true }), programs: [[['send i1 1']], [['recv o0 0']]] },
      {},
      0,
    ],
    [
      'gather in place',
      { collective: collectiveOf('gather', 2, { inPlace: true }), programs: [[['recv o1 1']], [['send i0 0']]] },
      {},
      0,
    ],
    [
      'reduce',
      { collective: collectiveOf('reduce', 2), programs: [[['copy i0 o0', 'recvReduce o0 1']], [['send i0 0']]] },
      {},
      0,
    ],
    [
      'alltoall',
      {
        collective: collectiveOf('alltoall', 2),
        programs: [
          [['copy i0 o0'], ['send i1 1'], ['recv o1 1']],
          [['copy i1 o1'], ['send i0 0'], ['recv o0 0']],
        ],
      },
      {},
      0,
    ],
    [
      'reducescatter',
      {
        collective: collectiveOf('reducescatter', 2),
        programs: [
          [['copy i0 o0', 'recvReduce o0 1'], ['send i1 1']],
          [['copy i1 o0', 'recvReduce o0 0'], ['send i0 0']],
        ],
      },
      {},
      0,
    ],
    [
      'scan in rank order',
      {
        collective: collectiveOf('scan', 2),
        programs: [[['copy i0 o0'], ['send i0 1']], [['copy i0 o0', 'recvReduce o0 0 first']]],
      },
      {},
      0,
    ],
    ['exscan', { collective: collectiveOf('exscan', 2), programs: [[['send i0 1']], [['recv o0 0']]] }, {}, 0],
    [
      'barrier by exchange',
      {
        collective: collectiveOf('barrier', 2),
        scratch: 1,
        programs: [
          [['send i0 1'], ['recv s0 1']],
          [['send i0 0'], ['recv s0 0']],
        ],
      },
      {},
      0,
    ],
    ['barrier of one', { collective: collectiveOf('barrier', 1), programs: [[]] }, {}, 0],
    [
      'max may repeat',
      {
        collective: collectiveOf('allreduce', 2, { inPlace: true, op: 'max' }),
        programs: [[['send o0 1', 'recvReduce o0 1']], [['recvReduce o0 0', 'send o0 0']]],
      },
      {},
      0,
    ],
    ['scratch used again after a wait', bulky('recv s0 0 after=1.0/1'), {}, 0],
    ['scratch that has a copy per bulk', { ...bulky('recv s0 0'), scratchPerBulk: 3 }, {}, 0],
  ];
  it.each(plans)('are proved, with their smallest number of buffers: %s', (_name, text, options, smallest) => {
    const { verification, proved } = prove(planOf(text), options);
    expect(verification.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(verification.verdict).toBe('correct');
    expect(verification.smallestInflight).toBe(smallest);
    expect(proved?.verification).toBe(verification);
  });

  it('of any number of bulks cost no more than one', () => {
    const text = { ...bulky('recv s0 0 after=1.0/1'), bulks: 2 ** 28 };
    expect(verify(planOf(text)).verdict).toBe('correct');
    expect(verify(planOf({ ...text, scratchPerBulk: 2 ** 27 })).verdict).toBe('correct');
  });

  it('may hold custom conditions, in the order given only if the operator does not commute', () => {
    const results = [
      [
        [
          { rank: 1, chunk: 0 },
          { rank: 0, chunk: 0 },
        ],
      ],
      [],
    ];
    const custom = { input: [1, 1], output: [1, 0], results: customResults(results) };
    const programs = [[['copy i0 o0', 'recvReduce o0 1']], [['send i0 0']]];
    const text = { collective: collectiveOf('custom', 2, { custom }), programs };
    expect(verify(planOf(text)).verdict).toBe('correct');
    const ordered = { ...text, collective: { ...text.collective, ordered: true } };
    expect(verify(planOf(ordered)).verdict).toBe('wrong-result');
    const first = { ...ordered, programs: [[['copy i0 o0', 'recvReduce o0 1 first']], [['send i0 0']]] };
    expect(verify(planOf(first)).verdict).toBe('correct');
  });
});

/** Rank 0 sends its chunk to rank 1 through scratch, in three bulks. */
function bulky(receive: string): PlanText {
  const programs = [
    [['send i0 1'], ['copy i0 o0']],
    [[receive], ['copy s0 o0 after=0.0']],
  ];
  return { collective: collectiveOf('broadcast', 2), programs, scratch: 1, bulks: 3 };
}

describe('wrong plans', () => {
  const wrong: readonly (readonly [string, Verdict, PlanText, VerifyOptions, RegExp, readonly RegExp[]])[] = [
    [
      'a slice out of range',
      'malformed',
      allreduce2([[['copy o0 s1']], []]),
      {},
      /scratch of rank 0 has 1 chunk\b/,
      [/copy output\[0\] to scratch\[1\]/],
    ],
    [
      'a rank that sends to itself',
      'malformed',
      allreduce2([[['send o0 0']], []]),
      {},
      /does not send to itself/,
      [/rank 0 lane 0 op 0/],
    ],
    ['an unknown peer', 'malformed', allreduce2([[['send o0 2']], []]), {}, /from 0 to 1/, [/send/]],
    ['an empty slice', 'malformed', allreduce2([[['send o0*0 1']], []]), {}, /at least one chunk/, [/send/]],
    [
      'unequal operands',
      'malformed',
      { collective: collectiveOf('allgather', 2), programs: [[['copy i0 o0*2']], []] },
      {},
      /takes 1 chunk to a place of 2/,
      [/copy/],
    ],
    [
      'operands that share memory in place',
      'malformed',
      allreduce2([[['copy i0 o0']], []]),
      {},
      /share memory/,
      [/copy/],
    ],
    [
      'a written input',
      'malformed',
      { collective: collectiveOf('allreduce', 2), programs: [[['recv i0 1']], [['send i0 0']]] },
      {},
      /read-only/,
      [/recv/],
    ],
    [
      'an operation that waits for itself',
      'malformed',
      allreduce2([[['copy o0 s0 after=0.0']], []]),
      {},
      /waits for itself/,
      [/copy/],
    ],
    [
      'an operation that waits for the future',
      'malformed',
      allreduce2([[['copy o0 s0', 'copy s0 o0 after=0.0/-1']], []]),
      {},
      /bulks later/,
      [/copy/],
    ],
    [
      'sends of a connection in two lanes',
      'malformed',
      allreduce2([[['send o0 1'], ['send o0 1']], [['recv s0 0', 'recv s0 0']]]),
      {},
      /in two lanes/,
      [/lane 0/, /lane 1/],
    ],
    [
      'a machine without the route',
      'malformed',
      allreduce2(exchange),
      { topology: chips(2, [[0, 1]]) },
      /Rank 1 sends to rank 0, but test has no route/,
      [/send/],
    ],
    [
      'a machine of another size',
      'malformed',
      allreduce2(exchange),
      { topology: chips(3, []) },
      /2 ranks; test has 3 chips/,
      [],
    ],
    [
      'a root out of range',
      'malformed',
      { collective: collectiveOf('broadcast', 1, { root: 1 }), programs: [[]] },
      {},
      /root/,
      [],
    ],
    [
      'a message nobody receives',
      'mismatched',
      allreduce2([[['send o0 1', 'send o0 1']], [['recv s0 0']]]),
      {},
      /sends 2 messages to rank 1 on channel 0, which receives 1: no receive takes rank 0 lane 0 op 1/,
      [/op 1: send/],
    ],
    [
      'a message nobody sends',
      'mismatched',
      allreduce2([[], [['recv s0 0 ch=1']]]),
      {},
      /channel 1, which receives 1: no send feeds/,
      [/recv/],
    ],
    [
      'unequal counts',
      'mismatched',
      { collective: collectiveOf('allgather', 2), programs: [[['send i0 1']], [['recv o0*2 0']]] },
      {},
      /sent with 1 chunk and received with 2/,
      [/send/, /recv/],
    ],
    [
      'a slot nothing fills',
      'uninitialised',
      allreduce2([[['reduce s0 o0']], []]),
      {},
      /reads scratch\[0\], which holds nothing yet: nothing fills it/,
      [/reads scratch\[0\]/],
    ],
    [
      'a slot filled too late',
      'uninitialised',
      allreduce2([[['reduce s0 o0', 'recv s0 1']], [['send o0 0']]]),
      {},
      /filled only later, by rank 0 lane 0 op 1/,
      [/reads/, /fills/],
    ],
    [
      'an exchange without buffers',
      'deadlock',
      allreduce2(exchange),
      { inflight: 0 },
      /2 lanes wait in a cycle, without buffers.*disappears when a connection buffers 1 transfer\./,
      [/rank 0 .*waits until rank 1 is ready to receive/, /rank 1 .*waits until rank 0 is ready to receive/],
    ],
    [
      'a circle of receives',
      'deadlock',
      allreduce2([[['recvReduce o0 1', 'send o0 1']], [['recvReduce o0 0', 'send o0 0']]]),
      {},
      /any number of buffers.*No number of transfers in flight helps/,
      [
        /rank 0 lane 0 op 0.*waits for its message, rank 1 lane 0 op 1/,
        /rank 1 lane 0 op 1.*behind rank 1 lane 0 op 0/,
        /waits for its message/,
        /behind/,
      ],
    ],
    [
      'a wait for a later operation of the lane',
      'deadlock',
      allreduce2([[['copy o0 s0 after=0.1', 'reduce s0 o0']], []]),
      {},
      /An operation waits in a cycle/,
      [/\(after\)/, /behind/],
    ],
    [
      'a write that meets a read',
      'race',
      allreduce2([[['send o0 1'], ['recvReduce o0 1']], [['send o0 0', 'recvReduce o0 0']]]),
      {},
      /rank 0 lane 0 op 0 reads output\[0\], which rank 0 lane 1 op 0 writes|rank 0 lane 1 op 0 writes output\[0\], which rank 0 lane 0 op 0 reads/,
      [/output\[0\]/, /perhaps earlier/],
    ],
    [
      'scratch overwritten by the next bulk',
      'race',
      bulky('recv s0 0'),
      {},
      /rank 1 lane 1 op 0 reads scratch\[0\], which rank 1 lane 0 op 0, one bulk later, writes.*"after": \[\[1, 0, 1\]\]/,
      [/reads/, /writes/],
    ],
    [
      'scratch overwritten two bulks later',
      'race',
      { ...bulky('recv s0 0'), scratchPerBulk: 2 },
      {},
      /2 bulks later.*"after": \[\[1, 0, 2\]\]/,
      [/reads/, /writes/],
    ],
    [
      'a missing contribution',
      'wrong-result',
      allreduce2([[['send o0 1']], [['recvReduce o0 0']]]),
      {},
      /output\[0\] of rank 0 should hold in\[0\]\[0\] ⊕ in\[1\]\[0\], but holds in\[0\]\[0\]: missing: in\[1\]\[0\]/,
      [],
    ],
    [
      'a contribution counted twice',
      'wrong-result',
      allreduce2([[['send o0 1', 'recvReduce o0 1']], [['recvReduce o0 0', 'send o0 0']]]),
      {},
      /of rank 0 .* more than once: in\[0\]\[0\]/,
      [/send output\[0\] to rank 1|recvReduce/],
    ],
    [
      'a foreign contribution',
      'wrong-result',
      {
        collective: collectiveOf('alltoall', 2),
        programs: [
          [['copy i0 o0'], ['send i0 1'], ['recv o1 1']],
          [['copy i1 o1'], ['send i0 0'], ['recv o0 0']],
        ],
      },
      {},
      /output\[0\] of rank 1 .*missing: in\[0\]\[1\]; foreign: in\[0\]\[0\]/,
      [/send input\[0\].*input\[0\] is in\[0\]\[0\]/, /recv output\[0\].*output\[0\] is in\[0\]\[0\]/],
    ],
    [
      'an output nobody writes',
      'wrong-result',
      { collective: collectiveOf('broadcast', 1), programs: [[]] },
      {},
      /holds nothing: missing: in\[0\]\[0\]/,
      [],
    ],
    [
      'a scan out of rank order',
      'wrong-result',
      {
        collective: collectiveOf('scan', 2),
        programs: [[['copy i0 o0'], ['send i0 1']], [['copy i0 o0', 'recvReduce o0 0']]],
      },
      {},
      /combined out of order/,
      [/copy/, /recvReduce/],
    ],
    [
      'a barrier with one way in',
      'wrong-result',
      { collective: collectiveOf('barrier', 2), scratch: 1, programs: [[['send i0 1']], [['recv s0 0']]] },
      {},
      /Rank 0 can leave the barrier before rank 1 has entered/,
      [],
    ],
    [
      'more than the claimed rounds',
      'over-capacity',
      {
        collective: collectiveOf('broadcast', 2, { chunks: 3, inPlace: true }),
        rounds: [0, 2],
        programs: [[['send i0*3 1 step=1']], [['recv o0*3 0 step=1']]],
      },
      { topology: pair },
      /step 1, chip 0 → chip 1 carries 3 chunks; 2 rounds of 1 unit link carry 2/,
      [/send/],
    ],
  ];
  it.each(wrong)('are refused for the right reason: %s', (_name, verdict, text, options, message, story) => {
    const { verification, proved } = prove(planOf(text), options);
    expect(verification.verdict).toBe(verdict);
    expect(proved).toBeUndefined();
    const [finding] = verification.findings;
    expect(finding.code).toBe(verdict);
    expect(finding.severity).toBe('error');
    expect(finding.message).toMatch(message);
    expect(finding.story.length).toBeGreaterThanOrEqual(story.length);
    story.forEach((line, at) => {
      expect(finding.story[at].text).toMatch(line);
    });
  });

  it('over two links at once fit twice the chunks', () => {
    const text = {
      collective: collectiveOf('broadcast', 2, { chunks: 3, inPlace: true }),
      rounds: [0, 2],
      programs: [[['send i0*3 1 step=1']], [['recv o0*3 0 step=1']]],
    };
    const twice = chips(2, [[0, 1]], undefined, 2);
    expect(verify(planOf(text), { topology: twice }).verdict).toBe('correct');
  });
});

describe('determinism', () => {
  // Each of three ranks adds the two others' chunks to its own: 0+1+2, 1+0+2, 2+0+1.
  const others = [
    [1, 2],
    [0, 2],
    [0, 1],
  ];
  const programs = others.map(([a, b]) => [
    ['copy i0 o0', `recvReduce o0 ${a}`, `recvReduce o0 ${b}`],
    [`send i0 ${a}`, `send i0 ${b}`],
  ]);
  const text: PlanText = { collective: collectiveOf('allreduce', 3), programs };

  it('is a warning by default', () => {
    const { verdict, findings, determinism } = verify(planOf(text));
    expect(verdict).toBe('correct');
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'not-bitwise']]);
    // (0+1)+2 and (1+0)+2 are one tree; (2+0)+1 is another.
    expect(determinism).toEqual({ identical: false, differing: [{ chunk: 0, ranks: [2] }] });
  });

  it('is an error where identical bits are asked for', () => {
    const { verdict, findings } = verify(planOf(text), { bitwise: true });
    expect(verdict).toBe('not-bitwise');
    expect(findings[0].message).toMatch(/For example, chunk 0 is combined differently on rank 2/);
  });

  it('does not matter to operators that do not round', () => {
    const max = { ...text, collective: { ...text.collective, op: 'max' as const } };
    expect(verify(planOf(max), { bitwise: true })).toMatchObject({
      verdict: 'correct',
      determinism: { identical: true },
    });
  });

  it('is not a question where nothing is reduced', () => {
    expect(verify(planOf(ringAllgather(3))).determinism).toBeUndefined();
  });
});

describe('operators that may see a contribution twice', () => {
  const twice: Programs = [[['copy i0 o0', 'reduce i0 o0']]];
  const of = (kind: 'allreduce' | 'broadcast' | 'scan', op: 'sum' | 'max') =>
    verify(planOf({ collective: collectiveOf(kind, 1, { op }), programs: twice })).verdict;

  it('are max and its kin, where something is reduced', () => {
    expect([of('allreduce', 'max'), of('scan', 'max')]).toEqual(['correct', 'correct']);
    expect([of('allreduce', 'sum'), of('scan', 'sum')]).toEqual(['wrong-result', 'wrong-result']);
    // A broadcast has no operator: what it names does not make a reduction a copy.
    expect([of('broadcast', 'sum'), of('broadcast', 'max')]).toEqual(['wrong-result', 'wrong-result']);
  });

  it('may not see it again in an order of its own', () => {
    const results = [[[0, 1].map((chunk) => ({ rank: 0, chunk }))]];
    const custom = { input: [2], output: [1], results: customResults(results) };
    const programs = (...reductions: string[]): Programs => [[['copy i0 o0', ...reductions]]];
    const ordered = collectiveOf('custom', 1, { op: 'max', ordered: true, custom });
    expect(verify(planOf({ collective: ordered, programs: programs('reduce i1 o0') })).verdict).toBe('correct');
    const again = programs('reduce i1 o0', 'reduce i0 o0');
    expect(verify(planOf({ collective: ordered, programs: again })).verdict).toBe('wrong-result');
    expect(verify(planOf({ collective: { ...ordered, ordered: false }, programs: again })).verdict).toBe('correct');
  });
});

describe('the limit in flight', () => {
  it('is the option, else the topology, else none', () => {
    const buffered = chips(
      2,
      pair.links.map(({ from, to }) => [from, to] as const),
      2,
    );
    const plan = planOf(allreduce2(exchange));
    expect(verify(plan).inflight).toBeUndefined();
    expect(verify(plan, { topology: buffered }).inflight).toBe(2);
    expect(verify(plan, { topology: buffered, inflight: 0 })).toMatchObject({ inflight: 0, verdict: 'deadlock' });
  });

  it('that is safe is found exactly', () => {
    // Rank 0 sends k messages before it receives; rank 1 takes them only after it has sent, so k must fit.
    for (const k of [1, 2, 3, 5, 8, 21]) {
      const many = (operation: string): string[] => Array.from({ length: k }, () => operation);
      const programs = [[[...many('send o0 1'), ...many('recv s0 1')]], [[...many('send o0 0'), ...many('recv s0 0')]]];
      expect(verify(planOf(allreduce2(programs))).smallestInflight).toBe(k);
    }
  });

  it('must be a number of transfers', () => {
    expect(() => verify(planOf(allreduce2(exchange)), { inflight: -1 })).toThrow(CccError);
  });
});

describe('large plans', () => {
  it('are refused by name of the limit', () => {
    expect(() => verify(planOf(ringAllgather(4)), { slots: 10 })).toThrow(/the limit slots/);
  });

  it('tell a few findings and count the rest', () => {
    const sends = 20;
    const { findings } = verify(planOf(allreduce2([[Array.from({ length: sends }, () => 'send o0 5')], []])));
    const told = findings.length - 1;
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(sends);
    expect(findings[told].message).toBe(`${sends - told} more of the same kind are not shown.`);
  });
});
