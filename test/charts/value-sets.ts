import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readValues } from '../../src/render/chart/load-chart.ts';
import { filled } from './filled-values.ts';
import { isMap, isSlice, type GoMap, type GoValue } from '../../src/render/go/go-value.ts';
import { toJson } from '../../src/render/go/go-json.ts';

/** Values under which every chart is rendered, as the text of a values file. */
export interface ValueSet {
  readonly name: string;
  readonly text: string;
}

/** The chart's defaults, two sets that fit most charts, the defaults with every switch turned over, and with every empty place filled. */
export function valueSetsFor(defaults: GoMap): ValueSet[] {
  const shared = (name: string): ValueSet => ({
    name,
    text: readFileSync(path.join(import.meta.dirname, 'values', `${name}.yaml`), 'utf8'),
  });
  return [
    { name: 'defaults', text: '' },
    shared('names'),
    shared('workload'),
    { name: 'turned-over', text: JSON.stringify(toJson(turnedOver(defaults) ?? new Map())) },
    { name: 'filled', text: JSON.stringify(toJson(filled(defaults) ?? new Map())) },
  ];
}

/** Only the booleans of a value, each turned over; undefined when it has none. Lists are left as they are: theirs are not switches. */
export function turnedOver(value: GoValue): GoValue {
  if (typeof value === 'boolean') return !value;
  if (!isMap(value) || isSlice(value)) return undefined;
  const turned: GoMap = new Map();
  for (const [key, item] of value) {
    const other = turnedOver(item);
    if (other !== undefined) turned.set(key, other);
  }
  return turned.size === 0 ? undefined : turned;
}

export const valuesOf = (set: ValueSet): GoMap => readValues(set.text);
