/** Every reader of files with many damaged ones (survival.ts). */
import { describe } from 'vitest';
import { readers } from './readers.ts';
import { survives } from './survival.ts';

describe.each(readers.map((reader) => ({ name: reader.format, reader })))('$name', ({ reader }) =>
  survives(reader, 1500, 2),
);
