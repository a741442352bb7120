/** Written by scripts/generated.mjs: the package `highs` with its WebAssembly inside, so that no bundler or server has to know of a second file. */
import type { Highs } from 'highs';

export function loadHighs(): Promise<Highs>;
