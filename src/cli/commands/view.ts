import { type Command, Option } from 'commander';
import { CccError } from '../../ir/diagnostic.ts';
import {
  addCollectiveOptions,
  addExamples,
  addTopologyOptions,
  bytes,
  checkTopologyIsGiven,
  wholeNumber,
} from '../options.ts';
import { note, writeResult } from '../output.ts';
import type { ViewOptions } from '../view/options.ts';

const largestPort = 65_535;

/** `ccc view`: a plan as a page for a browser. */
export function registerView(program: Command): void {
  const command = program
    .command('view <files...>')
    .description(
      'draws a plan (JSON), a schedule (YAML), an MSCCL algorithm (XML) or what ccc tune found (its --json, its plans) as one HTML file',
    )
    .option('-o, --output <file>', 'writes the page there instead of standard output')
    .option('--ranks <n>', 'for a schedule: the number of ranks', wholeNumber(1))
    .option('--chunks <n>', 'for a schedule: chunks per shard', wholeNumber(1))
    .option('--inflight <n>', 'transfers a connection buffers; 0 = rendezvous', wholeNumber(0))
    .option('--size <bytes>', "message size M (default: the plan's, else 64MiB)", bytes)
    .option('--measured <file>', 'a trace of `ccc run --trace`, drawn beside the simulated run')
    .option('--serve', 'shows the page on this machine only (http://127.0.0.1) and anew whenever a file changes')
    .addOption(
      new Option('--port <n>', 'for --serve; 0: any that is free').default(0).argParser(wholeNumber(0, largestPort)),
    );
  addCollectiveOptions(addTopologyOptions(command));
  addExamples(
    command,
    'ccc compile allgather --topo sg2260x4 | ccc view - -o allgather.html',
    'ccc view ring-allreduce --topo torus:4x4 -o ring.html',
    'ccc view my-schedule.yaml --ranks 8 --serve',
  ).action(run);
}

async function run(files: readonly string[], options: ViewOptions): Promise<void> {
  checkTopologyIsGiven(options);
  if (options.topo !== undefined && options.ranks !== undefined) {
    throw new CccError('usage', 'give --topo or --ranks, not both: a topology has its own number of ranks');
  }
  if (options.serve === true) {
    if (options.output !== undefined) throw new CccError('usage', '--serve shows the page: it does not go with -o');
    const { serve } = await import('../view/serve.ts');
    return serve(files, options);
  }
  const { pageOf } = await import('../view/page.ts');
  await writeResult([await pageOf(files, options, false)], options.output);
  if (options.output !== undefined) note(`ccc: ${options.output} is the page: open it in a browser`);
}
