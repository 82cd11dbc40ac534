/**
 * Writes what kustomize knows of built-in kinds: which lists merge and by which keys, which kinds have no namespace, and which fields its
 * transformers touch. Read from the sources of the kustomize that test/rig pins.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { goModuleDir, repositoryRoot } from '../test/helpers/rig.ts';
import type { FieldSpecFact, KustomizeFacts, NameReferenceFact, TypeFact } from '../src/render/kustomize/facts.ts';
import { readYaml } from '../src/yaml/read-yaml.ts';

interface Definition {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Record<string, Definition>;
  readonly items?: Definition;
  readonly additionalProperties?: Definition | boolean;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-list-map-keys'?: string[];
}

interface Bundle {
  readonly definitions: Record<string, Definition>;
  readonly resources: { apiVersion: string; kind: string; definition?: string; scope?: string }[];
}

const kyaml = path.join(goModuleDir('kustomize', 'sigs.k8s.io/kustomize/kyaml'), 'openapi');
const constants = path.join(goModuleDir('kustomize', 'sigs.k8s.io/kustomize/api'), 'internal/konfig/builtinpluginconsts');

const bundle = readBundle();
const types: TypeFact[] = [];
const typeOfDefinition = new Map<string, number>();
const kinds: Record<string, number> = {};
for (const { apiVersion, kind, definition } of bundle.resources) {
  if (definition !== undefined) kinds[`${apiVersion} ${kind}`] = typeNumber(definition);
}

const facts: KustomizeFacts = { kinds, types: types.map(withoutIdle), clusterScoped: readClusterScoped(), fieldSpecs: readFieldSpecs() };
writeFileSync(path.join(repositoryRoot, 'src/render/kustomize/facts.json'), print(facts));

function readBundle(): Bundle {
  const folder = path.join(kyaml, 'kubernetesapi/data');
  const [name = ''] = readdirSync(folder);
  return JSON.parse(gunzipSync(readFileSync(path.join(folder, name))).toString('utf8')) as Bundle;
}

function typeNumber(name: string): number {
  const known = typeOfDefinition.get(name);
  if (known !== undefined) return known;
  const number = types.length;
  typeOfDefinition.set(name, number);
  const fields: TypeFact = {};
  types.push(fields);
  for (const [field, schema] of Object.entries(bundle.definitions[name]?.properties ?? {})) {
    const fact = fieldFact(schema);
    if (fact !== undefined) fields[field] = fact;
  }
  return number;
}

/** Scalars and lists that are replaced whole are left out: nothing is merged inside them. */
function fieldFact(schema: Definition): TypeFact[string] | undefined {
  if (schema.$ref !== undefined) return typeNumber(schema.$ref.replace('#/definitions/', ''));
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (schema.type === 'array') {
    if (!strategy?.split(',').includes('merge')) return undefined;
    const key = schema['x-kubernetes-patch-merge-key'];
    const keys = schema['x-kubernetes-list-map-keys'] ?? (key === undefined ? [] : [key]);
    return [schema.items?.$ref === undefined ? -1 : typeNumber(schema.items.$ref.replace('#/definitions/', '')), ...keys];
  }
  if (schema.type !== 'object') return undefined;
  const values = schema.additionalProperties;
  if (typeof values !== 'object' || values.$ref === undefined) return -1;
  types.push({ '*': typeNumber(values.$ref.replace('#/definitions/', '')) });
  return types.length - 1;
}

function leadsToMerge(number: number, seen = new Set<number>()): boolean {
  if (number < 0 || seen.has(number)) return false;
  seen.add(number);
  return Object.values(types[number]!).some(fact => Array.isArray(fact) || leadsToMerge(fact as number, seen));
}

/** Types without a merging list inside need no table. */
function withoutIdle(fields: TypeFact): TypeFact {
  return Object.fromEntries(
    Object.entries(fields).map(([name, fact]) => [name, Array.isArray(fact) || leadsToMerge(fact) ? fact : -1] as const),
  );
}

function readClusterScoped(): string[] {
  const source = readFileSync(path.join(kyaml, 'openapi.go'), 'utf8');
  const written = [...source.matchAll(/\{APIVersion: "([^"]+)", Kind: "([^"]+)"\}:\s*false/g)].map(
    ([, version, kind]) => `${version} ${kind}`,
  );
  const bundled = bundle.resources.filter(({ scope }) => scope === 'Cluster').map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  return [...new Set([...written, ...bundled])].sort();
}

interface WrittenSpec {
  readonly path?: string;
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly create?: boolean;
  readonly fieldSpecs?: WrittenSpec[];
}

function readFieldSpecs(): KustomizeFacts['fieldSpecs'] {
  const texts = readConstants();
  const specs: Record<string, FieldSpecFact[] | NameReferenceFact[]> = {};
  for (const text of texts.values()) {
    if (!/^\s*\w+:\n/.test(text)) continue;
    for (const [name, list] of Object.entries(readYaml(text).value as unknown as Record<string, WrittenSpec[]>)) {
      specs[name] = name === 'nameReference' ? list.map(nameReference) : list.map(fieldSpec);
    }
  }
  return specs as KustomizeFacts['fieldSpecs'];
}

function fieldSpec({ path: at = '', kind = '', group = '', version = '', create = false }: WrittenSpec): FieldSpecFact {
  return [at, kind, group, version, create ? 1 : 0];
}

function nameReference({ kind = '', group = '', version = '', fieldSpecs = [] }: WrittenSpec): NameReferenceFact {
  return [kind, group, version, fieldSpecs.map(fieldSpec)];
}

/** Go's string constants by name: raw strings, and names of others, joined with `+`. */
function readConstants(): Map<string, string> {
  const parts = new Map<string, string[]>();
  const constant = /(\w+) = ((?:`[^`]*`|\w+)(?:\s*\+\s*(?:`[^`]*`|\w+))*)/g;
  for (const file of readdirSync(constants)) {
    for (const [, name = '', value = ''] of readFileSync(path.join(constants, file), 'utf8').matchAll(constant)) {
      if (value.includes('`')) parts.set(name, value.match(/`[^`]*`|\w+(?=\s*(?:\+|$))/g) ?? []);
    }
  }
  const textOf = (part: string): string => (part.startsWith('`') ? part.slice(1, -1) : (parts.get(part) ?? []).map(textOf).join(''));
  return new Map([...parts].map(([name, list]) => [name, list.map(textOf).join('')]));
}

/** One line per table or type, so that a new release gives a readable difference. */
function print({ kinds: byKind, types: list, clusterScoped, fieldSpecs }: KustomizeFacts): string {
  const lines = (values: readonly unknown[]) => `[\n${values.map(value => JSON.stringify(value)).join(',\n')}\n]`;
  const specs = Object.entries(fieldSpecs).map(([name, value]) => `${JSON.stringify(name)}:${lines(value)}`);
  return `{\n"kinds":${JSON.stringify(byKind)},\n"types":${lines(list)},\n"clusterScoped":${JSON.stringify(clusterScoped)},\n"fieldSpecs":{\n${specs.join(',\n')}\n}\n}\n`;
}
