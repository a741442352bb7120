/** The pages of docs/, which come with ccc, so that they can be read without a network. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The same folder from src/cli, dist/cli and dist/bin. */
const folder = fileURLToPath(new URL('../../docs/', import.meta.url));

/** Names of pages, sorted. */
export function docsTopics(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort();
}

/** A page as it stands in the file. @param topic one of `docsTopics` */
export function docsPage(topic: string): string {
  return readFileSync(`${folder}${topic}.md`, 'utf8');
}
