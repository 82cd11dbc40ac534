import { apiVersionOf, type KubeObject } from '../api/object.ts';
import { builtinConversion, builtinStorageVersions } from './builtin/conversions.ts';
import { deprecationWarnings, otherKinds } from './builtin/kinds.ts';
import { workloadKinds } from './builtin/workloads.ts';
import type { BuiltinKind } from './builtin/builtin-kind.ts';
import { customResourceDefinitionKind } from './crd/custom-resource-definition.ts';
import { builtinResources, structOfKind, type BuiltinResourceFact } from './facts/facts.ts';
import type { Codec, Resource } from './resource.ts';
import { mergeTypeOfStruct } from './schema/builtin-merge-type.ts';
import { GoJsonError, undecodableBody } from './schema/go-json-error.ts';
import { settleStruct } from './schema/settle.ts';
import { shapeObject } from './schema/shape.ts';
import type { GoStruct } from './schema/go-type.ts';
import type { JsonObject } from '../util/json.ts';

const kinds: Readonly<Record<string, BuiltinKind>> = {
  ...otherKinds,
  ...workloadKinds,
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinitionKind,
};

/** Kinds whose versions live in two groups but in one store. */
const sharedStores: Readonly<Record<string, string>> = { 'events.k8s.io/events': '/events' };

let resources: readonly Resource[] | undefined;

/** Every built-in resource in every version served, in the order of discovery. Shared by all clusters of the process. */
export function allBuiltinResources(): readonly Resource[] {
  return (resources ??= builtinResources().map(resourceOf));
}

function resourceOf(fact: BuiltinResourceFact): Resource {
  const own = `${fact.group}/${fact.resource}`;
  const kind = kinds[`${fact.group}/${fact.kind}`];
  const struct = structOfKind(fact);
  if (!struct) throw new Error(`no facts about ${fact.group}/${fact.version} ${fact.kind}`);
  const warning = deprecationWarnings[`${apiVersionOf(fact)}/${fact.kind}`];
  const hasStatus = fact.subresources.some(s => s.name === 'status');
  return {
    ...fact,
    isCustom: false,
    storeKey: sharedStores[own] ?? own,
    codec: builtinCodec(fact, struct, kind),
    strategy: { hasStatus, ...kind?.strategy },
    get mergeType() {
      return mergeTypeOfStruct(struct);
    },
    selectableFields: kind?.selectableFields ?? {},
    ...(warning !== undefined && { deprecationWarning: warning }),
  };
}

function builtinCodec(fact: BuiltinResourceFact, struct: GoStruct, kind: BuiltinKind | undefined): Codec {
  const apiVersion = apiVersionOf(fact);
  const storageVersion = builtinStorageVersions[`${fact.group}/${fact.resource}`] ?? apiVersion;
  const fromStorage = builtinConversion(storageVersion, apiVersion, fact.kind)!;
  const toStorage = builtinConversion(apiVersion, storageVersion, fact.kind)!;
  return {
    goType: struct,
    shape(body, problems) {
      try {
        const shaped = shapeObject(struct, body as unknown as JsonObject, problems) as unknown as KubeObject;
        shaped.kind = fact.kind;
        shaped.apiVersion = apiVersion;
        shaped.metadata ??= {};
        return shaped;
      } catch (error) {
        if (error instanceof GoJsonError) throw undecodableBody(fact.kind, fact.version, error);
        throw error;
      }
    },
    setDefaults: obj => kind?.setDefaults?.(obj),
    settle: obj => settleStruct(struct)?.(obj as unknown as JsonObject) ?? false,
    fromStorage,
    toStorage,
    isStorageVersion: stored => stored.apiVersion === apiVersion,
  };
}
