import { GoComplex } from '../go/go-complex.ts';
import { intType, isAssignable, canBeNil, isSigned, isUnsigned, reflectType, type GoType } from '../go/go-type.ts';
import { GoError, GoInt, isTrue, typeOf, zeroOf, type GoFunction, type GoValue } from '../go/go-value.ts';
import { takeRoom } from '../go/rendering.ts';
import type { Expression, Run } from './execution.ts';
import { NotCallable } from './builtins.ts';
import { followFields, missing, type CallMethod, type Final } from './field.ts';
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
      return compileCall(first, command, args, scope, others);
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
      if (number.complex) {
        const complex = new GoComplex(number.complex.real, number.complex.imaginary);
        return () => complex;
      }
      if (number.float !== undefined && !/^[+-]?0[xX][^pP]*$/.test(text) && !text.startsWith("'") && /[.eEpP]/.test(text)) {
        const { float } = number;
        return () => float;
      }
      if (number.int !== undefined) {
        const int = new GoInt(number.int, intType);
        return () => int;
      }
      return run => {
        throw run.error(`${text} overflows int`);
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
  const { start, isInterface } = compileStart(node, scope);
  return (run, dot, final) => {
    run.node = node;
    const value = start(run, dot);
    if (names.length === 0) {
      if (args.length > 0 || final !== missing) refuseArguments(run, node, args, final);
      return value;
    }
    const callLast: CallMethod | undefined =
      args.length === 0 && final === missing ? undefined : (_, method, name) => call(run, dot, method, name, node, args, final);
    return followFields(run, value, names, isInterface, callLast);
  };
}

interface Start {
  readonly start: Expression;
  /** Whether errors name the type of what it starts from `interface {}`. */
  readonly isInterface: (run: Run) => boolean;
}

function compileStart(node: FieldLike, scope: Scope): Start {
  if (node.type === 'field') return { start: (_, dot) => dot, isInterface: run => run.isDotInterface };
  if (node.type === 'variable') {
    const slot = scope.find(node.name);
    if (slot !== undefined) return { start: run => run.variables[slot], isInterface: run => run.isInterface[slot] ?? false };
    const start: Expression = run => {
      throw run.error(`undefined variable: ${node.name}`);
    };
    return { start, isInterface: () => false };
  }
  const inner = compileArgument(node.of, scope);
  const start: Expression = (run, dot) => {
    if (node.of.type === 'nil') throw run.error(`indirection through explicit nil in ${printNode(node)}`);
    return inner(run, dot, undefined);
  };
  return { start, isInterface: () => false };
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
    case 'identifier': {
      const value = compileCall(node, node, [], scope, []);
      return (run, dot, type) => validate(run, value(run, dot, missing), type);
    }
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

type Identifier = Extract<Operand, { type: 'identifier' }>;

/** A call of a function; mistakes in the number of arguments are reported at its name, its own errors at `at`. */
function compileCall(node: Identifier, at: AnyNode, args: readonly ArgumentEval[], scope: Scope, written: readonly Operand[]): CommandEval {
  const { name } = node;
  if (name === 'and' || name === 'or') return (run, dot, final) => shortCircuit(run, dot, node, args, final);
  const fixed = scope.fixedFunction(name);
  const evaluate: CommandEval = (run, dot, final) => {
    run.node = node;
    const target = fixed ?? run.env.function(name);
    if (!target) throw run.error(`${JSON.stringify(name)} is not a defined function`);
    return call(run, dot, target, name, at, args, final);
  };
  return name === 'call' ? namingCallee(evaluate, at, written) : evaluate;
}

/** What `call` says of something that is no function names it as it was written. */
function namingCallee(evaluate: CommandEval, at: AnyNode, [first]: readonly Operand[]): CommandEval {
  return (run, dot, final) => {
    try {
      return evaluate(run, dot, final);
    } catch (error) {
      if (!(error instanceof GoError) || !(error.cause instanceof NotCallable)) throw error;
      const callee = first ? printNode(first) : typeof final === 'string' ? final : `<${typeOf(final as GoInt).name} Value>`;
      run.node = at;
      throw run.error(`error calling call: non-function ${callee} of type ${error.cause.typeName}`, error.cause);
    }
  };
}

function shortCircuit(run: Run, dot: GoValue, node: Identifier, args: readonly ArgumentEval[], final: Final): GoValue {
  run.node = node;
  const { name } = node;
  if (args.length === 0 && final === missing) throw run.error(`wrong number of args for ${name}: want at least 1 got 0`);
  let value: GoValue;
  for (const arg of args) {
    value = arg(run, dot, reflectType);
    if (isTrue(value) === (name === 'or')) return value;
  }
  return final === missing ? value : final;
}

function call(run: Run, dot: GoValue, target: GoFunction, name: string, at: AnyNode, args: readonly ArgumentEval[], final: Final): GoValue {
  const { params, isVariadic } = target;
  const given = args.length;
  const count = final === missing ? given : given + 1;
  const fixed = isVariadic ? params.length - 1 : params.length;
  if (isVariadic ? count < fixed : count !== fixed) {
    throw run.error(`wrong number of args for ${name}: want ${isVariadic ? `at least ${fixed} got ${given}` : `${fixed} got ${count}`}`);
  }
  const rest = params[params.length - 1]!;
  const values = new Array<GoValue>(count);
  for (let i = 0; i < given; i++) values[i] = args[i]!(run, dot, i < fixed ? params[i]! : rest);
  if (final !== missing) values[given] = validate(run, final, given < fixed ? params[given]! : rest);
  let result: GoValue;
  try {
    result = target.call(values);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    run.node = at;
    throw run.error(`error calling ${name}: ${error.message}`, error);
  }
  if (typeof result === 'string') {
    if (result.length > 1024) takeRoom(result.length);
  } else if (Array.isArray(result) && result.length > 64) takeRoom(result.length * 64);
  return result;
}
