import { pathMatch } from '../go/path-match.ts';
import { splitDocuments } from './manifests.ts';

/** Of a printed chart, the documents that come from the named templates, which may be patterns. Throws when one names nothing. */
export function showOnly(printed: string, templates: readonly string[]): string {
  const documents = splitDocuments(printed);
  let text = '';
  for (const template of templates) {
    const chosen = documents.filter(document => {
      const source = /# Source: [^/]+\/(.+)/.exec(document)?.[1];
      return source !== undefined && pathMatch(template, source) === true;
    });
    if (chosen.length === 0) throw new Error(`could not find template ${template} in chart`);
    for (const document of chosen) text += `---\n${document}\n`;
  }
  return text;
}
