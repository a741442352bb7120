/** The pages of docs/. They are installed with ccc, so that users can read them offline. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** This path leads to docs/ from src/cli, dist/cli and dist/bin alike. */
const folder = fileURLToPath(new URL('../../docs/', import.meta.url));

/** Names of pages, sorted. */
export function docsTopics(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort();
}

/** Returns the text of a page. @param topic one of `docsTopics` */
export function docsPage(topic: string): string {
  return readFileSync(`${folder}${topic}.md`, 'utf8');
}
