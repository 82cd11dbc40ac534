import { celTypes, type CelType } from './cel-type.ts';
import { callCost, sortCost, type CostedCall, type CostedNode } from './call-costs.ts';
import { expressionTypes, type CompileOptions } from './compile-cel.ts';
import type { Expr } from './parse-cel.ts';
import { fixedSize, product, unionOfSizes, unknownSize, type EntrySize, type Size } from './size-estimate.ts';

/**
 * The size of what a path leads to: a variable, then names of fields, `@items`, `@keys` and `@values`. Undefined when nobody knows.
 */
export type SizeOfPath = (path: readonly string[]) => Size | undefined;

/**
 * What evaluating an expression may cost at most, given how large its input may be. Counts as the real compiler does, which sees comprehensions as
 * loops over an accumulator. The expression must compile.
 */
export function estimateCost(expression: string, options: CompileOptions, sizeOfPath: SizeOfPath): number {
  const { root, types } = expressionTypes(expression, options);
  return new Estimate(types, sizeOfPath).cost(root);
}

type Call = Extract<Expr, { op: 'call' }>;

interface Local {
  readonly name: string;
  readonly path: readonly string[];
  readonly size: Size | undefined;
  readonly entry: EntrySize | undefined;
}

const identCost = 1;
const listCost = 10;
const mapCost = 30;
const structCost = 40;

class Estimate {
  readonly #types: ReadonlyMap<Expr, CelType>;
  readonly #sizeOfPath: SizeOfPath;
  readonly #locals: Local[] = [];
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Size>();
  readonly #entries = new Map<Expr, EntrySize>();

  constructor(types: ReadonlyMap<Expr, CelType>, sizeOfPath: SizeOfPath) {
    this.#types = types;
    this.#sizeOfPath = sizeOfPath;
  }

  cost(expr: Expr): number {
    switch (expr.op) {
      case 'literal':
        return 0;
      case 'ident':
        this.#paths.set(expr, this.#local(expr)?.path ?? [expr.name]);
        return identCost;
      case 'select':
        return this.#select(expr);
      case 'index':
        return this.#index(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return structCost + sum(expr.entries.map(entry => this.cost(entry.value)));
      case 'call':
        return this.#macro(expr) ?? this.#call(expr);
    }
  }

  #typeOf(expr: Expr): CelType {
    return this.#types.get(expr) ?? celTypes.dyn;
  }

  #local(expr: Expr): Local | undefined {
    return expr.op === 'ident' ? this.#locals.findLast(({ name }) => name === expr.name) : undefined;
  }

  #path(expr: Expr): readonly string[] {
    return this.#local(expr)?.path ?? this.#paths.get(expr) ?? [];
  }

  #size(expr: Expr): Size | undefined {
    const known = this.#sizes.get(expr) ?? writtenSize(expr);
    if (known) return known;
    const path = this.#path(expr);
    const found = path.length === 0 ? undefined : this.#sizeOfPath(path);
    return found ?? (isScalar(this.#typeOf(expr)) ? fixedSize(1) : this.#local(expr)?.size);
  }

  #entry(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? this.#local(expr)?.entry;
  }

  #node(expr: Expr): CostedNode {
    const type = this.#typeOf(expr);
    const path = this.#path(expr);
    const element = type.kind === 'list' ? type.element : undefined;
    const elementSize = path.length === 0 ? undefined : this.#sizeOfPath([...path, '@items']);
    return {
      type,
      size: this.#size(expr) ?? unknownSize,
      entry: this.#entry(expr),
      ...(element && { element: { type: element, size: elementSize ?? unknownSize } }),
      ...(expr.op === 'literal' && expr.value.type === 'int' && { integer: Number(expr.value.value) }),
    };
  }

  #select(expr: Extract<Expr, { op: 'select' }>): number {
    const operand = this.cost(expr.operand);
    if (expr.optional) return operand + 1;
    this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
    const { kind } = this.#typeOf(expr.operand);
    return kind === 'map' || kind === 'object' || kind === 'opaque' || kind === 'param' ? operand + identCost : operand;
  }

  #index(expr: Extract<Expr, { op: 'index' }>): number {
    const cost = this.cost(expr.operand) + this.cost(expr.index) + 1;
    if (expr.optional) return cost;
    const { kind } = this.#typeOf(expr.operand);
    if (kind === 'list' || kind === 'map') {
      this.#paths.set(expr, [...this.#path(expr.operand), kind === 'list' ? '@items' : '@values']);
      this.#setSize(expr, this.#entry(expr.operand)?.value);
    }
    return cost;
  }

  #list(expr: Extract<Expr, { op: 'list' }>): number {
    const cost = sum(expr.items.map(item => this.cost(item.value)));
    const value = expr.items.map(item => this.#size(item.value) ?? unknownSize).reduce(unionOfSizes, noSize(expr.items.length));
    this.#entries.set(expr, { container: 'list', key: fixedSize(1), value });
    return cost + listCost;
  }

  #map(expr: Extract<Expr, { op: 'map' }>): number {
    const cost = sum(expr.entries.map(entry => this.cost(entry.key) + this.cost(entry.value)));
    const of = (part: 'key' | 'value') =>
      expr.entries.map(entry => this.#size(entry[part]) ?? unknownSize).reduce(unionOfSizes, noSize(expr.entries.length));
    this.#entries.set(expr, { container: 'map', key: of('key'), value: of('value') });
    return cost + mapCost;
  }

  #call(expr: Call): number {
    const args = expr.args.map(arg => this.cost(arg));
    if (expr.name === 'dyn' && !expr.target) {
      this.#copy(expr, expr.args[0]!);
      return 1 + args[0]!;
    }
    const isNamespace = expr.target !== undefined && this.#types.get(expr.target) === undefined;
    const target = isNamespace ? undefined : expr.target;
    const targetCost = target ? this.cost(target) : 0;
    const call: CostedCall = {
      name: isNamespace ? `${namespaceOf(expr.target!)}.${expr.name}` : expr.name,
      target: target && this.#node(target),
      args: expr.args.map(arg => this.#node(arg)),
      argCosts: args,
    };
    const { cost, size, entry } = callCost(call);
    this.#setSize(expr, size ?? this.#size(expr));
    if (entry) this.#entries.set(expr, entry);
    return targetCost + cost;
  }

  #setSize(expr: Expr, size: Size | undefined): void {
    if (size) this.#sizes.set(expr, size);
  }

  #copy(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    const entry = this.#entry(from);
    if (entry) this.#entries.set(to, entry);
  }

  #macro(expr: Call): number | undefined {
    const { target, args, name } = expr;
    if (!target) {
      const [arg] = args;
      return name === 'has' && arg?.op === 'select' ? this.cost(arg.operand) : undefined;
    }
    const last = args.at(-1)!;
    switch (name) {
      case 'all':
        // Each step asks whether it may go on (2), and joins what it finds (1).
        return this.#loop(expr, args.length - 1, () => 3 + this.cost(last)) + identCost;
      case 'exists':
        return this.#loop(expr, args.length - 1, () => 4 + this.cost(last)) + identCost;
      case 'exists_one':
      case 'existsOne':
        return this.#loop(expr, args.length - 1, () => this.cost(last) + 2) + identCost + 1;
      case 'filter':
        return this.#collection(expr, 1, last, () => identCost);
      case 'map':
        return this.#collection(expr, 1, args.length === 3 ? args[1] : undefined, () => this.cost(last), last);
      case 'transformList':
        return this.#collection(expr, 2, args.length === 4 ? args[2] : undefined, () => this.cost(last), last);
      case 'transformMap':
      case 'transformMapEntry':
        return this.#insertion(expr, args.length === 4 ? args[2] : undefined, last);
      case 'sortBy':
        return this.#sortBy(expr, last);
      case 'optMap':
      case 'optFlatMap':
        return this.#optional(expr, name === 'optMap');
      default:
        return undefined;
    }
  }

  /** The range, and so many times the cost of one step in the scope of its variables. */
  #loop({ target, args }: Call, variables: number, step: () => number, range = this.cost(target!)): number {
    const names = args.slice(0, variables).map(arg => (arg.op === 'ident' ? arg.name : ''));
    const entry = this.#entry(target!);
    const path = this.#path(target!);
    const container = entry?.container ?? this.#typeOf(target!).kind;
    const key: Omit<Local, 'name'> = { path: [...path, container === 'list' ? '@indices' : '@keys'], size: entry?.key, entry: undefined };
    const value = { path: [...path, container === 'list' ? '@items' : '@values'], size: entry?.value, entry: undefined };
    const locals = names.length === 2 ? [key, value] : [container === 'list' ? value : key];
    this.#locals.push(...locals.map((local, i) => ({ ...local, name: names[i]! })));
    const each = step();
    this.#locals.splice(this.#locals.length - locals.length);
    return range + product((this.#size(target!) ?? unknownSize).max, each);
  }

  /** A loop that begins with an empty list and adds a list of one (10) to it (1), where it passes the filter. */
  #collection(expr: Call, variables: number, filter: Expr | undefined, itemCost: () => number, item?: Expr, range?: number): number {
    let value: Size | undefined;
    const step = () => {
      const passes = filter ? this.cost(filter) : 0;
      const added = identCost + 1 + listCost + itemCost();
      value = item ? this.#size(item) : this.#locals.at(-1)!.size;
      return passes + added;
    };
    const cost = this.#loop(expr, variables, step, range);
    this.#sizes.set(expr, this.#size(expr.target!) ?? unknownSize);
    this.#entries.set(expr, { container: 'list', key: fixedSize(1), value: unionOfSizes(noSize(0), value ?? unknownSize) });
    return listCost + cost + identCost;
  }

  /** A loop that begins with an empty map and puts entries into it. */
  #insertion(expr: Call, filter: Expr | undefined, value: Expr): number {
    const puts = expr.name === 'transformMap' ? 2 * identCost + 1 : identCost + 1;
    const cost = this.#loop(expr, 2, () => (filter ? this.cost(filter) : 0) + puts + this.cost(value));
    this.#sizes.set(expr, this.#size(expr.target!) ?? unknownSize);
    return mapCost + cost + identCost;
  }

  /** `cel.bind(input, target, input.@sortByAssociatedKeys(input.map(name, key)))` */
  #sortBy(expr: Call, key: Expr): number {
    const bound = listCost + this.cost(expr.target!);
    // The variable stands for the list that was costed already.
    const mapped = this.#collection(expr, 1, undefined, () => this.cost(key), key, identCost);
    const size = this.#size(expr.target!) ?? unknownSize;
    const keys = { type: celTypes.dyn, size, entry: undefined, element: { type: this.#typeOf(key), size: unknownSize } };
    const sorted = sortCost(keys);
    this.#setSize(expr, sorted.size);
    return bound + identCost + mapped + sorted.cost;
  }

  /** `target.hasValue() ? optional.of(cel.bind(name, target.value(), body)) : optional.none()` */
  #optional({ target, args }: Call, wraps: boolean): number {
    const [name, body] = args as [Expr, Expr];
    // Looked at once, however often it counts: each look would be two one level down.
    const each = this.cost(target!);
    const has = each + 1;
    const bound = listCost + each + 1;
    this.#locals.push({ name: name.op === 'ident' ? name.name : '', path: [], size: undefined, entry: undefined });
    const inner = this.cost(body);
    this.#locals.pop();
    return has + bound + inner + (wraps ? 1 : 0);
  }
}

const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0);
/** Nothing seen yet: any size joins it. */
const noSize = (count: number): Size => (count === 0 ? { min: 0, max: 0 } : { min: Infinity, max: 0 });

function namespaceOf(expr: Expr): string {
  if (expr.op === 'ident') return expr.name;
  return expr.op === 'select' ? `${namespaceOf(expr.operand)}.${expr.field}` : '';
}

function writtenSize(expr: Expr): Size | undefined {
  if (expr.op === 'list') return fixedSize(expr.items.length);
  if (expr.op === 'map') return fixedSize(expr.entries.length);
  if (expr.op !== 'literal') return undefined;
  const { value } = expr;
  if (value.type === 'string') return fixedSize([...value.value].length);
  return fixedSize(value.type === 'bytes' ? value.value.length : 1);
}

const scalars = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.value);
  return type.kind === 'simple' && scalars.has(type.name);
}
