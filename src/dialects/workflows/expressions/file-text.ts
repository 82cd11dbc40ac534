import { evaluate, printValue, type ExpressionScope } from './evaluate.ts';
import { UnresolvedExpression } from './expression-error.ts';
import type { ExpressionNode } from './expression-node.ts';
import { parseEmbedded } from './parse-expression.ts';

/** A file of a language of its own, in which some of what stands in `${…}` is ours. */
export interface FileText {
  readonly text: string;
  readonly holes: readonly Hole[];
  /** Where a `$` stands that only says that what follows is no expression. */
  readonly escapes: readonly number[];
}

interface Hole {
  readonly node: ExpressionNode;
  /** As it was written, without `${` and `}`. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

const functors = ['regex', 'json'];

/**
 * Finds the expressions of a file: those that begin with one of these words and a dot, and the words of `alone` also by themselves. Whatever else is written
 * `${…}`, such as a variable of a shell, is not looked at; `$${` before a word of ours takes the expression for what is written. Throws ExpressionError.
 */
export function readFileText(text: string, words: { readonly roots: readonly string[]; readonly alone: readonly string[] }): FileText {
  const roots = [...words.roots, ...functors].join('|');
  const begin = new RegExp(String.raw`\$\{(?=\s*(?:(?:${roots})\s*\.|(?:${words.alone.join('|')})\s*[.}]))`, 'g');
  const holes: Hole[] = [];
  const escapes: number[] = [];
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const start = match.index;
    if (text[start - 1] === '$') {
      escapes.push(start - 1);
      continue;
    }
    const { node, end } = parseEmbedded(text, start + 2);
    holes.push({ node, source: text.slice(start + 2, end - 1).trim(), start, end });
    begin.lastIndex = end;
  }
  return { text, holes, escapes };
}

/** What each of its expressions stands for. Throws UnresolvedExpression. */
export function valuesOfFile({ holes }: FileText, scope: ExpressionScope): string[] {
  return holes.map(({ node, source, start }) => {
    const value = evaluate(node, scope);
    if (value === undefined || value === null) throw new UnresolvedExpression(source, start);
    return printValue(value);
  });
}

/**
 * The file with these values for its expressions. In a template of Go they stay texts, whatever they hold: nobody who gives a variable its value can write
 * part of the template.
 */
export function fillFile({ text, holes, escapes }: FileText, values: readonly string[], isTemplate: boolean): string {
  const print = (value: string, at: number) => (isTemplate ? templateText(value, isInAction(text, at)) : value);
  const cuts = [
    ...holes.map(({ start, end }, i) => ({ start, end, filling: print(values[i]!, start) })),
    ...escapes.map(start => ({ start, end: start + 1, filling: '' })),
  ].sort((a, b) => a.start - b.start);
  let from = 0;
  const pieces = cuts.map(({ start, end, filling }) => {
    const piece = text.slice(from, start) + filling;
    from = end;
    return piece;
  });
  return pieces.join('') + text.slice(from);
}

const isInAction = (text: string, at: number): boolean => text.lastIndexOf('{{', at) > text.lastIndexOf('}}', at);

function templateText(value: string, isAction: boolean): string {
  // In an action it stands between quotes.
  return isAction ? JSON.stringify(value).slice(1, -1) : value.replaceAll('{{', '{{"{{"}}');
}
