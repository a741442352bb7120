/** Writes the description that a schedule or topology file has of itself, as lines below the heading. */
import { oneLine } from '../../ir/plain-text.ts';
import type { Description } from '../../read/index.ts';
import { wrap } from './text.ts';

/** Writes `about`, `source` and `parameters`, as far as the file has them. */
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
