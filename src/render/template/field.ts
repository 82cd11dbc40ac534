import { GoDuration } from '../go/go-duration.ts';
import { GoFunction, GoObject, isMap, isSlice, typeOf, zeroOf, type GoMap, type GoValue } from '../go/go-value.ts';
import { anyType } from '../go/go-type.ts';
import type { Run } from './execution.ts';

export const missing = Symbol('missing');
/** The value that came through the pipe, or that there is none. */
export type Final = GoValue | typeof missing;

/** Calls a method with the arguments of the command it stands in. */
export type CallMethod = (run: Run, method: GoFunction, name: string) => GoValue;

const callWithoutArgs: CallMethod = (run, method, name) => {
  const required = method.isVariadic ? method.params.length - 1 : method.params.length;
  if (required > 0) {
    const want = method.isVariadic ? `at least ${required}` : required;
    throw run.error(`wrong number of args for ${name}: want ${want} got 0`);
  }
  return method.call([]);
};

/** `.a.b.c`, starting from a value. Only the last may have arguments: then `callLast` calls it with them. */
export function followFields(
  run: Run,
  start: GoValue,
  names: readonly string[],
  isStartInterface: (run: Run) => boolean,
  callLast: CallMethod | undefined,
): GoValue {
  let value = start;
  let holder: GoValue;
  const last = names.length - 1;
  for (let i = 0; i <= last; i++) {
    const name = names[i]!;
    const receiver = value;
    // Nearly all steps are from a map to what it has.
    const found = receiver instanceof Map && (callLast === undefined || i < last) ? plainEntry(receiver, name) : undefined;
    if (found !== undefined) value = found;
    else {
      const isInterface = i === 0 ? isStartInterface(run) : holdsInterfaces(holder);
      const withArgs = i === last ? callLast : undefined;
      value = evalField(run, receiver, name, { isInterface, hasArgs: withArgs !== undefined, callLast: withArgs ?? callWithoutArgs });
    }
    holder = receiver;
  }
  return value;
}

const plainEntry = (map: GoMap, name: string): GoValue => (map.goMethods?.has(name) ? undefined : map.get(name));

const holdsInterfaces = (holder: GoValue): boolean =>
  !isMap(holder) || holder.goType === undefined || holder.goType.elem?.kind === 'interface';

interface FieldOptions {
  readonly isInterface: boolean;
  readonly hasArgs: boolean;
  readonly callLast: CallMethod;
}

function evalField(run: Run, receiver: GoValue, name: string, { isInterface, hasArgs, callLast }: FieldOptions): GoValue {
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
  if (isSlice(receiver)) {
    const method = receiver.goMethods?.get(name);
    if (method) return callLast(run, method, name);
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
