import type { KubeObject } from '../../api/object.ts';
import { isJsonObject } from '../../util/json.ts';

/** A condition as any kind may have it; what is missing is empty. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An object whose fields are not of the form that Kubernetes expects of them. */
class StrangeFieldError extends Error {}

export const isStrange = (error: unknown): error is Error => error instanceof StrangeFieldError;

function fieldAt(obj: KubeObject, path: string): unknown {
  let at: unknown = obj;
  for (const step of path.split('.')) {
    if (!isJsonObject(at)) return undefined;
    at = at[step];
  }
  return at;
}

export function textAt(obj: KubeObject, path: string, otherwise = ''): string {
  const value = fieldAt(obj, path);
  return typeof value === 'string' ? value : otherwise;
}

export function integerAt(obj: KubeObject, path: string, otherwise: number): number {
  return asInteger(fieldAt(obj, path)) ?? otherwise;
}

/** Empty when the time is absent. */
export function deletionTimeOf({ metadata }: KubeObject): string {
  const time: unknown = metadata.deletionTimestamp;
  if (time === undefined || typeof time === 'string') return time ?? '';
  throw new StrangeFieldError('metadata.deletionTimestamp is no text');
}

/** Undefined when the field is absent. Throws when it is no integer, or stands in something that is no object. */
export function strictInteger(obj: KubeObject, path: string): number | undefined {
  const [parent = '', ...rest] = path.split('.');
  const holder = obj[parent];
  if (holder === undefined || holder === null) return undefined;
  if (!isJsonObject(holder)) throw new StrangeFieldError(`${parent} is no object`);
  const value = holder[rest.join('.')];
  if (value === undefined) return undefined;
  const integer = asInteger(value);
  if (integer === undefined) throw new StrangeFieldError(`${path} is no integer`);
  return integer;
}

function asInteger(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** Throws when status or its conditions have another form. */
export function conditionsOf(obj: KubeObject): Condition[] {
  const status = obj['status'] ?? {};
  if (!isJsonObject(status)) throw new StrangeFieldError('status is no object');
  const conditions = status['conditions'] ?? [];
  if (!Array.isArray(conditions)) throw new StrangeFieldError('status.conditions is no list');
  return conditions.map((item, i) => {
    const condition = item ?? {};
    if (!isJsonObject(condition)) throw new StrangeFieldError(`status.conditions[${i}] is no object`);
    const text = (name: string): string => {
      const value = condition[name] ?? '';
      if (typeof value !== 'string') throw new StrangeFieldError(`status.conditions[${i}].${name} is no text`);
      return value;
    };
    return { type: text('type'), status: text('status'), reason: text('reason'), message: text('message') };
  });
}
