/** The built command while it runs: signals are sent when it says something, so that no test waits for a clock. */
import { type ChildProcess, spawn } from 'node:child_process';
import { emptyFolder } from '../temporary.ts';
import type { Outcome } from './run.ts';

const bin = new URL('../../bin/ccc.js', import.meta.url).pathname;

export class Running {
  private readonly process: ChildProcess;
  private stdout = '';
  private stderr = '';
  private readonly ended: Promise<Outcome>;
  private waiting: { readonly pattern: RegExp; readonly resolve: () => void } | undefined;

  /** @param nodeOptions for node itself, before the command */
  constructor(args: readonly string[], folder = emptyFolder(), nodeOptions: readonly string[] = []) {
    this.process = spawn(process.execPath, [...nodeOptions, bin, ...args], { cwd: folder });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      if (this.waiting?.pattern.test(this.stderr) === true) this.waiting.resolve();
    });
    this.ended = new Promise((resolve) => {
      this.process.on('close', (status) => resolve({ status, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Returns when standard error says so; fails when the command ends without having said it. */
  async says(pattern: RegExp): Promise<void> {
    if (pattern.test(this.stderr)) return;
    const said = new Promise<void>((resolve) => {
      this.waiting = { pattern, resolve };
    });
    const ended = this.ended.then(({ status, stderr }) => {
      throw new Error(`ccc ended with ${status} without saying ${pattern}:\n${stderr}`);
    });
    await Promise.race([said, ended]);
  }

  /** As Ctrl-C does, or what schedulers send. */
  interrupt(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): void {
    this.process.kill(signal);
  }

  /** How it ended. */
  outcome(): Promise<Outcome> {
    return this.ended;
  }
}
