import { escapeHtmlInJson, goPrint, goTypeName } from './go-print.ts';
import { isJsonObject, printJson, sortKeys, type Json } from './json.ts';
import { parseTemplate, type PathNode } from './jsonpath-parse.ts';

/** A JSONPath template as kubectl and the printer columns of custom resources understand it. */
export interface JsonPath {
  /** What each `{…}` finds, in order. Throws an Error when the data does not fit the path. */
  find(data: Json): Json[][];
  /** The whole template printed: values of one `{…}` are separated by spaces. */
  print(data: Json): string;
}

/** Throws when the template cannot be read. With `allowMissing`, keys that are not there are no error. */
export function compileJsonPath(template: string, { allowMissing = false } = {}): JsonPath {
  const nodes = parseTemplate(template);
  const find = (data: Json) => run(nodes, data, allowMissing);
  return { find, print: data => find(data).map(printResults).join('') };
}

function printResults(results: readonly Json[]): string {
  return results.map(printResult).join(' ');
}

/** Objects and lists print as JSON, everything else as Go prints it. */
export function printResult(value: Json): string {
  if (value === null) return '<no value>';
  return typeof value === 'object' ? escapeHtmlInJson(printJson(sortKeys(value))) : goPrint(value);
}

function run(nodes: readonly PathNode[], data: Json, allowMissing: boolean): Json[][] {
  const out: Json[][] = [];
  runFrom(0, data);
  return out;

  /** Runs until the `{end}` of the present range and tells where that is. */
  function runFrom(from: number, current: Json): number {
    for (let i = from; i < nodes.length; i++) {
      const node = nodes[i] as PathNode;
      const keyword = node.kind === 'action' && node.nodes[0]?.kind === 'identifier' ? node.nodes[0].name : undefined;
      if (keyword === 'end') return i;
      if (keyword === 'range' && node.kind === 'action') i = runRange(i, evaluate(node.nodes.slice(1), [current], allowMissing));
      else out.push(node.kind === 'action' ? evaluate(node.nodes, [current], allowMissing) : [(node as { value: Json }).value]);
    }
    return nodes.length;
  }

  function runRange(at: number, values: Json[]): number {
    let end = endOfRange(at);
    for (const value of values) end = runFrom(at + 1, value);
    return end;
  }

  function endOfRange(at: number): number {
    let depth = 0;
    for (let i = at; i < nodes.length; i++) {
      const node = nodes[i] as PathNode;
      const first = node.kind === 'action' ? node.nodes[0] : undefined;
      if (first?.kind !== 'identifier') continue;
      depth += first.name === 'range' ? 1 : first.name === 'end' ? -1 : 0;
      if (depth === 0) return i;
    }
    return nodes.length;
  }
}

function evaluate(nodes: readonly PathNode[], input: Json[], allowMissing: boolean): Json[] {
  return nodes.reduce((values, node) => step(node, values, allowMissing), input);
}

function step(node: PathNode, input: Json[], allowMissing: boolean): Json[] {
  switch (node.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return [node.value];
    case 'identifier':
      throw new Error(`unrecognized identifier ${node.name}`);
    case 'field':
      return fieldOf(node.name, input, allowMissing);
    case 'wildcard':
      return input.flatMap(childrenOf);
    case 'recursive':
      return input.flatMap(descendants);
    case 'slice':
      return input.flatMap(value => sliceOf(node, value));
    case 'union':
      return node.paths.flatMap(path => evaluate(path, input, allowMissing));
    case 'filter':
      return input.flatMap(value => filter(node, value, allowMissing));
    case 'action':
      return evaluate(node.nodes, input, allowMissing);
  }
}

function fieldOf(name: string, input: Json[], allowMissing: boolean): Json[] {
  if (name === '' || input.length === 0) return input;
  const found: Json[] = [];
  for (const value of input) if (isJsonObject(value) && Object.hasOwn(value, name)) found.push(value[name] as Json);
  if (found.length === 0 && !allowMissing) throw new Error(`${name} is not found`);
  return found;
}

function childrenOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function descendants(value: Json): Json[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(descendants)];
}

function sliceOf(node: Extract<PathNode, { kind: 'slice' }>, value: Json): Json[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${goTypeName(value)} is not array or slice`);
  const { length } = value;
  const fromEnd = (i: number) => (i < 0 ? i + length : i);
  const start = fromEnd(node.start ?? 0);
  const end = node.end === undefined ? length : node.end === 0 && node.isDerivedEnd ? length : fromEnd(node.end);
  if (start === end) return [];
  if (start >= length || start < 0) throw new Error(`array index out of bounds: index ${start}, length ${length}`);
  if (end > length || end < 0) throw new Error(`array index out of bounds: index ${end - 1}, length ${length}`);
  if (start > end) throw new Error(`starting index ${start} is greater than ending index ${end}`);
  const { step: stride = 1 } = node;
  if (stride <= 0) throw new Error('step must be > 0');
  return value.slice(start, end).filter((_, i) => i % stride === 0);
}

function filter({ left, operator, right }: Extract<PathNode, { kind: 'filter' }>, value: Json, allowMissing: boolean): Json[] {
  if (!Array.isArray(value)) throw new Error(`${goPrint(value)} is not array or slice and cannot be filtered`);
  return value.filter(item => {
    if (operator === 'exists') return exists(left, item, allowMissing);
    const lefts = evaluate(left, [item], allowMissing);
    if (lefts.length === 0) return false;
    const rights = evaluate(right, [item], allowMissing);
    if (rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new Error('can only compare one element at a time');
    return compare(lefts[0] as Json, operator, rights[0] as Json);
  });
}

function exists(path: PathNode[], item: Json, allowMissing: boolean): boolean {
  try {
    return evaluate(path, [item], allowMissing).length > 0;
  } catch {
    return false;
  }
}

const kindOf = (value: Json) => (typeof value === 'bigint' ? 'number' : typeof value);

function compare(a: Json, operator: string, b: Json): boolean {
  if (typeof a === 'object' || typeof b === 'object') throw new Error('invalid type for comparison');
  if (kindOf(a) !== kindOf(b)) throw new Error('incompatible types for comparison');
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw new Error(`unrecognized filter operator ${operator}`);
  }
}
