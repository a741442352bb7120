/**
 * Writes a page as one HTML document that loads nothing else. Its content security policy allows only its own script and style, by their
 * hashes, so that nothing in a plan can run: texts of files are embedded as JSON and shown as text nodes.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { host } from '../host/host.ts';
import { jsonText, oneLine } from '../ir/plain-text.ts';
import { base64Of } from './base64.ts';
import type { PageDocument } from './page-document.ts';

export function pageText(document: PageDocument): string {
  const [script, style] = [host().pagePart('page.js'), host().pagePart('page.css')];
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    ...(document.served ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(oneLine(document.title))}</title>
<style>${style}</style>
</head>
<body>
<noscript>This page draws a plan with a script that it holds itself: allow scripts to see it.</noscript>
<script type="application/json" id="data">${embedded(document)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON that can stand in a script element: it cannot contain `</script`, `<!--` or a control character. */
function embedded(document: PageDocument): string {
  return jsonText(document).replaceAll('<', '\\u003c');
}

function hashOf(text: string): string {
  return `sha256-${base64Of(sha256(utf8ToBytes(text)))}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
