/** The library and the command are one: for the same request they give the same plan files, byte for byte. */
import { describe, expect, it } from 'vitest';
import {
  allgather,
  allreduce,
  broadcast,
  type CollectiveRequest,
  type CompileOptions,
  compile,
  Machine,
  reduce,
} from '../../src/index.ts';
import { ccc } from '../cli/run.ts';

interface Row {
  readonly command: string;
  readonly machine: Promise<Machine>;
  readonly request: (machine: Machine) => CollectiveRequest;
  readonly options?: CompileOptions;
}

const rows: readonly Row[] = [
  // Schedules in rounds by linear programs make the plan.
  {
    command: 'broadcast --topo dgx1 --size 1MiB',
    machine: Machine.load('dgx1'),
    request: (m) => broadcast(m, { size: '1MiB' }),
  },
  {
    command: 'allreduce --topo dgx1 --size 1MiB',
    machine: Machine.load('dgx1'),
    request: (m) => allreduce(m, { size: '1MiB' }),
  },
  // A choice of protocols.
  {
    command: 'allreduce --topo h100 --size 1MiB --protocol auto',
    machine: Machine.load('h100', { protocol: 'auto' }),
    request: (m) => allreduce(m, { size: '1MiB' }),
  },
  // Process groups.
  {
    command: 'allgather --topo mesh:3x4 --group 0,1,2 --group 5,6,7',
    machine: Machine.load('mesh:3x4', { group: ['0,1,2', '5,6,7'] }),
    request: (m) => allgather(m),
  },
  // A machine that has lost a link, and a search by one engine.
  {
    command: 'reduce --topo ring:6 --without link:0-1 --root 2',
    machine: Machine.load('ring:6', { without: ['link:0-1'] }),
    request: (m) => reduce(m, { root: 2 }),
  },
  {
    command: 'allgather --topo mesh:3x4 --size 64KiB --engine list --seed 3',
    machine: Machine.load('mesh:3x4'),
    request: (m) => allgather(m, { size: '64KiB' }),
    options: { engine: 'list', seed: 3 },
  },
  // A compact plan, which the command takes by itself on so many ranks.
  { command: 'allgather --topo torus:40x40', machine: Machine.load('torus:40x40'), request: (m) => allgather(m) },
];

describe('the library', () => {
  it.each(rows)('compiles what ccc compile $command compiles', async ({ command, machine, request, options }) => {
    const outcome = await compile(request(await machine), options);
    const { stdout, stderr } = ccc(['compile', ...command.split(' ')]);
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.ok ? outcome.plan.text : outcome.message).toBe(stdout === '' ? stderr : stdout);
  });

  it('says why there is no plan without throwing', async () => {
    const outcome = await compile(allgather(await Machine.load('ring:4')), { limits: { slots: 4 } });
    expect(outcome).toMatchObject({ ok: false, reason: 'limit' });
  });
});
