import { printValue } from '../go/go-format.ts';
import { isMap, type GoMap, type GoValue } from '../go/go-value.ts';
import { deepCopy } from '../sprig/dicts.ts';
import type { Chart } from './chart.ts';

/** Told about values that were left out because they do not fit. */
export type Warn = (message: string) => void;

const join = (prefix: string, key: string): string => (prefix === '' ? key : `${prefix}.${key}`);

/**
 * The values of a chart and its subcharts under those a user gave: a user's null removes a default. `merges` keeps such nulls, for values
 * that go through here again.
 */
export function coalesceValues(chart: Chart, given: GoMap, options: { merges?: boolean; warn?: Warn } = {}): GoMap {
  const { merges = false, warn = () => {} } = options;
  return coalesce(chart, deepCopy(given) as GoMap, '', merges, warn);
}

function coalesce(chart: Chart, into: GoMap, prefix: string, merges: boolean, warn: Warn): GoMap {
  addDefaults(chart, into, prefix, merges, warn);
  for (const child of chart.dependencies) {
    const { name } = child.metadata;
    const present = into.get(name);
    if (into.has(name) && !isMap(present)) throw new Error(`type mismatch on ${name}: ${notBool(present)}`);
    const values = isMap(present) ? present : (new Map() as GoMap);
    const childPrefix = join(prefix, chart.metadata.name);
    addGlobals(values, into, childPrefix, warn);
    into.set(name, coalesce(child, values, childPrefix, merges, warn));
  }
  return into;
}

/** `%t` of something that is no boolean, which is how the message has always read. */
function notBool(value: GoValue): string {
  if (value === null || value === undefined) return '%!t(<nil>)';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? `%!t(string=${value})` : `%!t(float64=${printValue(value)})`;
}

function addGlobals(into: GoMap, from: GoMap, prefix: string, warn: Warn): void {
  const present = into.get('global');
  if (into.has('global') && !isMap(present)) return warn('warning: skipping globals because destination global is not a table.');
  const source = from.get('global');
  if (from.has('global') && !isMap(source)) return warn('warning: skipping globals because source global is not a table.');
  const globals = isMap(present) ? present : (new Map() as GoMap);
  for (const [key, value] of isMap(source) ? source : new Map<string, GoValue>()) {
    const own = globals.get(key);
    if (isMap(value)) {
      const copy: GoMap = new Map(value);
      if (!globals.has(key)) globals.set(key, copy);
      else if (!isMap(own)) warn(`Conflict: cannot merge map onto non-map for ${JSON.stringify(key)}. Skipping.`);
      else {
        // What the subchart says about a global table loses against its parent.
        coalesceTables(copy, own, { prefix: join(prefix, key), merges: true, warn });
        globals.set(key, copy);
      }
    } else if (isMap(own)) warn(`key ${key} is table. Skipping`);
    else globals.set(key, value);
  }
  into.set('global', globals);
}

function addDefaults(chart: Chart, into: GoMap, prefix: string, merges: boolean, warn: Warn): void {
  const own = join(prefix, chart.metadata.name);
  for (const [key, value] of deepCopy(chart.values) as GoMap) {
    if (!into.has(key)) {
      if (!merges && value === null) continue;
      if (!merges && isMap(value)) removeNulls(value);
      into.set(key, value);
      continue;
    }
    const present = into.get(key);
    if (present === null && !merges) into.delete(key);
    else if (isMap(present)) {
      if (!isMap(value)) {
        if (value !== null) warn(`warning: skipped value for ${own}.${key}: Not a table.`);
        continue;
      }
      // Values of a subchart keep their nulls: they come through here again with the subchart's own defaults.
      const keepsNulls = merges || chart.dependencies.some(child => child.metadata.name === key);
      if (!keepsNulls) removeNulls(value);
      coalesceTables(present, value, { prefix: join(own, key), merges: keepsNulls, warn });
    }
  }
}

interface TableOptions {
  readonly prefix?: string;
  readonly merges: boolean;
  readonly warn?: Warn;
}

/** Adds to the first table what only the second has. */
export function coalesceTables(into: GoMap, from: GoMap, { prefix = '', merges, warn = () => {} }: TableOptions): GoMap {
  const wasSet = new Set([...from].filter(([, value]) => value !== null).map(([key]) => key));
  const source = new Map(from);
  for (const [key, value] of into) if (value === null) source.set(key, null);
  for (const [key, value] of source) {
    const present = into.get(key);
    if (into.has(key) && !merges && present === null && wasSet.has(key)) into.delete(key);
    else if (!into.has(key)) into.set(key, value);
    else if (isMap(value)) {
      if (isMap(present)) coalesceTables(present, value, { prefix: join(prefix, key), merges, warn });
      else warn(`warning: cannot overwrite table with non table for ${join(prefix, key)} (${printValue(value)})`);
    } else if (isMap(present) && value !== null) {
      warn(`warning: destination for ${join(prefix, key)} is a table. Ignoring non-table value (${printValue(value)})`);
    }
  }
  return into;
}

function removeNulls(table: GoMap): void {
  for (const [key, value] of table) {
    if (value === null) table.delete(key);
    else if (isMap(value)) removeNulls(value);
  }
}
