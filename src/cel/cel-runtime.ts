import { CelCostError, CelError } from './cel.ts';
import { fits, type Meter, type Overload } from './cel-overload.ts';
import { celTypes, type CelType } from './cel-type.ts';
import { isMap, mapGet, typeNameOf, Uint } from './cel-values.ts';
import type { Expr } from './parse-cel.ts';
import { listForCall, readValue } from './read-value.ts';

/** Where an evaluation stands. */
export class Frame implements Meter {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly slots: unknown[] = [];
  readonly #limit: number;
  cost = 0;

  constructor(variables: Readonly<Record<string, unknown>>, limit: number) {
    this.variables = variables;
    this.#limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CelCostError('operation cancelled: actual cost limit exceeded');
  }
}

export type Run = (frame: Frame) => unknown;

/** A checked part of an expression, ready to run. */
export interface Compiled {
  readonly type: CelType;
  readonly run: Run;
}

export const neverRuns: Run = () => {
  throw new CelError('expression did not compile');
};

export function readVariable(frame: Frame, name: string, type: CelType): unknown {
  const value = frame.variables[name];
  if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
  return readValue(value, type);
}

export function literal({ value }: Extract<Expr, { op: 'literal' }>): Compiled {
  if (value.type === 'null') return { type: celTypes.null, run: () => null };
  const held = value.type === 'uint' ? new Uint(value.value) : value.value;
  return { type: celTypes[value.type], run: () => held };
}

export function fieldValue(value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null && isMap(value)) return mapGet(value, name);
  if (value === null) throw new CelError('no such overload');
  throw new CelError(`no such overload`);
}

export function elementAt(from: unknown, key: unknown, isOptional: boolean): unknown {
  if (Array.isArray(from)) {
    const at = typeof key === 'bigint' ? Number(key) : key instanceof Uint ? Number(key.value) : key;
    if (typeof at !== 'number' || !Number.isInteger(at)) throw new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
    if (at >= 0 && at < from.length) return (from as unknown[])[at] ?? null;
    if (isOptional) return undefined;
    throw new CelError(`index out of bounds: ${at}`);
  }
  if (!isMap(from)) throw new CelError('no such overload');
  const value = mapGet(from, key);
  if (value === undefined && !isOptional) throw new CelError(`no such key: ${typeof key === 'object' ? typeNameOf(key) : String(key)}`);
  return value;
}

export function callOf(name: string, candidates: readonly Overload[], args: readonly Compiled[]): Run {
  const [first, second, third] = args;
  const readers = args.map(arg => listForCall(name, arg.type));
  const isOpen = candidates.length > 1 || args.some(arg => arg.type.kind === 'dyn');
  const evaluate = (frame: Frame): unknown[] => {
    const values =
      args.length === 1
        ? [first!.run(frame)]
        : args.length === 2
          ? [first!.run(frame), second!.run(frame)]
          : args.length === 3
            ? [first!.run(frame), second!.run(frame), third!.run(frame)]
            : args.map(arg => arg.run(frame));
    for (let i = 0; i < values.length; i++) {
      const reader = readers[i];
      if (reader) values[i] = reader(values[i]);
    }
    return values;
  };
  if (!isOpen) {
    const { run } = candidates[0]!;
    return frame => {
      frame.spend(1);
      return run(evaluate(frame), frame);
    };
  }
  return frame => {
    frame.spend(1);
    const values = evaluate(frame);
    const chosen = candidates.find(candidate => candidate.params.every((param, i) => fits(param, values[i])));
    if (!chosen)
      throw new CelError(/^[_!@-]/.test(name) ? 'no such overload' : `no such overload: ${name}(${values.map(typeNameOf).join(', ')})`);
    return chosen.run(values, frame);
  };
}
