/** Written by scripts/generated.mjs: what Node reads from the package's files, as values, for programs without a file system. */

/** The texts of the shipped YAML files by their paths: `schedules/ring-allgather.yaml`. */
export const shippedTexts: Readonly<Record<string, string>>;

/** The bundled script and style of the pages that show plans. */
export const pageParts: Readonly<Record<'page.js' | 'page.css', string>>;
