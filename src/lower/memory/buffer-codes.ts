/** The codes of buffers in the tables of plans. */
import { type PlanBuffer, planBuffers } from '../../ir/plan.ts';

const [input, output, scratch] = planBuffers.map((_, code) => code);

export const bufferCodes: Readonly<Record<PlanBuffer, number>> = { input, output, scratch };
