import { CelCostError, CelError } from './cel.ts';
import { unify } from './cel-overload.ts';
import { celTypes, type CelType } from './cel-type.ts';
import { celCompare, isMap, makeMap, mapGet, mapKeys, Optional } from './cel-values.ts';
import { neverRuns, type Compiled, type Frame, type Run } from './cel-runtime.ts';
import type { Compiler } from './compile-cel.ts';
import type { Expr } from './parse-cel.ts';
import { readValue } from './read-value.ts';

type Call = Extract<Expr, { op: 'call' }>;

/** Compiles what is not an ordinary call: operators that may skip an operand, has(), comprehensions. Undefined for all other calls. */
export function compileMacro(compiler: Compiler, expr: Call): Compiled | undefined {
  if (expr.target === undefined) {
    if (expr.name === '_&&_' || expr.name === '_||_') return logical(compiler, expr);
    if (expr.name === '_?_:_') return ternary(compiler, expr);
    if (expr.name === 'has' && expr.args.length === 1) return has(compiler, expr);
    return undefined;
  }
  const [first, second] = expr.args;
  const count = expr.args.length;
  switch (expr.name) {
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'existsOne':
      if (count === 2 || count === 3) return quantifier(compiler, expr);
      return undefined;
    case 'map':
      if (count === 2 || count === 3) return mapping(compiler, expr, 'list', 1, count === 3 ? second : undefined);
      return undefined;
    case 'filter':
      if (count === 2) return mapping(compiler, expr, 'list', 1, second, first);
      return undefined;
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry': {
      if (count !== 3 && count !== 4) return undefined;
      const makes = expr.name === 'transformList' ? 'list' : expr.name === 'transformMap' ? 'map' : 'entries';
      return mapping(compiler, expr, makes, 2, count === 4 ? expr.args[2] : undefined);
    }
    case 'sortBy':
      return count === 2 ? sortBy(compiler, expr) : undefined;
    case 'optMap':
    case 'optFlatMap':
      return count === 2 ? optionalMap(compiler, expr) : undefined;
    default:
      return undefined;
  }
}

function tryRun(run: Run, frame: Frame): unknown {
  try {
    const value = run(frame);
    return typeof value === 'boolean' ? value : new CelError('no such overload');
  } catch (error) {
    if (error instanceof CelError && !(error instanceof CelCostError)) return error;
    throw error;
  }
}

/** Either side decides alone if it can, whatever becomes of the other. */
function logical(compiler: Compiler, expr: Call): Compiled {
  const left = compiler.compile(expr.args[0]!);
  const right = compiler.compile(expr.args[1]!);
  if (![left, right].every(side => unify(new Map(), celTypes.bool, side.type)))
    return compiler.noOverload(expr.pos, expr.name, [left, right], false);
  const decisive = expr.name === '_||_';
  return {
    type: celTypes.bool,
    run: frame => {
      const first = tryRun(left.run, frame);
      if (first === decisive) return decisive;
      const second = tryRun(right.run, frame);
      if (second === decisive) return decisive;
      if (first instanceof Error) throw first;
      if (second instanceof Error) throw second;
      return !decisive;
    },
  };
}

function ternary(compiler: Compiler, expr: Call): Compiled {
  const [condition, yes, no] = expr.args.map(arg => compiler.compile(arg)) as [Compiled, Compiled, Compiled];
  const type = joined(yes.type, no.type);
  if (!unify(new Map(), celTypes.bool, condition.type) || !type) return compiler.noOverload(expr.pos, '_?_:_', [condition, yes, no], false);
  return {
    type,
    run: frame => {
      const chosen = condition.run(frame);
      if (typeof chosen !== 'boolean') throw new CelError('no such overload');
      return chosen ? yes.run(frame) : no.run(frame);
    },
  };
}

function joined(a: CelType, b: CelType): CelType | undefined {
  if (a.kind === 'error' || b.kind === 'error') return celTypes.error;
  if (a.kind === 'dyn' || b.kind === 'dyn') return celTypes.dyn;
  if (unify(new Map(), a, b)) return a.kind === 'list' && a.element.kind === 'dyn' ? b : a;
  return unify(new Map(), b, a) ? b : undefined;
}

function has(compiler: Compiler, expr: Call): Compiled {
  const arg = expr.args[0]!;
  if (arg.op !== 'select') return compiler.fail(arg.pos, 'invalid argument to has() macro');
  const operand = compiler.compile(arg.operand);
  compiler.selectField(operand, arg.field, arg.pos);
  const find = compiler.presence(operand, arg.field);
  return { type: celTypes.bool, run: frame => find(frame).isPresent };
}

interface Range {
  readonly keyType: CelType;
  readonly valueType: CelType;
  readonly isMapRange: boolean | undefined;
}

function rangeOf(compiler: Compiler, target: Compiled, pos: number): Range | undefined {
  const { type } = target;
  if (type.kind === 'list') return { keyType: celTypes.int, valueType: type.element, isMapRange: false };
  if (type.kind === 'map') return { keyType: type.key, valueType: type.value, isMapRange: true };
  if (type.kind === 'dyn' || type.kind === 'error') return { keyType: celTypes.dyn, valueType: celTypes.dyn, isMapRange: undefined };
  const name = type.kind === 'simple' || type.kind === 'object' || type.kind === 'opaque' ? type.name : type.kind;
  compiler.fail(pos, `expression of type '${name}' cannot be range of a comprehension (must be list, map, or dynamic)`);
  return undefined;
}

interface Loop {
  readonly source: Compiled;
  readonly valueType: CelType;
  readonly slots: readonly [number] | readonly [number, number];
}

/** Compiles the parts of a comprehension in the scope of its one or two variables. */
function withVariables<T>(compiler: Compiler, expr: Call, count: 1 | 2, body: (loop: Loop) => T): T | undefined {
  const names = expr.args.slice(0, count);
  for (const name of names) {
    if (name.op !== 'ident') {
      compiler.fail(name.pos, 'argument must be a simple name');
      return undefined;
    }
  }
  const source = compiler.compile(expr.target!);
  const range = rangeOf(compiler, source, expr.target!.pos);
  if (!range) return undefined;
  const nameOf = (i: number): string => (names[i] as { name: string }).name;
  const single = range.isMapRange === true ? range.keyType : range.valueType;
  if (count === 1) return compiler.withLocal(nameOf(0), single, slot => body({ source, valueType: single, slots: [slot] }));
  return compiler.withLocal(nameOf(0), range.keyType, key =>
    compiler.withLocal(nameOf(1), range.valueType, value => body({ source, valueType: range.valueType, slots: [key, value] })),
  );
}

/** Runs `step` for each element until it answers false. */
function iterate(loop: Loop, frame: Frame, step: () => boolean): void {
  const collection = loop.source.run(frame);
  const [first, second] = loop.slots;
  if (Array.isArray(collection)) {
    for (let i = 0; i < collection.length; i++) {
      frame.spend(1);
      const item = readValue(collection[i] as unknown, loop.valueType);
      if (second === undefined) frame.slots[first] = item;
      else {
        frame.slots[first] = BigInt(i);
        frame.slots[second] = item;
      }
      if (!step()) return;
    }
    return;
  }
  if (!isMap(collection)) throw new CelError('no such overload');
  for (const key of mapKeys(collection)) {
    frame.spend(1);
    frame.slots[first] = key;
    if (second !== undefined) frame.slots[second] = readValue(mapGet(collection, key), loop.valueType);
    if (!step()) return;
  }
}

function quantifier(compiler: Compiler, expr: Call): Compiled {
  const count = (expr.args.length - 1) as 1 | 2;
  const predicateExpr = expr.args[count]!;
  const isOne = expr.name === 'exists_one' || expr.name === 'existsOne';
  const compiled = withVariables(compiler, expr, count, loop => {
    const predicate = compiler.compile(predicateExpr);
    if (!unify(new Map(), celTypes.bool, predicate.type)) {
      const asBool: Compiled = { type: celTypes.bool, run: predicate.run };
      if (isOne)
        return compiler.noOverload(
          expr.pos,
          '_?_:_',
          [predicate, { ...asBool, type: celTypes.int }, { ...asBool, type: celTypes.int }],
          false,
        );
      return compiler.noOverload(expr.pos, expr.name === 'all' ? '_&&_' : '_||_', [asBool, predicate], false);
    }
    return { type: celTypes.bool, run: isOne ? existsOne(loop, predicate.run) : anyOrAll(loop, predicate.run, expr.name === 'exists') };
  });
  return compiled ?? { type: celTypes.error, run: neverRuns };
}

function anyOrAll(loop: Loop, predicate: Run, decisive: boolean): Run {
  return frame => {
    let error: unknown;
    let isDecided = false;
    iterate(loop, frame, () => {
      const holds = tryRun(predicate, frame);
      if (holds instanceof Error) error ??= holds;
      isDecided = holds === decisive;
      return !isDecided;
    });
    if (isDecided) return decisive;
    if (error !== undefined) throw error;
    return !decisive;
  };
}

function existsOne(loop: Loop, predicate: Run): Run {
  return frame => {
    let matches = 0;
    iterate(loop, frame, () => {
      const holds = predicate(frame);
      if (typeof holds !== 'boolean') throw new CelError('no such overload');
      if (holds) matches++;
      return true;
    });
    return matches === 1;
  };
}

function mapping(
  compiler: Compiler,
  expr: Call,
  makes: 'list' | 'map' | 'entries',
  count: 1 | 2,
  filterExpr?: Expr,
  resultExpr = expr.args.at(-1)!,
): Compiled {
  const compiled = withVariables(compiler, expr, count, loop => {
    const filter = filterExpr && compiler.compile(filterExpr);
    const result = compiler.compile(resultExpr);
    if (filter && !unify(new Map(), celTypes.bool, filter.type)) {
      const list: Compiled = { type: celTypes.list(result.type), run: result.run };
      return compiler.noOverload(expr.pos, '_?_:_', [filter, list, list], false);
    }
    const each = (frame: Frame, put: (value: unknown) => void): void =>
      iterate(loop, frame, () => {
        const passes = filter ? filter.run(frame) : true;
        if (typeof passes !== 'boolean') throw new CelError('no such overload');
        if (passes) put(result.run(frame));
        return true;
      });
    if (makes === 'list')
      return {
        type: celTypes.list(result.type),
        run: (frame: Frame) => {
          const made: unknown[] = [];
          each(frame, value => made.push(value));
          return made;
        },
      };
    return { type: mapType(makes, loop, result.type), run: (frame: Frame) => collectMap(makes, loop, frame, each) };
  });
  return compiled ?? { type: celTypes.error, run: neverRuns };
}

function mapType(makes: 'map' | 'entries', loop: Loop, result: CelType): CelType {
  if (makes === 'entries') return result;
  const { type } = loop.source;
  const key = type.kind === 'map' ? type.key : type.kind === 'list' ? celTypes.int : celTypes.dyn;
  return celTypes.map(key, result);
}

function collectMap(
  makes: 'map' | 'entries',
  loop: Loop,
  frame: Frame,
  each: (frame: Frame, put: (value: unknown) => void) => void,
): unknown {
  const entries: [unknown, unknown][] = [];
  each(frame, value => {
    if (makes === 'map') entries.push([frame.slots[loop.slots[0]], value]);
    else if (isMap(value)) for (const key of mapKeys(value)) entries.push([key, mapGet(value, key)]);
  });
  if (makes === 'entries' && new Set(entries.map(([key]) => key)).size !== entries.length)
    throw new CelError(`insert failed: key ${String(entries.at(-1)?.[0])} already exists`);
  return makeMap(entries);
}

function sortBy(compiler: Compiler, expr: Call): Compiled {
  const compiled = withVariables(compiler, expr, 1, loop => {
    const key = compiler.compile(expr.args[1]!);
    return {
      type: loop.source.type,
      run: (frame: Frame) => {
        const keyed: { key: unknown; item: unknown }[] = [];
        iterate(loop, frame, () => {
          keyed.push({ item: frame.slots[loop.slots[0]], key: key.run(frame) });
          return true;
        });
        return keyed.sort((a, b) => celCompare(a.key, b.key)).map(({ item }) => item);
      },
    };
  });
  return compiled ?? { type: celTypes.error, run: neverRuns };
}

function optionalMap(compiler: Compiler, expr: Call): Compiled {
  const [name, body] = expr.args as [Expr, Expr];
  if (name.op !== 'ident') return compiler.fail(name.pos, `${expr.name}() variable name must be a simple identifier`);
  const target = compiler.compile(expr.target!);
  if (target.type.kind === 'error') return { type: celTypes.error, run: neverRuns };
  if (target.type.kind !== 'optional' && target.type.kind !== 'dyn') return compiler.noOverload(expr.pos, 'hasValue', [target], true);
  const inner = target.type.kind === 'optional' ? target.type.value : celTypes.dyn;
  return compiler.withLocal(name.name, inner, slot => {
    const result = compiler.compile(body);
    const isFlat = expr.name === 'optFlatMap';
    return {
      type: isFlat ? result.type : celTypes.optional(result.type),
      run: frame => {
        const value = target.run(frame);
        if (!(value instanceof Optional)) throw new CelError('no such overload');
        if (!value.isPresent) return Optional.none;
        frame.slots[slot] = value.value;
        return isFlat ? result.run(frame) : new Optional(result.run(frame));
      },
    };
  });
}
