import type { Command } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import { addExamples } from '../options.ts';
import { writeText } from '../output.ts';
import { wrap } from '../show/text.ts';
import { displayLimits } from '../shown.ts';
import { widthOf } from '../terminal.ts';

/** `ccc help` shows the options of a command, or a page of the documentation. */
export function registerHelp(program: Command): void {
  const command = program
    .command('help [topic]')
    .description('shows the help of a command, or a page of the documentation (docs/*.md) by its name');
  addExamples(command, 'ccc help compile', 'ccc help plan-format').action((topic?: string) => run(program, topic));
}

async function run(program: Command, topic: string | undefined): Promise<void> {
  const [{ docsPage, docsTopics }, { nearestNames }] = await Promise.all([
    import('../topics.ts'),
    import('../../read/nearest.ts'),
  ]);
  const command = program.commands.find((candidate) => candidate.name() === topic);
  const topics = docsTopics();
  if (topic === undefined) {
    program.outputHelp();
    const pages = wrap('  ', topics, widthOf(process.stdout) ?? displayLimits.width);
    return writeText(`\nPages, for ccc help PAGE:\n${pages.join('\n')}\n`);
  }
  // Commander adds the text after the options only when it prints help itself.
  if (command !== undefined) return command.outputHelp();
  if (topics.includes(topic)) return writeText(docsPage(topic));
  const names = [...program.commands.map((each) => each.name()), ...topics];
  throw new CccError('unknown-name', `there is no command or page '${topic}'; ${nearestNames(topic, names)}`);
}
