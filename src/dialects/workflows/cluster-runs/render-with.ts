import type { Json, JsonObject } from '../../../util/json.ts';
import { isJsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText, textPaths } from '../expressions/render-text.ts';

/**
 * What a step is told, for one cluster. What only an earlier step could have said stays as it is written where no step has: each step knows what that
 * means to it. Throws UnresolvedExpression for everything else.
 */
export function renderWith(given: JsonObject, scope: ExpressionScope): JsonObject {
  return render(given, scope) as JsonObject;
}

function render(value: Json, scope: ExpressionScope): Json {
  if (typeof value === 'string') return mayStay(value, scope) ? value : renderText(value, scope);
  if (Array.isArray(value)) return value.map(item => render(item, scope));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, render(item, scope)]));
}

const mayStay = (text: string, scope: ExpressionScope): boolean =>
  textPaths(text).some(path => path.startsWith('k8s.') && scope(path) === undefined);
