import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderWithOurs, type HelmOracle } from './helm-oracle.ts';
import { answerOf, questionOf, type SnippetAnswer } from './snippet-chart.ts';

/** A snippet with what Helm made of it. */
export interface Snippet extends SnippetAnswer {
  readonly template: string;
}

const folder = path.join(import.meta.dirname, 'snippets');

/** The tables of snippets, by their names. */
export function snippetTables(): Map<string, Snippet[]> {
  const names = readdirSync(folder).filter(name => name.endsWith('.json'));
  return new Map(names.map(name => [name.replace('.json', ''), JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Snippet[]]));
}

export function writeTable(name: string, snippets: readonly Snippet[]): void {
  const lines = snippets.map(
    ({ template, out, error }) => `  ${JSON.stringify(error === undefined ? { template, out } : { template, error })}`,
  );
  writeFileSync(path.join(folder, `${name}.json`), `[\n${lines.join(',\n')}\n]\n`);
}

/** Our answer to a snippet, in the same form as Helm's. */
export const answerWithOurs = (template: string): SnippetAnswer => answerOf(renderWithOurs(questionOf(template)));

export const answerWithHelm = async (oracle: HelmOracle, template: string): Promise<SnippetAnswer> =>
  answerOf(await oracle.ask(questionOf(template)));
