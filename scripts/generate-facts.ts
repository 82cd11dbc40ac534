/**
 * Writes what Drover knows about the built-in kinds: src/apiserver/facts/*.json from the Go types (test/rig/kubernetes/facts), the
 * OpenAPI documents and the discovery of a real kube-apiserver, and src/api/kubernetes.ts from the published swagger. Prose stays out.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  fieldFlags,
  type FieldExtra,
  type FieldFact,
  type GroupFact,
  type StructExtra,
  type StructFact,
} from '../src/apiserver/facts/facts-format.ts';
import { goScalarNames, readStructs } from '../src/apiserver/facts/read-structs.ts';
import { schemaOfStruct } from '../src/apiserver/openapi/struct-schema.ts';
import type { ScalarName } from '../src/apiserver/schema/go-type.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../src/util/json.ts';
import { printKubernetesTypes, type Schema } from './kubernetes-types.ts';
import { startRealApiserver, type RealApiserver } from './real-apiserver.ts';

interface GoFacts {
  kinds: { group: string; version: string; kind: string; struct: string }[];
  structs: Record<string, { go: string; fields: GoFieldFact[] }>;
}

interface GoFieldFact {
  name: string;
  type: GoTypeFact;
  omitEmpty?: boolean;
  omitZero?: boolean;
  proto?: number[];
  embedded?: string[];
}

interface GoTypeFact {
  scalar?: ScalarName;
  struct?: string;
  list?: GoTypeFact;
  map?: GoTypeFact;
  go: string;
  pointer?: boolean;
  message?: boolean;
}

type Published = JsonObject & { properties?: Record<string, JsonObject>; required?: string[] };

const root = join(import.meta.dirname, '..');
const rig = join(root, 'test/rig/kubernetes');
const go = (...args: string[]) => execFileSync('go', args, { cwd: rig, encoding: 'utf8', maxBuffer: 1 << 26 });

await using server = await startRealApiserver();
const facts = JSON.parse(go('run', './facts')) as GoFacts;
const published = await fetchSchemas(server);
const structs = joinStructs(facts, published);
write('src/apiserver/facts/structs.json', compact(structs));
write('src/apiserver/facts/resources.json', compact(await fetchResources(server)));

const sources = go('list', '-m', '-f', '{{.Dir}}', 'k8s.io/kubernetes').trim();
const swagger = JSON.parse(readFileSync(join(sources, 'api/openapi-spec/swagger.json'), 'utf8')) as { definitions: Record<string, Schema> };
write('src/api/kubernetes.ts', printKubernetesTypes(swagger.definitions));

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

/** One line per struct, group or kind table, so that a new release of Kubernetes gives a readable difference. */
function compact(value: object): string {
  const lines = (list: readonly unknown[]) => `[\n${list.map(item => JSON.stringify(item)).join(',\n')}\n]`;
  if (Array.isArray(value)) return `${lines(value)}\n`;
  const entries = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}:${Array.isArray(v) ? lines(v) : JSON.stringify(v)}`);
  return `{\n${entries.join(',\n')}\n}\n`;
}

async function fetchSchemas(server: RealApiserver): Promise<Map<string, Published>> {
  const { paths } = (await server.fetchJson('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
  const schemas = new Map<string, Published>();
  for (const { serverRelativeURL } of Object.values(paths)) {
    const doc = (await server.fetchJson(serverRelativeURL)) as { components?: { schemas?: Record<string, Published> } };
    for (const [name, schema] of Object.entries(doc.components?.schemas ?? {})) schemas.set(name, withoutProse(schema) as Published);
  }
  return schemas;
}

function withoutProse(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withoutProse);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'description' || typeof value !== 'string')
      .map(([key, value]) => [key, withoutProse(value)]),
  );
}

function joinStructs({ kinds, structs }: GoFacts, published: Map<string, Published>) {
  const names = Object.keys(structs).sort();
  const index = new Map(names.map((name, i) => [name, i]));
  const file = {
    kinds: Object.fromEntries(kinds.map(k => [`${k.group}/${k.version}/${k.kind}`, index.get(k.struct)!])),
    structs: names.map((name): StructFact => {
      const schema = published.get(name);
      const mapType = schema?.['x-kubernetes-map-type'] as 'atomic' | 'granular' | undefined;
      const fields = structs[name]!.fields.map(field => joinField(field, schema, index));
      return [name, structs[name]!.go, fields, ...(mapType ? [{ mapType }] : [])] as unknown as StructFact;
    }),
  };
  const table = readStructs(file);
  return { ...file, structs: file.structs.map(fact => withOverrides(fact, schemaOfStruct(table.byName(fact[0])!, fact[3]), published)) };
}

/** Keeps what the server publishes and our derivation would get wrong. */
function withOverrides(fact: StructFact, derived: JsonObject, published: Map<string, Published>): StructFact {
  const [name, goType, fields, extra] = fact;
  const real = published.get(name);
  if (!real) return fact;
  const properties: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(real.properties ?? {}))
    if (!jsonEqual(schema, (derived['properties'] as JsonObject)[field])) properties[field] = schema;
  const schema: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(real))
    if (!['properties', 'x-kubernetes-group-version-kind'].includes(key) && !jsonEqual(value, derived[key])) schema[key] = value;
  const more: StructExtra = {
    ...extra,
    ...(Object.keys(schema).length > 0 && { schema }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
  return Object.keys(more).length > 0 ? [name, goType, fields, more] : fact;
}

function joinField(field: GoFieldFact, schema: Published | undefined, index: Map<string, number>): FieldFact {
  const property = schema?.properties?.[field.name] ?? {};
  const flags =
    (field.omitEmpty ? fieldFlags.omitEmpty : 0) |
    (field.omitZero ? fieldFlags.omitZero : 0) |
    (schema?.required?.includes(field.name) ? fieldFlags.required : 0);
  const extra: FieldExtra = pruned({
    enum: property['enum'],
    default: isImplied(property['default'], field) ? undefined : property['default'],
    list: property['x-kubernetes-list-type'],
    keys: property['x-kubernetes-list-map-keys'],
    map: property['x-kubernetes-map-type'],
    patch: property['x-kubernetes-patch-strategy'],
    mergeKey: property['x-kubernetes-patch-merge-key'],
    embedded: field.embedded,
  });
  const proto = field.proto?.length === 1 ? field.proto[0]! : (field.proto ?? 0);
  const fact: FieldFact = [field.name, typeText(field.type, index)[0], flags, proto];
  return Object.keys(extra).length > 0 ? ([...fact, extra] as unknown as FieldFact) : fact;
}

/** A zero default of what is always there, and an empty one of a struct, follow from the field. */
function isImplied(value: unknown, { omitEmpty, type }: GoFieldFact): boolean {
  if (type.pointer) return false;
  if (type.struct !== undefined) return isJsonObject(value) && Object.keys(value).length === 0;
  return !omitEmpty && (value === '' || value === 0 || value === false);
}

function pruned(extra: Record<string, unknown>): FieldExtra {
  return Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined)) as FieldExtra;
}

/** The type in the notation of facts-format.ts, and the name that its reader would give it. */
function typeText(type: GoTypeFact, index: Map<string, number>): [text: string, goName: string] {
  const [text, implied] = bareTypeText(type, index);
  const named = implied === type.go ? text : `@${type.go};${text}`;
  return [type.pointer ? `*${named}` : named, type.go];
}

function bareTypeText(type: GoTypeFact, index: Map<string, number>): [text: string, implied: string] {
  if (type.struct !== undefined) return [`#${index.get(type.struct)}`, type.go];
  if (type.scalar !== undefined) return [type.scalar, goScalarNames[type.scalar] ?? type.scalar];
  const [element, goName] = typeText((type.list ?? type.map)!, index);
  return type.list ? [`${type.message ? '<' : '['}${element}`, `[]${goName}`] : [`{${element}`, `map[string]${goName}`];
}

interface Discovered {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}

async function fetchResources(server: RealApiserver): Promise<GroupFact[]> {
  const { groups } = (await server.fetchJson('/apis')) as { groups: { name: string; versions: { version: string }[] }[] };
  const all = [{ name: '', versions: [{ version: 'v1' }] }, ...groups];
  return Promise.all(
    all.map(async ({ name: group, versions }) => ({
      group,
      versions: await Promise.all(
        versions.map(async ({ version }) => {
          const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
          const { resources } = (await server.fetchJson(path)) as { resources: Discovered[] };
          return { version, resources: resources.filter(r => !r.name.includes('/')).map(r => resourceFact(r, resources)) };
        }),
      ),
    })),
  );
}

function resourceFact(r: Discovered, all: Discovered[]) {
  const subresources = all
    .filter(sub => sub.name.startsWith(`${r.name}/`))
    .map(sub => ({
      name: sub.name.slice(r.name.length + 1),
      kind: sub.version === undefined ? sub.kind : `${sub.group ?? ''}/${sub.version}/${sub.kind}`,
      verbs: sub.verbs,
    }));
  return {
    resource: r.name,
    singular: r.singularName,
    kind: r.kind,
    namespaced: r.namespaced,
    verbs: r.verbs,
    ...(r.shortNames && { shortNames: r.shortNames }),
    ...(r.categories && { categories: r.categories }),
    ...(r.storageVersionHash && { storageVersionHash: r.storageVersionHash }),
    ...(subresources.length > 0 && { subresources }),
  };
}
