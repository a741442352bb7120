/** MSCCL++ execution plans as messages, for their times. */
export { asMessages, machineForMessages } from './as-messages.ts';
