import type { KubeObject } from '../../../api/object.ts';
import { refKey, refOf } from '../../../core/delivery/object-ref.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../../util/json.ts';
import { isMarked, ownAnnotations, renamed, withAnnotations } from './marks.ts';
import { isCore, podSpecOf, withPodSpec } from './pod-template.ts';

export interface VersioningInput {
  readonly number: number;
  readonly prefix: string;
  /** Where versions of earlier releases are looked for, when what has not changed keeps its name. */
  readonly reuseFrom?: readonly KubeObject[];
}

export const isConfig = (obj: KubeObject): boolean => isCore(obj, 'ConfigMap') || isCore(obj, 'Secret');

export const isVersionable = (obj: KubeObject, prefix: string): boolean => isConfig(obj) && !isMarked(obj, prefix, 'skip-versioning');

/** Gives ConfigMaps and Secrets names that bear the number of the release, and has the pods of the manifests use them. */
export function versionConfig(objects: readonly KubeObject[], { number, prefix, reuseFrom = [] }: VersioningInput): KubeObject[] {
  const versions = new Map<string, KubeObject>();
  for (const obj of objects) {
    if (!isVersionable(obj, prefix)) continue;
    versions.set(refKey(refOf(obj)), unchanged(obj, reuseFrom) ?? versionOf(obj, number));
  }
  const nameOf = (kind: string, name: string, namespace: string | undefined): string =>
    versions.get(refKey({ group: '', version: 'v1', kind, name, ...(namespace !== undefined && { namespace }) }))?.metadata.name ?? name;
  return objects.map(obj => versions.get(refKey(refOf(obj))) ?? withReferences(obj, nameOf));
}

function versionOf(obj: KubeObject, number: number): KubeObject {
  const name = obj.metadata.name ?? '';
  return withAnnotations(renamed(obj, `${name}-${number}`), { [ownAnnotations.versionedName]: name });
}

/** The newest version of the same content. */
function unchanged(obj: KubeObject, present: readonly KubeObject[]): KubeObject | undefined {
  const same = present.filter(
    one => one.kind === obj.kind && isConfig(one) && jsonEqual(versionOf(obj, 0), renamed(one, `${originalName(one) ?? ''}-0`)),
  );
  return same.toSorted((a, b) => suffixOf(b) - suffixOf(a))[0];
}

export const originalName = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[ownAnnotations.versionedName];

const suffixOf = ({ metadata }: KubeObject): number => Number(/-([0-9]+)$/.exec(metadata.name ?? '')?.[1] ?? 0);

type NameOf = (kind: string, name: string, namespace: string | undefined) => string;

/** The kinds whose references are followed are those that have a pod spec we know. */
function withReferences(obj: KubeObject, nameOf: NameOf): KubeObject {
  const pod = podSpecOf(obj);
  if (!pod) return obj;
  const next = mapPodReferences(pod, (kind, name) => nameOf(kind, name, obj.metadata.namespace));
  return next === pod ? obj : withPodSpec(obj, next);
}

/** The ConfigMaps and Secrets that the pods of a workload name. */
export function referencesOf(obj: KubeObject): { kind: 'ConfigMap' | 'Secret'; name: string }[] {
  const found: { kind: 'ConfigMap' | 'Secret'; name: string }[] = [];
  const pod = podSpecOf(obj);
  if (pod)
    mapPodReferences(pod, (kind, name) => {
      found.push({ kind, name });
      return name;
    });
  return found;
}

type Rename = (kind: 'ConfigMap' | 'Secret', name: string) => string;

/** The same pod, when no name changes. */
function mapPodReferences(pod: JsonObject, rename: Rename): JsonObject {
  const container = (one: Json): Json => mapFields(one, { env: list(variable), envFrom: list(source) });
  const named =
    (kind: 'ConfigMap' | 'Secret', field = 'name') =>
    (ref: Json): Json =>
      isJsonObject(ref) && typeof ref[field] === 'string' ? replace(ref, field, rename(kind, ref[field])) : ref;
  const either = (map: string, secret: string) => (one: Json) => mapFields(one, { [map]: named('ConfigMap'), [secret]: named('Secret') });
  const source = either('configMapRef', 'secretRef');
  const variable = (one: Json): Json => mapFields(one, { valueFrom: either('configMapKeyRef', 'secretKeyRef') });
  const projection = (one: Json): Json => mapFields(one, { sources: list(either('configMap', 'secret')) });
  const volume = (one: Json): Json =>
    mapFields(one, { configMap: named('ConfigMap'), secret: named('Secret', 'secretName'), projected: projection });
  return mapFields(pod, {
    containers: list(container),
    initContainers: list(container),
    volumes: list(volume),
    imagePullSecrets: list(named('Secret')),
  }) as JsonObject;
}

const list =
  (change: (item: Json) => Json) =>
  (value: Json): Json => {
    if (!Array.isArray(value)) return value;
    const next = value.map(change);
    return next.every((item, i) => item === value[i]) ? value : next;
  };

function mapFields(value: Json, changes: Readonly<Record<string, (value: Json) => Json>>): Json {
  if (!isJsonObject(value)) return value;
  let next = value;
  for (const [field, change] of Object.entries(changes)) {
    const present = value[field];
    if (present !== undefined) next = replace(next, field, change(present));
  }
  return next;
}

const replace = (value: JsonObject, field: string, next: Json): JsonObject => (value[field] === next ? value : { ...value, [field]: next });
