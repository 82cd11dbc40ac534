import type { RunHappening } from '../notifications/herald.ts';
import { hideSecrets, type Hide } from '../logs/hide-secrets.ts';
import type { Json } from '../../../util/json.ts';
import { isJsonObject } from '../../../util/json.ts';
import type { RunStatus } from './run-status.ts';

export const hideFor = (secrets: ReadonlyMap<string, string>): Hide => hideSecrets(secrets.values());

/** A status in which no secret stands: neither in words for people nor in what steps published. Names are as they are. */
export function hideInStatus(status: RunStatus, hide: Hide): RunStatus {
  const { outputs, snapshot, ...rest } = status;
  return {
    ...hideInWords(rest, hide),
    ...(snapshot && { snapshot }),
    ...(outputs && { outputs: hideAll(outputs, hide) as NonNullable<RunStatus['outputs']> }),
  };
}

/** The same without secrets in fields that are words for people. */
export const hideInWords = <T extends object>(value: T, hide: Hide): T => walk(value as never, hide) as T;

export const hideInHappening = (happening: RunHappening, hide: Hide): RunHappening => ({ ...happening, message: hide(happening.message) });

const wordFields: ReadonlySet<string> = new Set(['message', 'body', 'errors']);

function walk(value: Json, hide: Hide): Json {
  if (Array.isArray(value)) return typeof value[0] === 'object' ? value.map(one => walk(one, hide)) : value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, wordFields.has(key) ? hideAll(one, hide) : walk(one, hide)]));
}

/** Wherever a text stands. */
export function hideAll(value: Json, hide: Hide): Json {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map(one => hideAll(one, hide));
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideAll(one, hide)])) : value;
}
