import { GoDuration } from '../go/go-duration.ts';
import { GoFunction, GoObject, isMap, typeOf, zeroOf, type GoValue } from '../go/go-value.ts';
import { anyType } from '../go/go-type.ts';
import type { Run } from './execution.ts';

export const missing = Symbol('missing');
/** The value that came through the pipe, or that there is none. */
export type Final = GoValue | typeof missing;

/** Calls a method with the arguments of the command it stands in. */
export type CallMethod = (run: Run, method: GoFunction, name: string) => GoValue;

export interface ChainOptions {
  readonly isInterface: boolean;
  /** Whether the last name is followed by arguments. */
  readonly hasArgs: boolean;
  readonly callLast: CallMethod;
}

const callWithoutArgs: CallMethod = (run, method, name) => {
  const required = method.isVariadic ? method.params.length - 1 : method.params.length;
  if (required > 0) {
    const want = method.isVariadic ? `at least ${required}` : required;
    throw run.error(`wrong number of args for ${name}: want ${want} got 0`);
  }
  return method.call([]);
};

/** `.a.b.c`, starting from a value. Only the last may have arguments. */
export function followFields(run: Run, start: GoValue, names: readonly string[], options: ChainOptions): GoValue {
  let value = start;
  let isInterface = options.isInterface;
  for (let i = 0; i < names.length; i++) {
    const isLast = i === names.length - 1;
    const receiver = value;
    value = evalField(run, receiver, names[i]!, {
      isInterface,
      hasArgs: isLast && options.hasArgs,
      callLast: isLast ? options.callLast : callWithoutArgs,
    });
    isInterface = !isMap(receiver) || receiver.goType === undefined || receiver.goType.elem?.kind === 'interface';
  }
  return value;
}

function evalField(run: Run, receiver: GoValue, name: string, { isInterface, hasArgs, callLast }: ChainOptions): GoValue {
  if (receiver === undefined) {
    if (run.env.isStrict) throw run.error(`nil data; no entry for key ${JSON.stringify(name)}`);
    return undefined;
  }
  if (receiver === null) throw run.error(`nil pointer evaluating ${anyType.name}.${name}`);
  if (isMap(receiver)) {
    const method = receiver.goMethods?.get(name);
    if (method) return callLast(run, method, name);
    if (hasArgs) throw run.error(`${name} is not a method but has arguments`);
    const found = receiver.get(name);
    if (found !== undefined) return found;
    if (run.env.isStrict && !receiver.has(name)) throw run.error(`map has no entry for key ${JSON.stringify(name)}`);
    return receiver.goType?.elem ? zeroOf(receiver.goType.elem) : null;
  }
  if (receiver instanceof GoDuration) {
    const method = receiver.method(name);
    if (method) return callLast(run, method, name);
  }
  if (receiver instanceof GoObject) {
    const method = receiver.method(name);
    if (method) return callLast(run, method, name);
    const field = receiver.field(name);
    if (field) {
      if (hasArgs) throw run.error(`${name} has arguments but cannot be invoked as function`);
      return field.value;
    }
  }
  throw run.error(`can't evaluate field ${name} in type ${isInterface ? anyType.name : typeOf(receiver).name}`);
}
