/** Timing of MSCCL++ execution plans by conversion to messages. */
export { asMessages, machineForMessages } from './as-messages.ts';
