import { evaluate, truthOf, type ExpressionScope } from './evaluate.ts';
import { UnresolvedExpression } from './expression-error.ts';
import { parseCondition } from './parse-expression.ts';
import { pathsOf } from './paths-of.ts';

/**
 * Whether a condition such as `${env.name} == "prod" && !${workflow.variables.dry}` holds. Throws UnresolvedExpression when something that decides is not
 * there, and ExpressionError when it cannot be read or is neither true nor false.
 */
export function evaluateCondition(text: string, scope: ExpressionScope): boolean {
  const node = parseCondition(text);
  const truth = truthOf(evaluate(node, scope), node.at);
  if (truth === undefined) throw new UnresolvedExpression(missingPart(text, scope), node.at);
  return truth;
}

/** The paths that a condition names. Throws ExpressionError when it cannot be read. */
export const conditionPaths = (text: string): string[] => pathsOf(parseCondition(text));

function missingPart(text: string, scope: ExpressionScope): string {
  const missing = conditionPaths(text).find(path => evaluate({ kind: 'path', names: path.split('.'), at: 0 }, scope) === undefined);
  return missing ?? text;
}
