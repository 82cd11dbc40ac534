import { jsonEqual, type JsonObject } from '../../util/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Cluster } from '../cluster.ts';
import { crdResource, isConditionTrue } from './crd-object.ts';
import { resourcesOf, type CustomResourceDeps } from './custom-resources.ts';

/** Keeps a catalog in step with the definitions in its cluster. */
export interface ServedDefinitions extends Disposable {
  /** The schemas of all custom resources, made anew when the catalog has changed. */
  schemas(make: () => Map<string, JsonObject>): Map<string, JsonObject>;
}

/** Serves every established definition, in the turn in which it becomes visible; ends the watches of those that change. */
export function serveDefinitions(cluster: Cluster, deps: CustomResourceDeps): ServedDefinitions {
  for (const crd of cluster.peekAll(crdResource)) serve(crd);
  const subscription = cluster.subscribe(({ type, resource, obj, old }) => {
    if (resource.resource !== crdResource.resource || resource.group !== crdResource.group) return;
    if (type === 'DELETED') withdraw(obj);
    else if (!old || changes(old, obj)) serve(obj);
  });
  let kept: { generation: number; schemas: Map<string, JsonObject> } | undefined;

  return {
    schemas(make) {
      if (kept?.generation !== cluster.catalog.generation) kept = { generation: cluster.catalog.generation, schemas: make() };
      return kept.schemas;
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };

  function serve(crd: KubeObject): void {
    const name = crd.metadata.name!;
    const before = cluster.catalog.customOf(name);
    if (!serves(crd)) return withdraw(crd);
    cluster.catalog.setCustom(name, resourcesOf(crd, deps));
    if (before.length > 0) cluster.watches.endAll(before[0]!.storeKey);
  }

  function withdraw(crd: KubeObject): void {
    const name = crd.metadata.name!;
    const [before] = cluster.catalog.customOf(name);
    cluster.catalog.setCustom(name, []);
    if (before) cluster.watches.endAll(before.storeKey);
  }
}

const serves = (crd: KubeObject) => isConditionTrue(crd, 'Established');

/** A definition serves something else when its spec, its accepted names or its end have changed. */
function changes(old: KubeObject, next: KubeObject): boolean {
  const accepted = (crd: KubeObject) => (crd.status as { acceptedNames?: object } | undefined)?.acceptedNames;
  return (
    serves(old) !== serves(next) ||
    old.metadata.generation !== next.metadata.generation ||
    old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp ||
    isConditionTrue(old, 'Terminating') !== isConditionTrue(next, 'Terminating') ||
    !jsonEqual(accepted(old), accepted(next))
  );
}
