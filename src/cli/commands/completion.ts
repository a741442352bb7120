import type { Command } from 'commander';
import type { KnownValues } from '../completion/words.ts';
import { addExamples, nameableKinds, oneOf } from '../options.ts';
import { writeResult } from '../output.ts';

/** `ccc completion`: a script with which a shell completes command lines. */
export function registerCompletion(program: Command): void {
  const command = program
    .command('completion <shell>')
    .description('prints a script that completes ccc command lines in bash, zsh or fish');
  addExamples(command, 'ccc completion bash').action((shell: string) => run(program, shell));
}

async function run(program: Command, shell: string): Promise<void> {
  const [{ completionScript, shells }, { completedCommands }] = await Promise.all([
    import('../completion/scripts.ts'),
    import('../completion/words.ts'),
  ]);
  const wanted = oneOf(shells, 'shell that ccc has a completion for')(shell);
  await writeResult([completionScript(wanted, completedCommands(program, await knownValues()))]);
}

async function knownValues(): Promise<KnownValues> {
  const [{ listShipped }, { allEmitters }, { engines }, { docsTopics }] = await Promise.all([
    import('../../read/index.ts'),
    import('../emitters.ts'),
    import('../../synth/index.ts'),
    import('../topics.ts'),
  ]);
  const [topologies, schedules] = [listShipped('topologies'), listShipped('schedules')];
  const collectives = Object.fromEntries(['compile', 'bound', 'tune', 'pareto'].map((name) => [name, nameableKinds]));
  const files = Object.fromEntries(['verify', 'convert', 'optimize'].map((name) => [name, schedules]));
  return {
    ...collectives,
    ...files,
    show: [...topologies, ...schedules],
    diff: topologies,
    list: ['topologies', 'schedules', 'collectives', 'engines', 'emitters', 'schemas'],
    completion: ['bash', 'zsh', 'fish'],
    help: docsTopics(),
    '--topo': topologies,
    '--algorithm': schedules,
    '--engine': ['auto', ...engines.map(({ name }) => name)],
    '--emit': (await allEmitters()).map(({ name }) => name),
    '--level': ['definition', 'overlay', 'underlay', 'links', 'timeline', 'steps', 'programs'],
    '--lanes': ['links', 'ranks'],
  };
}
