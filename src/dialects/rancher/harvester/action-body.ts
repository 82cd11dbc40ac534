import { isDns1123Label, isDns1123Subdomain } from '../../../api/names.ts';
import type { JsonObject } from '../../../util/json.ts';
import { invalidBody } from '../v3/norman-error.ts';
import { runStrategies } from './machine-facts.ts';

/** The name of something new, or of something that must be there. Throws 422. */
export function nameIn(body: JsonObject, field: string): string {
  const value = textIn(body, field);
  if (value === '') throw invalidBody(`${field} is required`);
  return checkedName(field, value);
}

export function optionalNameIn(body: JsonObject, field: string): string | undefined {
  const value = textIn(body, field);
  return value === '' ? undefined : checkedName(field, value);
}

/** A machine is called so on the network as well. */
export function machineNameIn(body: JsonObject, field: string): string {
  const value = textIn(body, field);
  if (value === '') throw invalidBody(`${field} is required`);
  const [problem] = isDns1123Label(value);
  if (problem !== undefined) throw invalidBody(`${field}: ${problem}`);
  return value;
}

export function runStrategyIn(body: JsonObject): string | undefined {
  const value = textIn(body, 'runStrategy');
  if (value === '') return undefined;
  if ((runStrategies as readonly string[]).includes(value)) return value;
  throw invalidBody(`runStrategy must be one of ${runStrategies.join(', ')}`);
}

function textIn(body: JsonObject, field: string): string {
  const value = Object.hasOwn(body, field) ? (body[field] ?? '') : '';
  if (typeof value !== 'string') throw invalidBody(`${field} must be a string`);
  return value;
}

function checkedName(field: string, value: string): string {
  const [problem] = isDns1123Subdomain(value);
  if (problem !== undefined) throw invalidBody(`${field}: ${problem}`);
  return value;
}
