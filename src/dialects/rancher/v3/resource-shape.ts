import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject, setMember, type Json, type JsonObject } from '../../../util/json.ts';
import type { Field, Fields } from './norman-type.ts';
import { stateOf } from './resource-state.ts';

export interface Shape {
  readonly fields: Fields;
  /** Whether fields of the object stand beside its metadata, without a spec. */
  readonly isFlat: boolean;
  /** Whether it has a state, from its conditions. */
  readonly isStateful: boolean;
}

export const creatorAnnotation = 'field.cattle.io/creatorId';

/** Fields that every resource has. */
export const commonFields = {
  name: { type: 'string' },
  labels: { type: 'map[string]', create: true, update: true, at: 'metadata.labels' },
  annotations: { type: 'map[string]', create: true, update: true, at: 'metadata.annotations' },
  created: { type: 'date' },
  removed: { type: 'date' },
  uuid: { type: 'string' },
  creatorId: { type: 'reference[user]' },
} as const satisfies Fields;

/** Fields of what has a state. */
export const stateFields = {
  state: { type: 'string' },
  transitioning: { type: 'enum', options: ['yes', 'no', 'error'] },
  transitioningMessage: { type: 'string' },
} as const satisfies Fields;

/** A Kubernetes object as Rancher's API shows it: spec, status and metadata side by side. */
export function flatten(obj: KubeObject, { fields, isFlat, isStateful }: Shape, now: Date): JsonObject {
  const { metadata } = obj;
  const resource: JsonObject = isFlat ? besideMetadata(obj) : { ...membersOf(obj['spec']), ...membersOf(obj['status']) };
  for (const [name, { at }] of Object.entries(fields)) if (at !== undefined) move(resource, obj, name, at, fields);
  resource['labels'] = { ...metadata.labels };
  resource['annotations'] = { ...metadata.annotations };
  resource['uuid'] = metadata.uid ?? null;
  resource['created'] = metadata.creationTimestamp ?? null;
  resource['creatorId'] = metadata.annotations?.[creatorAnnotation] ?? null;
  if (metadata.deletionTimestamp !== undefined) resource['removed'] = metadata.deletionTimestamp;
  if (metadata.ownerReferences) resource['ownerReferences'] = metadata.ownerReferences as unknown as Json;
  if (isStateful) Object.assign(resource, stateOf(obj, now));
  for (const [name, field] of Object.entries(fields)) complete(resource, name, field);
  return resource;
}

const ownMembers = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function besideMetadata(obj: KubeObject): JsonObject {
  return Object.fromEntries(Object.entries(obj).filter(([name]) => !ownMembers.has(name))) as JsonObject;
}

const membersOf = (value: unknown) => (isJsonObject(value) ? value : {});

/** Shows under `name` what stands elsewhere in the object. */
function move(resource: JsonObject, obj: KubeObject, name: string, at: string, fields: Fields): void {
  const last = at.slice(at.lastIndexOf('.') + 1);
  if (last !== name && !Object.hasOwn(fields, last)) delete resource[last];
  const value = valueAt(obj, at);
  if (value === undefined) delete resource[name];
  else resource[name] = value;
}

/** What is secret is not shown, dates are also numbers, references say that they are unset. */
function complete(resource: JsonObject, name: string, { type, default: fallback }: Field): void {
  if (type === 'password') {
    delete resource[name];
    return;
  }
  const value = resource[name];
  if (value === undefined && fallback !== undefined) resource[name] = fallback;
  else if (value === undefined && type.startsWith('reference[')) resource[name] = null;
  else if (type === 'date' && typeof value === 'string' && value !== '') resource[`${name}TS`] = Date.parse(value);
}

function valueAt(obj: unknown, at: string): Json | undefined {
  let value: unknown = obj;
  for (const part of at.split('.')) value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value as Json | undefined;
}

/** The object with fields as a client wants them. A null takes a field away. */
export function writeFields<T extends KubeObject>(obj: T, values: JsonObject, { fields, isFlat }: Pick<Shape, 'fields' | 'isFlat'>): T {
  const written = structuredClone(obj);
  for (const [name, value] of Object.entries(values)) {
    const at = fields[name]?.at ?? (isFlat ? name : `spec.${name}`);
    if (at === 'metadata.labels') written.metadata.labels = mergeNotes(written.metadata.labels, value);
    else if (at === 'metadata.annotations') written.metadata.annotations = mergeNotes(written.metadata.annotations, value);
    else setAt(written as unknown as JsonObject, at.split('.'), value);
  }
  return written;
}

function setAt(obj: JsonObject, path: readonly string[], value: Json): void {
  const [first = '', ...rest] = path;
  if (rest.length > 0) {
    const inner = obj[first];
    if (isJsonObject(inner)) setAt(inner, rest, value);
    else if (value !== null) setMember(obj, first, nested(rest, value));
  } else if (value === null) delete obj[first];
  else obj[first] = value;
}

function nested(path: readonly string[], value: Json): Json {
  return path.reduceRight<Json>((inner, part) => ({ [part]: inner }), value);
}

type Notes = Record<string, string>;

/** Labels or annotations as a client wants them. Those of Rancher itself are not the client's to change, and what it does not name of `field.cattle.io` stays. */
function mergeNotes(present: Notes = {}, wanted: Json): Notes {
  const isField = (key: string) => key.startsWith('field.cattle.io/');
  const isOurs = (key: string) => !isField(key) && /(?:^|\.)cattle\.io\//.test(key);
  const merged = Object.entries(present).filter(([key]) => isOurs(key) || isField(key));
  const given = Object.entries(membersOf(wanted)).filter(([key, value]) => !(isOurs(key) && Object.hasOwn(present, key)) && value !== null);
  return Object.fromEntries([...merged, ...given.map(([key, value]): [string, string] => [key, String(value)])]);
}
