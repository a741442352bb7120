import type { Command } from 'commander';
import type { KnownValues, Offered } from '../completion/words.ts';
import { addExamples, nameableKinds, oneOf } from '../options.ts';
import { writeResult } from '../output.ts';

/** `ccc completion` prints a script with which a shell completes command lines of ccc. */
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
    import('../../session/targets.ts'),
    import('../../synth/index.ts'),
    import('../topics.ts'),
  ]);
  const [topologies, schedules] = [listShipped('topologies'), listShipped('schedules')];
  const only = (values: readonly string[]): Offered => ({ values, files: false });
  const orFile = (values: readonly string[]): Offered => ({ values, files: true });
  const names = Object.fromEntries(['compile', 'bound', 'tune', 'pareto'].map((name) => [name, only(nameableKinds)]));
  const files = Object.fromEntries(['verify', 'convert', 'optimize'].map((name) => [name, orFile(schedules)]));
  return {
    ...names,
    ...files,
    show: orFile([...topologies, ...schedules]),
    diff: orFile(topologies),
    view: orFile(schedules),
    list: only(['topologies', 'schedules', 'collectives', 'engines', 'emitters', 'schemas']),
    completion: only(['bash', 'zsh', 'fish']),
    help: only(docsTopics()),
    '--topo': orFile(topologies),
    '--algorithm': orFile(schedules),
    '--engine': only(['auto', ...engines.map(({ name }) => name)]),
    '--emit': only((await allEmitters()).map(({ name }) => name)),
    '--level': only(['definition', 'overlay', 'underlay', 'links', 'timeline', 'steps', 'programs']),
    '--lanes': only(['links', 'ranks']),
  };
}
