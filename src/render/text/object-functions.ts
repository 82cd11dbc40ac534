import type { JsonObject } from '../../util/json.ts';
import { fn } from '../go/go-function.ts';
import { toJson } from '../go/go-json.ts';
import { GoError, isMap, type GoFunction, type GoMap, type GoValue } from '../go/go-value.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { toYaml } from '../helm/to-yaml.ts';

/** Objects by the names that templates call them. */
export type NamedObjects = Readonly<Record<string, JsonObject>>;

/** The functions of Sveltos over objects that a template may ask for by name. */
export function objectFunctions(objects: NamedObjects): [string, GoFunction][] {
  const find = (id: string): JsonObject => {
    const found = Object.hasOwn(objects, id) ? objects[id] : undefined;
    if (!found) throw new GoError(`resource "${id}" is not known: name it in templateResourceRefs`);
    return withoutServerFields(found);
  };
  const asText = (value: GoMap): string => toYaml(toJson(value));
  const goObject = (id: string): GoMap => toGoValue(find(id)) as GoMap;
  return [
    ['getResource', fn(['string'], goObject)],
    ['copy', fn(['string'], id => toYaml(find(id)))],
    ['getField', fn(['string', 'string'], (id, path) => readField(goObject(id), path))],
    ['setField', fn(['string', 'string', 'any'], (id, path, value) => asText(withField(goObject(id), path, value)))],
    ['removeField', fn(['string', 'string'], (id, path) => asText(withField(goObject(id), path, undefined)))],
    ['chainSetField', fn(['map', 'string', 'any'], (obj, path, value) => withField(obj, path, value))],
    ['chainRemoveField', fn(['map', 'string'], (obj, path) => withField(obj, path, undefined))],
  ];
}

const stepsOf = (path: string): string[] => path.replace(/^\./, '').split('.');

function readField(obj: GoMap, path: string): GoValue {
  let value: GoValue = obj;
  for (const step of stepsOf(path)) {
    if (!isMap(value) || !value.has(step)) throw new GoError(`field "${path}" is not there`);
    value = value.get(step);
  }
  return value;
}

/** A copy with one field set, or without it. */
function withField(obj: GoMap, path: string, value: GoValue): GoMap {
  const [step = '', ...rest] = stepsOf(path);
  const copy: GoMap = new Map(obj);
  if (rest.length > 0) {
    const inner = obj.get(step);
    if (value === undefined && !isMap(inner)) return copy;
    copy.set(step, withField(isMap(inner) ? inner : new Map(), rest.join('.'), value));
  } else if (value === undefined) copy.delete(step);
  else copy.set(step, value);
  return copy;
}

const serverFields = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'ownerReferences',
  'finalizers',
]);

function withoutServerFields({ metadata, ...rest }: JsonObject): JsonObject {
  const kept = Object.entries((metadata ?? {}) as JsonObject).filter(([name]) => !serverFields.has(name));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
