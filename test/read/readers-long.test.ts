/** Every reader of files with many damaged ones (survival.ts). */
import { describe } from 'vitest';
import { testFactor } from '../draw.ts';
import { readers } from './readers.ts';
import { survives } from './survival.ts';

describe.each(readers.map((reader) => ({ name: reader.format, reader })))('the reader of $name', ({ reader }) =>
  survives(reader, 200 * testFactor, true),
);
