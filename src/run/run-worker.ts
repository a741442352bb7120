/** The worker thread of a run: executes one command after the other until it is terminated. */
import { parentPort, workerData } from 'node:worker_threads';
import { Stopped } from './control.ts';
import type { ThreadCommand, ThreadReply, WorkerData } from './crew.ts';
import { Member } from './member.ts';

const { assignment, thread }: WorkerData = workerData;
const member = new Member(assignment, thread);

parentPort?.on('message', (command: ThreadCommand) => {
  try {
    parentPort?.postMessage(answer(command));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
});

function answer(command: ThreadCommand): ThreadReply {
  switch (command.kind) {
    case 'run':
      return { kind: 'ran', intervals: member.run(command.repetitions, command.isRecorded) };
    case 'check':
      return { kind: 'checked', wrong: member.check() };
  }
}
