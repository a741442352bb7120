/** Records when operations run, as a wrapper around the actions that run them. */
import { clock } from './clock.ts';
import type { Actions } from './progress.ts';

/** Stores the times of instance i = bulk · operations + operation at 2·i (start) and 2·i + 1 (end). */
export class Recorder implements Actions {
  private readonly actions: Actions;
  private readonly times: Float64Array;
  private readonly operations: number;

  constructor(actions: Actions, times: Float64Array, operations: number) {
    this.actions = actions;
    this.times = times;
    this.operations = operations;
  }

  copy(operation: number, bulk: number): void {
    const start = clock();
    this.actions.copy(operation, bulk);
    this.note(operation, bulk, start);
  }

  reduce(operation: number, bulk: number): void {
    const start = clock();
    this.actions.reduce(operation, bulk);
    this.note(operation, bulk, start);
  }

  send(operation: number, bulk: number): void {
    const start = clock();
    this.actions.send(operation, bulk);
    this.note(operation, bulk, start);
  }

  receive(operation: number, bulk: number, send: number): void {
    const start = clock();
    this.actions.receive(operation, bulk, send);
    this.note(operation, bulk, start);
  }

  moved(): void {
    this.actions.moved();
  }

  private note(operation: number, bulk: number, start: number): void {
    const instance = bulk * this.operations + operation;
    this.times[2 * instance] = start;
    this.times[2 * instance + 1] = clock();
  }
}
