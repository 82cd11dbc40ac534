import { CelError, type CelBudget, type CelProgram } from './cel.ts';
import { CelIssues, type CelIssue } from './cel-issues.ts';
import { compileMacro } from './cel-macros.ts';
import { sameType, substitute, unify, type Bindings, type Overload } from './cel-overload.ts';
import { callOf, elementAt, fieldValue, Frame, literal, neverRuns, readVariable, type Compiled, type Run } from './cel-runtime.ts';
import { parseDuration, parseTimestamp } from './cel-time.ts';
import { celTypes, printType, type CelType } from './cel-type.ts';
import { Optional, TypeValue, makeMap } from './cel-values.ts';
import { compileGoRegExp } from './go-regexp.ts';
import { kubernetesLibrary } from './kubernetes-library.ts';
import { parseCel, type Expr } from './parse-cel.ts';
import { readValue, toPlainJson } from './read-value.ts';

export interface CompileOptions {
  /** The variables an expression may use, with their types. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** Whether `Object{…}` and `JSONPatch{…}` may be built, as mutating admission policies do. */
  readonly allowObjects?: boolean;
  /** What one evaluation may cost at most. */
  readonly costLimit?: number;
}

const defaultCostLimit = 1_000_000;

/**
 * Compiles an expression; throws CelIssues, whose message is what the real compiler prints, or CelError when a literal cannot be
 * converted as the expression wants.
 */
export function compileCel(expression: string, options: CompileOptions): CelProgram {
  const compiler = new Compiler(expression, options);
  const compiled = compiler.compileRoot(parseCel(expression));
  const limit = options.costLimit ?? defaultCostLimit;
  for (const run of compiler.constants) run(new Frame({}, limit));

  function evaluateValue(variables: Readonly<Record<string, unknown>>, budget?: CelBudget): unknown {
    const frame = new Frame(variables, limit);
    try {
      return compiled.run(frame);
    } catch (cause) {
      if (cause instanceof CelError) throw cause;
      if (cause instanceof RangeError) throw new CelError('evaluation nested too deeply', { cause });
      throw cause;
    } finally {
      if (budget) budget.remaining -= frame.cost;
    }
  }

  return {
    expression,
    resultType: compiled.type,
    references: compiler.references,
    evaluateValue,
    evaluate: (variables, budget) => toPlainJson(evaluateValue(variables, budget)),
  };
}

/** An expression that compiles, with the types of its parts. */
export function expressionTypes(expression: string, options: CompileOptions): { root: Expr; types: ReadonlyMap<Expr, CelType> } {
  const types = new Map<Expr, CelType>();
  const root = parseCel(expression);
  new Compiler(expression, options, types).compileRoot(root);
  return { root, types };
}

const typeIdents: Readonly<Record<string, { name: string; type: CelType }>> = Object.fromEntries(
  (
    [
      ['bool', celTypes.bool],
      ['int', celTypes.int],
      ['uint', celTypes.uint],
      ['double', celTypes.double],
      ['string', celTypes.string],
      ['bytes', celTypes.bytes],
      ['null_type', celTypes.null],
      ['list', celTypes.list(celTypes.dyn)],
      ['map', celTypes.map(celTypes.dyn, celTypes.dyn)],
      ['type', celTypes.type],
      ['optional_type', celTypes.optional(celTypes.dyn)],
      ['google.protobuf.Timestamp', celTypes.timestamp],
      ['google.protobuf.Duration', celTypes.duration],
    ] as [string, CelType][]
  ).map(([name, type]) => [name, { name, type }]),
);

interface Local {
  readonly name: string;
  readonly type: CelType;
  readonly slot: number;
}

export class Compiler {
  readonly references = new Set<string>();
  /** Conversions of literals: they fail before anything is evaluated. */
  readonly constants: Run[] = [];
  readonly #source: string;
  readonly #options: CompileOptions;
  readonly #issues: CelIssue[] = [];
  /** What the real compiler looks for only once all types are right. */
  readonly #lateIssues: CelIssue[] = [];
  readonly #locals: Local[] = [];
  readonly #types: Map<Expr, CelType> | undefined;

  constructor(source: string, options: CompileOptions, types?: Map<Expr, CelType>) {
    this.#source = source;
    this.#options = options;
    this.#types = types;
  }

  compileRoot(expr: Expr): Compiled {
    const compiled = this.compile(expr);
    const issues = this.#issues.length > 0 ? this.#issues : this.#lateIssues;
    if (issues.length > 0) throw new CelIssues(this.#source, issues);
    return compiled;
  }

  fail(pos: number, message: string): Compiled {
    if (!this.#issues.some(issue => issue.pos === pos && issue.message === message)) this.#issues.push({ pos, message });
    return { type: celTypes.error, run: neverRuns };
  }

  /** Compiles a body with one more name in scope; the body finds its value in the slot. */
  withLocal<T>(name: string, type: CelType, body: (slot: number) => T): T {
    const slot = this.#locals.length;
    this.#locals.push({ name, type, slot });
    try {
      return body(slot);
    } finally {
      this.#locals.pop();
    }
  }

  compile(expr: Expr): Compiled {
    const compiled = this.#compile(expr);
    this.#types?.set(expr, compiled.type);
    return compiled;
  }

  #compile(expr: Expr): Compiled {
    switch (expr.op) {
      case 'literal':
        return literal(expr);
      case 'ident':
        return this.#ident(expr.name) ?? this.fail(expr.pos, `undeclared reference to '${expr.name.replace(/^\./, '')}' (in container '')`);
      case 'select':
        return this.#select(expr);
      case 'index':
        return this.#index(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'call':
        return compileMacro(this, expr) ?? this.#call(expr);
    }
  }

  #ident(written: string): Compiled | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    const local = this.#locals.findLast(candidate => candidate.name === name);
    if (local) {
      const { slot, type } = local;
      return { type, run: frame => (frame.spend(1), frame.slots[slot]) };
    }
    const type = Object.hasOwn(this.#options.variables, name) ? this.#options.variables[name] : undefined;
    if (type) {
      this.references.add(name);
      return { type, run: frame => (frame.spend(1), readVariable(frame, name, type)) };
    }
    const known = Object.hasOwn(typeIdents, name) ? typeIdents[name] : undefined;
    if (!known) return undefined;
    const value = new TypeValue(known.name);
    return { type: { kind: 'type', of: known.type }, run: () => value };
  }

  #select(expr: Extract<Expr, { op: 'select' }>): Compiled {
    const qualified = expr.optional ? undefined : qualifiedName(expr);
    if (qualified !== undefined && Object.hasOwn(this.#options.variables, qualified)) return this.#ident(qualified)!;
    if (qualified !== undefined && this.#ident(qualified.split('.')[0]!) === undefined) {
      const known = this.#ident(qualified);
      if (known) return known;
    }
    const operand = this.compile(expr.operand);
    const selected = this.selectField(operand, expr.field, expr.pos);
    if (!expr.optional) return selected;
    const type = operand.type.kind === 'optional' ? selected.type : celTypes.optional(selected.type);
    const find = this.presence(operand, expr.field);
    return { type, run: frame => find(frame) };
  }

  /** `operand.field`. On an optional operand the result is optional too. */
  selectField(operand: Compiled, field: string, pos: number): Compiled {
    const holder = operand.type.kind === 'optional' ? operand.type.value : operand.type;
    const found = this.#fieldOf(holder, field, pos);
    if (!found) return { type: celTypes.error, run: neverRuns };
    const { jsonName, type } = found;
    const isDeclared = hidesNull(holder);
    if (operand.type.kind === 'optional') {
      const find = this.presence(operand, field);
      return { type: celTypes.optional(type), run: find };
    }
    const { run } = operand;
    return {
      type,
      run: frame => {
        frame.spend(1);
        const value = fieldValue(run(frame), jsonName);
        if (value === undefined || (value === null && isDeclared)) throw new CelError(`no such key: ${field}`);
        return readValue(value, type);
      },
    };
  }

  /** An Optional with the field's value, or none. */
  presence(operand: Compiled, field: string): (frame: Frame) => Optional {
    const holder = operand.type.kind === 'optional' ? operand.type.value : operand.type;
    const declared = holder.kind === 'object' ? holder.field(field) : undefined;
    const jsonName = declared?.jsonName ?? field;
    const type = declared?.type ?? (holder.kind === 'map' ? holder.value : celTypes.dyn);
    const { run } = operand;
    const isDeclared = hidesNull(holder);
    return frame => {
      frame.spend(1);
      let value = run(frame);
      if (value instanceof Optional) {
        if (!value.isPresent) return Optional.none;
        value = value.value;
      }
      const found = fieldValue(value, jsonName);
      return found === undefined || (found === null && isDeclared) ? Optional.none : new Optional(readValue(found, type));
    };
  }

  #fieldOf(holder: CelType, field: string, pos: number): { jsonName: string; type: CelType } | undefined {
    if (holder.kind === 'dyn' || holder.kind === 'error') return { jsonName: field, type: celTypes.dyn };
    if (holder.kind === 'map') return { jsonName: field, type: holder.value };
    if (holder.kind === 'object') {
      const found = holder.field(field);
      if (!found) this.fail(pos, `undefined field '${field}'`);
      return found;
    }
    this.fail(pos, `type '${printType(holder)}' does not support field selection`);
    return undefined;
  }

  #index(expr: Extract<Expr, { op: 'index' }>): Compiled {
    const operand = this.compile(expr.operand);
    const index = this.compile(expr.index);
    const holder = operand.type.kind === 'optional' ? operand.type.value : operand.type;
    const element = indexedType(holder, index.type);
    if (!element) return this.noOverload(expr.pos, expr.optional ? '_[?_]' : '_[_]', [operand, index], false);
    const isOptional = expr.optional || operand.type.kind === 'optional';
    const run: Run = frame => {
      frame.spend(1);
      let from = operand.run(frame);
      const key = index.run(frame);
      if (from instanceof Optional) {
        if (!from.isPresent) return from;
        from = from.value;
      }
      const found = elementAt(from, key, isOptional);
      if (found === undefined) return Optional.none;
      const value = readValue(found, element);
      return isOptional ? new Optional(value) : value;
    };
    return { type: isOptional ? celTypes.optional(element) : element, run };
  }

  #list(expr: Extract<Expr, { op: 'list' }>, isMixed = false): Compiled {
    const items = expr.items.map(item => ({ ...this.compile(item.value), optional: item.optional, pos: item.value.pos }));
    const element = isMixed
      ? celTypes.dyn
      : this.#commonType(items.map(item => ({ type: item.optional ? valueOfOptional(item.type) : item.type, pos: item.pos })));
    const hasOptional = items.some(item => item.optional);
    return {
      type: celTypes.list(element),
      run: frame => {
        frame.spend(10);
        const values = items.map(item => item.run(frame));
        if (!hasOptional) return values;
        return values.flatMap((value, i) =>
          items[i]!.optional && value instanceof Optional ? (value.isPresent ? [value.value] : []) : [value],
        );
      },
    };
  }

  #map(expr: Extract<Expr, { op: 'map' }>): Compiled {
    const entries = expr.entries.map(entry => ({
      key: this.compile(entry.key),
      value: this.compile(entry.value),
      keyPos: entry.key.pos,
      valuePos: entry.value.pos,
      optional: entry.optional,
    }));
    const keyType = this.#commonType(entries.map(entry => ({ type: entry.key.type, pos: entry.keyPos })));
    const valueType = this.#commonType(
      entries.map(entry => ({ type: entry.optional ? valueOfOptional(entry.value.type) : entry.value.type, pos: entry.valuePos })),
    );
    return {
      type: celTypes.map(keyType, valueType),
      run: frame => {
        frame.spend(30);
        const made: [unknown, unknown][] = [];
        for (const entry of entries) {
          const key = entry.key.run(frame);
          const value = entry.value.run(frame);
          if (!entry.optional) made.push([key, value]);
          else if (value instanceof Optional && value.isPresent) made.push([key, value.value]);
        }
        return makeMap(made);
      },
    };
  }

  #struct(expr: Extract<Expr, { op: 'struct' }>): Compiled {
    const isKnown = this.#options.allowObjects && (expr.name === 'JSONPatch' || expr.name === 'Object' || expr.name.startsWith('Object.'));
    if (!isKnown) return this.fail(expr.pos, `undeclared reference to '${expr.name}' (in container '')`);
    const entries = expr.entries.map(entry => ({ ...entry, compiled: this.compile(entry.value) }));
    return {
      type: celTypes.opaque(expr.name),
      run: frame => {
        frame.spend(40);
        const made: Record<string, unknown> = {};
        for (const { field, optional, compiled } of entries) {
          const value = compiled.run(frame);
          if (!optional) made[field] = value;
          else if (value instanceof Optional && value.isPresent) made[field] = value.value;
        }
        return made;
      },
    };
  }

  /** Elements of a literal have one type, unless one of them is dynamic. */
  #commonType(elements: readonly { type: CelType; pos: number }[]): CelType {
    let common: CelType | undefined;
    for (const { type, pos } of elements) {
      if (common === undefined || common.kind === 'error') common = type;
      else if (type.kind === 'dyn') common = type;
      else if (!unify(new Map(), common, type)) {
        if (unify(new Map(), type, common)) common = type;
        else {
          this.#lateIssues.push({ pos, message: `expected type '${printType(common)}' but found '${printType(type)}'` });
          return celTypes.dyn;
        }
      }
    }
    return common ?? celTypes.dyn;
  }

  #call(expr: Extract<Expr, { op: 'call' }>): Compiled {
    const library = kubernetesLibrary();
    let name = expr.name.replace(/^\./, '');
    let target = expr.target;
    if (target) {
      const qualifier = qualifiedName(target);
      if (qualifier !== undefined && library.has(`${qualifier}.${name}`)) {
        name = `${qualifier}.${name}`;
        target = undefined;
      }
    }
    const overloads = library.get(name)?.filter(candidate => candidate.isMember === (target !== undefined));
    const receiver = target && this.compile(target);
    const args = expr.args.map(arg => (name === 'format' && arg.op === 'list' ? this.#list(arg, true) : this.compile(arg)));
    if (!overloads || (overloads.length === 0 && !library.get(name))) {
      return this.fail(expr.pos, `undeclared reference to '${expr.name}' (in container '')`);
    }
    this.#checkLiteral(name, expr.args.at(-1));
    if (name === 'format' && target) this.#checkFormat(expr, target);
    const resolved = this.resolve(expr.pos, name, overloads, receiver ? [receiver, ...args] : args, receiver !== undefined);
    if (conversions.has(name) && expr.args.length === 1 && expr.args[0]!.op === 'literal' && !target) this.constants.push(resolved.run);
    return resolved;
  }

  #checkFormat(expr: Extract<Expr, { op: 'call' }>, template: Expr): void {
    const [list] = expr.args;
    if (template.op !== 'literal' || template.value.type !== 'string' || list?.op !== 'list') return;
    const wanted = (template.value.value.match(/%(?:%|(?:\.\d+)?[a-zA-Z])/g) ?? []).filter(clause => clause !== '%%').length;
    if (wanted > list.items.length) this.#lateIssues.push({ pos: expr.pos, message: `index ${list.items.length} out of range` });
  }

  /** Patterns and moments that are written out must be right. */
  #checkLiteral(name: string, arg: Expr | undefined): void {
    const check = Object.hasOwn(literalChecks, name) ? literalChecks[name] : undefined;
    if (!check || arg?.op !== 'literal' || arg.value.type !== 'string') return;
    try {
      check(arg.value.value);
    } catch {
      this.#lateIssues.push({ pos: arg.pos, message: `invalid ${name} argument` });
    }
  }

  /** Chooses among the overloads by static types; what stays open is decided when the call runs. */
  resolve(pos: number, name: string, overloads: readonly Overload[], args: readonly Compiled[], isMember: boolean): Compiled {
    const candidates: Overload[] = [];
    let result: CelType | undefined;
    for (const candidate of overloads) {
      if (candidate.params.length !== args.length) continue;
      const bindings: Bindings = new Map();
      if (!candidate.params.every((param, i) => unify(bindings, param, args[i]!.type))) continue;
      candidates.push(candidate);
      const type = substitute(bindings, candidate.result);
      result = result === undefined || sameType(result, type) ? type : celTypes.dyn;
    }
    if (result === undefined) return this.noOverload(pos, name, args, isMember);
    return { type: result, run: callOf(name, candidates, args) };
  }

  noOverload(pos: number, name: string, args: readonly Compiled[], isMember: boolean): Compiled {
    if (args.some(arg => arg.type.kind === 'error')) return { type: celTypes.error, run: neverRuns };
    const types = args.map(arg => printType(arg.type));
    const applied = isMember ? `${types[0]}.(${types.slice(1).join(', ')})` : `(${types.join(', ')})`;
    return this.fail(pos, `found no matching overload for '${name}' applied to '${applied}'`);
  }
}

const conversions = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'timestamp', 'duration']);

const literalChecks: Readonly<Record<string, (text: string) => unknown>> = {
  matches: compileGoRegExp,
  timestamp: parseTimestamp,
  duration: parseDuration,
};

function qualifiedName(expr: Expr): string | undefined {
  if (expr.op === 'ident') return expr.name;
  if (expr.op !== 'select' || expr.optional) return undefined;
  const parent = qualifiedName(expr.operand);
  return parent === undefined ? undefined : `${parent}.${expr.field}`;
}

/** A declared field that is null counts as absent. */
const hidesNull = ({ kind }: CelType): boolean => kind === 'object' || kind === 'map';

const valueOfOptional = (type: CelType): CelType => (type.kind === 'optional' ? type.value : type);

function indexedType(holder: CelType, index: CelType): CelType | undefined {
  if (holder.kind === 'dyn' || holder.kind === 'error') return celTypes.dyn;
  if (holder.kind === 'list') return unify(new Map(), celTypes.int, index) ? holder.element : undefined;
  if (holder.kind === 'map') return unify(new Map(), holder.key, index) ? holder.value : undefined;
  return undefined;
}
