/** What a schedule or topology file says about itself, as lines under the heading. */
import { oneLine } from '../../ir/plain-text.ts';
import type { Description } from '../../read/index.ts';
import { wrap } from './text.ts';

/** `about`, `source` and `parameters`, each where there is one. */
export function descriptionLines({ about, source, parameters }: Description, width: number): readonly string[] {
  const named = parameters.map(
    (parameter) => `${parameter.name}${parameter.about === '' ? '' : ` (${parameter.about})`}`,
  );
  const texts: readonly (readonly [string, string | undefined])[] = [
    ['about', about],
    ['source', source],
    ['parameters', named.join(', ')],
  ];
  return texts.flatMap(([label, text = '']) =>
    text.trim() === '' ? [] : wrap(`${label}: `, oneLine(text.trim().replace(/\s+/g, ' ')).split(' '), width),
  );
}
