import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupVersionKind } from '../../api/object.ts';
import type { GoStruct } from '../schema/go-type.ts';
import type { GroupFact, ResourceFact, ResourcesFile, StructExtra, StructsFile } from './facts-format.ts';
import { readStructs, type StructTable } from './read-structs.ts';

/** A built-in resource as the discovery of the real server describes it. */
export interface BuiltinResourceFact {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly storageVersionHash: string;
  readonly subresources: readonly { readonly name: string; readonly kind: GroupVersionKind; readonly verbs: readonly string[] }[];
}

let structs: StructTable | undefined;
let resources: readonly BuiltinResourceFact[] | undefined;

function structTable(): StructTable {
  return (structs ??= readStructs(readFacts('structs.json') as StructsFile));
}

/** Kinds that every group version has (`DeleteOptions`, `Status`, …) are found under any group and version. */
export function structOfKind(gvk: GroupVersionKind): GoStruct | undefined {
  return structTable().byKind(gvk);
}

export function structByName(name: string): GoStruct | undefined {
  return structTable().byName(name);
}

export function structExtra(name: string): StructExtra | undefined {
  return structTable().extraOf(name);
}

/** In the order in which the server lists groups, versions and resources; the core group comes first. */
export function builtinResources(): readonly BuiltinResourceFact[] {
  return (resources ??= (readFacts('resources.json') as ResourcesFile).flatMap(resourcesOfGroup));
}

function readFacts(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
}

function resourcesOfGroup({ group, versions }: GroupFact): BuiltinResourceFact[] {
  return versions.flatMap(({ version, resources }) => resources.map(fact => resourceOf({ group, version }, fact)));
}

function resourceOf(gv: { group: string; version: string }, fact: ResourceFact): BuiltinResourceFact {
  return {
    ...gv,
    resource: fact.resource,
    singular: fact.singular,
    kind: fact.kind,
    listKind: `${fact.kind}List`,
    namespaced: fact.namespaced,
    verbs: fact.verbs,
    shortNames: fact.shortNames ?? [],
    categories: fact.categories ?? [],
    storageVersionHash: fact.storageVersionHash ?? '',
    subresources: (fact.subresources ?? []).map(sub => ({ ...sub, kind: kindOf(gv, sub.kind) })),
  };
}

function kindOf(gv: { group: string; version: string }, text: string): GroupVersionKind {
  const [first, version, kind] = text.split('/') as [string, string?, string?];
  return version === undefined || kind === undefined ? { ...gv, kind: first } : { group: first, version, kind };
}
