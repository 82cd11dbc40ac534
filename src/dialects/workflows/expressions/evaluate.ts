import { isJsonObject, printJson } from '../../../util/json.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionNode, Operator } from './expression-node.ts';
import { callFunctor } from './functors.ts';
import { callMethod } from './text-methods.ts';

/** What a dotted path such as `workflow.variables.region` stands for; undefined when it stands for nothing. Objects and lists may be answered too. */
export type ExpressionScope = (path: string) => unknown;

/** The value of an expression; undefined when something it names is not there. Throws ExpressionError. */
export function evaluate(node: ExpressionNode, scope: ExpressionScope): unknown {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'path':
      return lookUp(node.names, scope);
    case 'field':
      return memberOf(evaluate(node.of, scope), node.name);
    case 'index':
      return memberOf(evaluate(node.of, scope), evaluate(node.index, scope));
    case 'not':
      return not(evaluate(node.of, scope), node.at);
    case 'binary':
      return compare(node, scope);
    case 'method':
      return evaluateMethod(node, scope);
    case 'functor':
      return callFunctor(
        node.functor,
        node.args.map(one => evaluate(one, scope)),
        node.at,
      );
  }
}

/** The longest part that the scope knows; the rest is looked for in it. */
function lookUp(names: readonly string[], scope: ExpressionScope): unknown {
  for (let count = names.length; count > 0; count--) {
    const value = scope(names.slice(0, count).join('.'));
    if (value !== undefined && value !== null) return names.slice(count).reduce(memberOf, value);
  }
  return undefined;
}

function memberOf(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  if (!isJsonObject(value) || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function evaluateMethod(node: ExpressionNode & { kind: 'method' }, scope: ExpressionScope): unknown {
  if (node.method === 'getSHA') return node.of.kind === 'path' ? lookUp([...node.of.names, 'getSHA'], scope) : undefined;
  const of = evaluate(node.of, scope);
  const args = node.args.map(one => evaluate(one, scope));
  if (of === undefined || of === null || args.includes(undefined)) return undefined;
  return node.method === 'get' ? memberOf(of, args[0]) : callMethod(node.method, printValue(of), { args, at: node.at });
}

/** As it stands in a text. */
export function printValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? printJson(value) : String(value);
}

/** True and false, also as texts; undefined stays what it is. */
export function truthOf(value: unknown, at: number): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text !== 'true' && text !== 'false') throw new ExpressionError(`"${printValue(value).slice(0, 100)}" is neither true nor false`, at);
  return text === 'true';
}

function not(value: unknown, at: number): boolean | undefined {
  const truth = truthOf(value, at);
  return truth === undefined ? undefined : !truth;
}

function compare({ operator, left, right, at }: ExpressionNode & { kind: 'binary' }, scope: ExpressionScope): boolean | undefined {
  const first = evaluate(left, scope);
  if (operator === '||' || operator === '&&') {
    const truth = truthOf(first, at);
    if (truth === undefined || truth === (operator === '||')) return truth;
    return truthOf(evaluate(right, scope), at);
  }
  const second = evaluate(right, scope);
  const isNull = (node: ExpressionNode) => node.kind === 'literal' && node.value === null;
  if (isNull(left) || isNull(right)) return isEqual(first ?? null, second ?? null) === (operator === '==');
  if (first === undefined || second === undefined) return undefined;
  return holds(operator, first, second);
}

function holds(operator: Exclude<Operator, '||' | '&&'>, first: unknown, second: unknown): boolean {
  if (operator === '==' || operator === '!=') return isEqual(first, second) === (operator === '==');
  const [a, b] = ordered(first, second);
  if (operator === '<') return a < b;
  if (operator === '>') return a > b;
  return operator === '<=' ? a <= b : a >= b;
}

/** Numbers are equal to texts that say the same number; two texts are equal letter by letter, as versions must be. */
function isEqual(a: unknown, b: unknown): boolean {
  const [first, second] = [numberOf(a), numberOf(b)];
  const isNumeric = typeof a === 'number' || typeof b === 'number';
  return isNumeric && first !== undefined && second !== undefined ? first === second : printValue(a) === printValue(b);
}

function ordered(a: unknown, b: unknown): [number, number] | [string, string] {
  const [first, second] = [numberOf(a), numberOf(b)];
  return first !== undefined && second !== undefined ? [first, second] : [printValue(a), printValue(b)];
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^\s*-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?\s*$/i.test(value) ? Number(value) : undefined;
}
