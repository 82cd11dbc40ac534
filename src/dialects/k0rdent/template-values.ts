import type { KubeObject } from '../../api/object.ts';
import { fn } from '../../render/go/go-function.ts';
import { toJson } from '../../render/go/go-json.ts';
import { GoError, isMap, type GoFunction, type GoMap, type GoValue } from '../../render/go/go-value.ts';
import { toGoValue } from '../../render/go/to-go-value.ts';
import { helmFunctions } from '../../render/helm/helm-functions.ts';
import { toYaml } from '../../render/helm/to-yaml.ts';
import { TemplateSet } from '../../render/template/template-set.ts';
import { errorText } from '../../util/error-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';

/** What templates of values can ask for. */
export interface ValuesData {
  /** The cluster, as Cluster API or Sveltos describe it. */
  readonly cluster: JsonObject;
  /** Objects of the hub by their identifiers. */
  readonly resources: Readonly<Record<string, KubeObject>>;
  readonly infrastructureProvider?: JsonObject;
  readonly controlPlane?: JsonObject;
}

const limits = { steps: 5_000_000, output: 8 * 1024 * 1024 };
const maxMs = 5_000;

/** Values that are a Go template of YAML. A key that is missing is an error. */
export function renderValues(text: string, data: ValuesData): JsonObject {
  return readValuesDocument(text.includes('{{') ? renderTemplate(text, data) : text);
}

export function renderTemplate(text: string, data: ValuesData): string {
  const functions = new Map([...helmFunctions, ...resourceFunctions(data)]);
  const set = new TemplateSet(functions, { isStrict: true, limits: { ...limits, deadline: performance.now() + maxMs } });
  const name = 'values';
  try {
    set.parse(name, text);
    return set.execute(name, dotOf(data));
  } catch (cause) {
    throw new Error(`cannot render the values: ${errorText(cause)}`, { cause });
  }
}

function dotOf({ cluster, resources, infrastructureProvider, controlPlane }: ValuesData): GoMap {
  return toGoValue({
    Cluster: cluster,
    MgmtResources: resources as unknown as JsonObject,
    ...(infrastructureProvider && { InfrastructureProvider: infrastructureProvider }),
    ...(controlPlane && { KubeadmControlPlane: controlPlane }),
  }) as GoMap;
}

/** A YAML document that is a map, or nothing. */
export function readValuesDocument(text: string): JsonObject {
  let value: Json;
  try {
    ({ value } = readYaml(text));
  } catch (cause) {
    throw new Error(`the values are no YAML: ${errorText(cause)}`, { cause });
  }
  if (value === null) return {};
  if (!isJsonObject(value)) throw new Error('the values must be a map');
  return value;
}

/** Values with others over them: maps are merged, everything else is replaced. */
export function mergeValues(under: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isJsonObject(before) && isJsonObject(value) ? mergeValues(before, value) : value;
  }
  return merged;
}

/** Functions over the objects that a template may ask for by their identifiers. */
function resourceFunctions({ resources }: ValuesData): [string, GoFunction][] {
  const find = (id: string): JsonObject => {
    const found = resources[id];
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

function withoutServerFields({ metadata, ...rest }: KubeObject): JsonObject {
  const kept = Object.entries(metadata).filter(([name]) => !serverFields.has(name));
  return { ...rest, metadata: Object.fromEntries(kept) } as unknown as JsonObject;
}
