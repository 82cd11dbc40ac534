import { intType, isAssignable, canBeNil, isSigned, isUnsigned, reflectType, type GoType } from '../go/go-type.ts';
import { GoError, GoFunction, GoInt, isSlice, isTrue, typeOf, zeroOf, type GoValue } from '../go/go-value.ts';
import { takeRoom } from '../go/rendering.ts';
import type { Expression, Run } from './execution.ts';
import { followFields, missing, type Final } from './field.ts';
import { printNode, type AnyNode, type Command, type Operand, type Pipe } from './node.ts';
import type { Scope } from './scope.ts';

type CommandEval = (run: Run, dot: GoValue, final: Final) => GoValue;
/** Evaluates an argument for a parameter of a type; no type: any will do. */
type ArgumentEval = (run: Run, dot: GoValue, type: GoType | undefined) => GoValue;

/** A pipeline. What it declares is in the scope afterwards. */
export function compilePipe(pipe: Pipe, scope: Scope): Expression {
  const commands = pipe.commands.map(command => compileCommand(command, scope));
  const first = commands[0]!;
  const rest = commands.slice(1);
  const stores = pipe.declares.map(name => (pipe.isAssign ? scope.find(name) : scope.declare(name)));
  return (run, dot) => {
    run.node = pipe;
    let value = first(run, dot, missing) ?? undefined;
    for (const command of rest) value = command(run, dot, value) ?? undefined;
    for (let i = 0; i < stores.length; i++) {
      const slot = stores[i];
      if (slot === undefined) throw run.error(`undefined variable: ${pipe.declares[i]}`);
      run.variables[slot] = value;
      run.isInterface[slot] = false;
    }
    return value;
  };
}

function compileCommand(command: Command, scope: Scope): CommandEval {
  const [first, ...others] = command.args as [Operand, ...Operand[]];
  const args = others.map(arg => compileArgument(arg, scope));
  switch (first.type) {
    case 'field':
    case 'chain':
    case 'variable':
      return compileFields(first, scope, args);
    case 'identifier':
      return (run, dot, final) => callFunction(run, dot, { node: first, at: command, name: first.name, args, final });
    case 'pipe': {
      const inner = compilePipe(first, scope);
      return (run, dot, final) => {
        refuseArguments(run, first, args, final);
        return inner(run, dot);
      };
    }
  }
  const constant = compileConstant(first);
  return (run, dot, final) => {
    run.node = first;
    refuseArguments(run, first, args, final);
    return first.type === 'dot' ? dot : constant(run);
  };
}

function refuseArguments(run: Run, first: Operand, args: readonly ArgumentEval[], final: Final): void {
  if (args.length > 0 || final !== missing) throw run.error(`can't give argument to non-function ${printNode(first)}`);
}

function compileConstant(node: Operand): (run: Run) => GoValue {
  switch (node.type) {
    case 'bool': {
      const { value } = node;
      return () => value;
    }
    case 'string': {
      const { text } = node;
      return () => text;
    }
    case 'number': {
      const { text, number } = node;
      if (number.float !== undefined && !/^[+-]?0[xX][^pP]*$/.test(text) && !text.startsWith("'") && /[.eEpP]/.test(text)) {
        const { float } = number;
        return () => float;
      }
      if (number.int !== undefined) {
        const int = new GoInt(number.int, intType);
        return () => int;
      }
      return run => {
        throw run.error(number.isComplex ? 'complex numbers are not supported' : `${text} overflows int`);
      };
    }
    case 'nil':
      return run => {
        throw run.error('nil is not a command');
      };
  }
  return () => undefined;
}

type FieldLike = Extract<Operand, { type: 'field' | 'chain' | 'variable' }>;

function compileFields(node: FieldLike, scope: Scope, args: readonly ArgumentEval[]): CommandEval {
  const { names } = node;
  const start = compileStart(node, scope);
  return (run, dot, final) => {
    run.node = node;
    const from = start(run, dot);
    if (names.length === 0) {
      refuseArguments(run, node, args, final);
      return from.value;
    }
    return followFields(run, from.value, names, {
      isInterface: from.isInterface,
      hasArgs: args.length > 0 || final !== missing,
      callLast: (_, method, name) => call(run, dot, method, { node, at: node, name, args, final }),
    });
  };
}

function compileStart(node: FieldLike, scope: Scope): (run: Run, dot: GoValue) => { value: GoValue; isInterface: boolean } {
  if (node.type === 'field') return (run, dot) => ({ value: dot, isInterface: run.isDotInterface });
  if (node.type === 'variable') {
    const slot = scope.find(node.name);
    return run => {
      if (slot === undefined) throw run.error(`undefined variable: ${node.name}`);
      return { value: run.variables[slot], isInterface: run.isInterface[slot] ?? false };
    };
  }
  const inner = compileArgument(node.of, scope);
  return (run, dot) => {
    if (node.of.type === 'nil') throw run.error(`indirection through explicit nil in ${printNode(node)}`);
    return { value: inner(run, dot, undefined), isInterface: false };
  };
}

function compileArgument(node: Operand, scope: Scope): ArgumentEval {
  switch (node.type) {
    case 'dot':
      return (run, dot, type) => {
        run.node = node;
        return validate(run, dot, type);
      };
    case 'nil':
      return (run, _, type) => {
        run.node = node;
        if (!type || canBeNil(type)) return type ? zeroOf(type) : undefined;
        throw run.error(`cannot assign nil to ${type.name}`);
      };
    case 'field':
    case 'chain':
    case 'variable': {
      const value = compileFields(node, scope, []);
      return (run, dot, type) => {
        run.node = node;
        return validate(run, value(run, dot, missing), type);
      };
    }
    case 'pipe': {
      const value = compilePipe(node, scope);
      return (run, dot, type) => {
        run.node = node;
        return validate(run, value(run, dot), type);
      };
    }
    case 'identifier':
      return (run, dot, type) => {
        run.node = node;
        return validate(run, callFunction(run, dot, { node, at: node, name: node.name, args: [], final: missing }), type);
      };
  }
  const constant = compileConstant(node);
  return (run, _, type) => {
    run.node = node;
    return constantFor(run, node, type ?? reflectType, constant);
  };
}

/** A constant where a parameter's type is known: the syntax must fit it. */
function constantFor(run: Run, node: Operand, type: GoType, ideal: (run: Run) => GoValue): GoValue {
  if (type.kind === 'interface' || type.kind === 'reflect') return ideal(run);
  if (type.kind === 'bool') {
    if (node.type === 'bool') return node.value;
    throw run.error(`expected bool; found ${printNode(node)}`);
  }
  if (type.kind === 'string') {
    if (node.type === 'string') return node.text;
    throw run.error(`expected string; found ${printNode(node)}`);
  }
  const number = node.type === 'number' ? node.number : undefined;
  if (type.kind === 'float64' || type.kind === 'float32') {
    if (number?.float !== undefined) return number.float;
    throw run.error(`expected float; found ${printNode(node)}`);
  }
  if (isSigned(type)) {
    if (number?.int !== undefined) return new GoInt(number.int, type);
    throw run.error(`expected integer; found ${printNode(node)}`);
  }
  if (isUnsigned(type)) {
    if (number?.uint !== undefined) return new GoInt(number.uint, type);
    throw run.error(`expected unsigned integer; found ${printNode(node)}`);
  }
  throw run.error(`can't handle ${printNode(node)} for arg of type ${type.name}`);
}

/** Lets a value stand for a parameter, or says why it cannot. */
function validate(run: Run, value: GoValue, type: GoType | undefined): GoValue {
  if (!type) return value ?? undefined;
  if (type.kind === 'interface') return value ?? null;
  if (type.kind === 'reflect') return value;
  if (value === undefined) {
    if (canBeNil(type)) return zeroOf(type);
    throw run.error(`invalid value; expected ${type.name}`);
  }
  if (value !== null && isAssignable(typeOf(value), type)) return value;
  throw run.error(`wrong type for value; expected ${type.name}; got ${typeOf(value).name}`);
}

interface Call {
  /** Where mistakes in the number of arguments are reported. */
  readonly node: AnyNode;
  /** Where errors of the function are reported. */
  readonly at: AnyNode;
  readonly name: string;
  readonly args: readonly ArgumentEval[];
  readonly final: Final;
}

function callFunction(run: Run, dot: GoValue, options: Call): GoValue {
  run.node = options.node;
  const target = run.env.function(options.name);
  if (!target) throw run.error(`${JSON.stringify(options.name)} is not a defined function`);
  if (options.name === 'and' || options.name === 'or') return shortCircuit(run, dot, options);
  return call(run, dot, target, options);
}

function shortCircuit(run: Run, dot: GoValue, { name, args, final }: Call): GoValue {
  if (args.length === 0 && final === missing) throw run.error(`wrong number of args for ${name}: want at least 1 got 0`);
  let value: GoValue;
  for (const arg of args) {
    value = arg(run, dot, reflectType);
    if (isTrue(value) === (name === 'or')) return value;
  }
  return final === missing ? value : final;
}

function call(run: Run, dot: GoValue, target: GoFunction, { at, name, args, final }: Call): GoValue {
  const { params, isVariadic } = target;
  const count = args.length + (final === missing ? 0 : 1);
  const fixed = isVariadic ? params.length - 1 : params.length;
  if (isVariadic && count < fixed) throw run.error(`wrong number of args for ${name}: want at least ${fixed} got ${args.length}`);
  if (!isVariadic && count !== fixed) throw run.error(`wrong number of args for ${name}: want ${fixed} got ${count}`);
  const typeAt = (i: number): GoType => (i < fixed ? params[i]! : params[params.length - 1]!);
  const values = args.map((arg, i) => arg(run, dot, typeAt(i)));
  if (final !== missing) values.push(validate(run, final, typeAt(args.length)));
  try {
    const result = target.call(values);
    if (typeof result === 'string') {
      if (result.length > 1024) takeRoom(result.length);
    } else if (isSlice(result) && result.length > 64) takeRoom(result.length * 64);
    return result;
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    run.node = at;
    throw run.error(`error calling ${name}: ${error.message}`, error);
  }
}
