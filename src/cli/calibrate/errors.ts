/** Errors as text: percentages, and a dash where there is nothing to say. */

import { type Errors, errorsOf } from '../../calibrate/index.ts';
import type { LabelledPrediction } from '../../session/calibrate-job.ts';

export interface ErrorTexts {
  readonly points: string;
  readonly median: string;
  readonly p90: string;
  readonly rankCorrelation: string;
  readonly meanRegret: string;
  readonly medianRegret: string;
}

export function errorTexts(predictions: readonly LabelledPrediction[]): ErrorTexts {
  return textsOf(errorsOf(predictions));
}

function textsOf(errors: Errors): ErrorTexts {
  const { rankCorrelation, meanRegret, medianRegret } = errors;
  return {
    points: String(errors.points),
    median: percent(errors.median),
    p90: percent(errors.p90),
    rankCorrelation: rankCorrelation === undefined ? '–' : rankCorrelation.toFixed(3),
    meanRegret: meanRegret === undefined ? '–' : percent(meanRegret),
    medianRegret: medianRegret === undefined ? '–' : percent(medianRegret),
  };
}

export function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
