import type { GroupVersionKind } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { structByName, structExtra, structOfKind } from '../facts/facts.ts';
import type { GoStruct } from '../schema/go-type.ts';
import { publishedCustomSchema, publishedListSchema } from './custom-schema.ts';
import { scalarSchemas, schemaOfStruct } from './struct-schema.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Schemas of custom kinds as their definitions declare them, by `group/version/Kind`. */
export type CustomSchemas = ReadonlyMap<string, JsonObject>;

export const customSchemaKey = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}/${kind}`;

/** `io.k8s.api.apps.v1.Deployment`, or the reversed group for custom kinds: `io.ex.v1.Widget`. */
export function schemaName(gvk: GroupVersionKind): string {
  const struct = structOfKind(gvk);
  if (struct) return struct.name;
  return [...gvk.group.split('.').reverse(), gvk.version, gvk.kind].join('.');
}

/** Finds schemas in their OpenAPI v3 form by name, for the document of one group version. */
export interface SchemaSource {
  schema(name: string): JsonObject | undefined;
  /** All the names, and those they refer to. */
  closure(names: Iterable<string>): Record<string, JsonObject>;
}

export interface CustomKind extends GroupVersionKind {
  readonly listKind: string;
}

/**
 * Kinds that exist in every group version (`DeleteOptions`, `WatchEvent`) are published as kinds of the core group and of `gvs`.
 */
export function schemaSource(gvs: readonly GroupVersion[], kinds: readonly CustomKind[], customSchemas: CustomSchemas): SchemaSource {
  const custom = new Map<string, () => JsonObject>();
  for (const gvk of kinds) {
    const { group, version, kind, listKind } = gvk;
    custom.set(schemaName(gvk), () => publishedCustomSchema({ group, version, kind }, customSchemas.get(customSchemaKey(gvk))));
    custom.set(schemaName({ group, version, kind: listKind }), () =>
      publishedListSchema({ group, version, kind: listKind }, schemaName(gvk)),
    );
  }
  const source: SchemaSource = {
    schema(name) {
      const made = custom.get(name);
      if (made) return made();
      const struct = structByName(name);
      if (!struct) return scalarSchemas[name];
      const published = schemaOfStruct(struct, structExtra(name));
      const gvks = gvksOf(struct, gvs);
      return gvks.length > 0 ? { ...published, 'x-kubernetes-group-version-kind': gvks } : published;
    },
    closure(names) {
      const found: Record<string, JsonObject> = {};
      const waiting = [...names];
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        if (Object.hasOwn(found, name)) continue;
        const schema = source.schema(name);
        if (!schema) throw new Error(`no schema is named "${name}"`);
        found[name] = schema;
        collectReferences(schema, waiting);
      }
      return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
  return source;
}

/** The group versions that clients of the real server know, served or not: documents of definitions name them all. */
export const clientGroupVersions: readonly GroupVersion[] = Object.entries({
  'admissionregistration.k8s.io': 'v1 v1alpha1 v1beta1',
  apps: 'v1 v1beta1 v1beta2',
  'authentication.k8s.io': 'v1 v1alpha1 v1beta1',
  'authorization.k8s.io': 'v1 v1beta1',
  autoscaling: 'v1 v2',
  batch: 'v1 v1beta1',
  'certificates.k8s.io': 'v1 v1alpha1 v1beta1',
  'coordination.k8s.io': 'v1 v1alpha2 v1beta1',
  'discovery.k8s.io': 'v1 v1beta1',
  'events.k8s.io': 'v1 v1beta1',
  extensions: 'v1beta1',
  'flowcontrol.apiserver.k8s.io': 'v1 v1beta1 v1beta2 v1beta3',
  'internal.apiserver.k8s.io': 'v1alpha1',
  'networking.k8s.io': 'v1 v1beta1',
  'node.k8s.io': 'v1 v1alpha1 v1beta1',
  policy: 'v1 v1beta1',
  'rbac.authorization.k8s.io': 'v1 v1alpha1 v1beta1',
  'resource.k8s.io': 'v1 v1alpha3 v1beta1 v1beta2',
  'scheduling.k8s.io': 'v1 v1alpha2 v1beta1',
  'storage.k8s.io': 'v1 v1alpha1 v1beta1',
  'storagemigration.k8s.io': 'v1beta1',
}).flatMap(([group, versions]) => versions.split(' ').map(version => ({ group, version })));

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const everywhere = new Set([`${meta}DeleteOptions`, `${meta}WatchEvent`]);
const unversioned = new Set([`${meta}Status`, `${meta}APIGroup`, `${meta}APIGroupList`, `${meta}APIResourceList`, `${meta}APIVersions`]);

function gvksOf(struct: GoStruct, gvs: readonly GroupVersion[]): JsonObject[] {
  const core = { group: '', version: 'v1' };
  const named = ({ group, version }: GroupVersion): JsonObject => ({ group, kind: struct.goName, version });
  if (everywhere.has(struct.name)) return [core, ...gvs.filter(gv => gv.group !== '' || gv.version !== 'v1')].map(named);
  if (unversioned.has(struct.name)) return [named(core)];
  if (struct.name.startsWith(meta)) return [];
  return (struct.gvks ?? []).map(({ group, kind, version }) => ({ group, kind, version }));
}

const prefix = '#/components/schemas/';

function collectReferences(value: Json, into: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collectReferences(item, into);
  } else if (isJsonObject(value)) {
    const ref = value['$ref'];
    if (typeof ref === 'string' && ref.startsWith(prefix)) into.push(ref.slice(prefix.length));
    for (const key in value) collectReferences(value[key]!, into);
  }
}
