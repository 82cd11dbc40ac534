import { evaluate, printValue, type ExpressionScope } from './evaluate.ts';
import { ExpressionError, UnresolvedExpression } from './expression-error.ts';
import type { ExpressionNode } from './expression-node.ts';
import { parseEmbedded } from './parse-expression.ts';
import { pathsOf } from './paths-of.ts';

interface Piece {
  /** What stands before the expression. */
  readonly before: string;
  readonly node?: ExpressionNode;
  /** As it was written. */
  readonly source: string;
  readonly at: number;
}

/** What texts of variables that hold each other may come to. */
const maxRendered = 4 * 1024 * 1024;
const maxKept = 1000;
const maxKeptLength = 20_000;
const kept = new Map<string, readonly Piece[]>();

/** The text with every `${…}` replaced by what it stands for; `$${` becomes `${` and stands for itself. Throws UnresolvedExpression, or ExpressionError when it cannot be read. */
export function renderText(text: string, scope: ExpressionScope): string {
  if (!text.includes('${')) return text;
  let length = 0;
  return piecesOf(text)
    .map(({ before, node, source, at }) => {
      if (!node) return before;
      const value = evaluate(node, scope);
      if (value === undefined || value === null) throw new UnresolvedExpression(source, at);
      const printed = printValue(value);
      length += printed.length;
      if (length > maxRendered) throw new ExpressionError(`the text becomes longer than ${maxRendered} characters`, at);
      return before + printed;
    })
    .join('');
}

/** The paths that a text names, such as `cluster.name`. Throws ExpressionError when an expression cannot be read. */
export function textPaths(text: string): string[] {
  if (!text.includes('${')) return [];
  return piecesOf(text).flatMap(({ node }) => (node ? pathsOf(node) : []));
}

export const hasExpressions = (text: string): boolean => text.includes('${') && piecesOf(text).some(({ node }) => node !== undefined);

/** The same texts are rendered for every cluster of a run. */
function piecesOf(text: string): readonly Piece[] {
  const known = kept.get(text);
  if (known) return known;
  const pieces = cut(text);
  if (text.length > maxKeptLength) return pieces;
  if (kept.size >= maxKept) kept.clear();
  kept.set(text, pieces);
  return pieces;
}

function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  let before = '';
  let from = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', from)) {
    before += text.slice(from, at);
    if (before.endsWith('$')) {
      before = `${before.slice(0, -1)}\${`;
      from = at + 2;
      continue;
    }
    const { node, end } = parseEmbedded(text, at + 2);
    pieces.push({ before, node, source: text.slice(at + 2, end - 1).trim(), at });
    before = '';
    from = end;
  }
  return [...pieces, { before: before + text.slice(from), source: '', at: text.length }];
}
