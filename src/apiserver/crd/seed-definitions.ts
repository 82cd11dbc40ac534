import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { RevisionConflictError } from '../../store/store.ts';
import { cloneJson, type JsonObject } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import type { Cluster } from '../cluster.ts';
import type { Resource } from '../resource.ts';
import { shapeBody, typedObject } from '../verbs/decode-object.ts';
import { emptyOf, mergeTypes } from '../verbs/ownership.ts';
import { storageError } from '../verbs/storage-error.ts';
import { fillSystemFields } from '../verbs/system-fields.ts';
import { fieldManager as crdManager } from './crd-controller.ts';
import { newStatus } from './custom-resource-definition.ts';
import { condition, decideNames, withCondition } from './crd-names.ts';
import { crdResource, crdSpec, crdStatus } from './crd-object.ts';

/**
 * Writes definitions that are not there yet as applying them would leave them, established, all in one turn. They must be known to be valid, as those of
 * the program itself are: they are not checked again. One whose names are taken is left out.
 */
export async function seedDefinitions(cluster: Cluster, definitions: readonly KubeObject[], fieldManager: string): Promise<void> {
  const resource = cluster.catalog.find(crdResource)!;
  const now = new Date();
  const known = Map.groupBy(cluster.peekAll(crdResource), crd => crdSpec(crd).group);
  const writes: Promise<unknown>[] = [];
  for (const definition of definitions) {
    const name = definition.metadata.name ?? '';
    const { group } = crdSpec(definition);
    const others = known.get(group) ?? [];
    if (others.some(({ metadata }) => metadata.name === name)) continue;
    const crd = established(cluster, resource, definition, { fieldManager, now, others });
    if (!crd) continue;
    known.set(group, [...others, crd]);
    writes.push(cluster.store.write({ resource: resource.storeKey, namespace: '', name }, crd, undefined));
  }
  for (const { status, reason } of (await Promise.allSettled(writes)) as PromiseRejectedResult[])
    if (status === 'rejected' && !(reason instanceof RevisionConflictError)) throw storageError(reason);
}

interface Circumstances {
  readonly fieldManager: string;
  readonly now: Date;
  /** Definitions of the same group. */
  readonly others: readonly KubeObject[];
}

function established(cluster: Cluster, resource: Resource, definition: KubeObject, at: Circumstances): KubeObject | undefined {
  const crd = shapeBody(resource, typedObject(resource, cloneJson(definition) as unknown as JsonObject), []);
  resource.codec.setDefaults(crd);
  const time = timestamp(at.now);
  const { acceptedNames, namesAccepted } = decideNames({ ...crd, status: {} }, at.others);
  if (namesAccepted.status !== 'True') return undefined;
  const done = condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted');
  const conditions = withCondition(withCondition([], namesAccepted, time), done, time);
  const status = { conditions, acceptedNames, storedVersions: crdStatus(crd).storedVersions ?? [] };
  const managedFields = owners(cluster, resource, definition, { ...crd, status }, at);
  fillSystemFields(crd.metadata, at.now);
  return { ...crd, metadata: { ...crd.metadata, generation: 1, managedFields }, status } as unknown as KubeObject;
}

/** What a definition says of itself before its names were looked at. */
const firstStatus = (crd: KubeObject) => ({ ...newStatus(), storedVersions: crdStatus(crd).storedVersions ?? null });

/** Versions are owned as a whole, so what they hold does not matter here, and it is nearly everything. */
function owners(
  cluster: Cluster,
  resource: Resource,
  applied: KubeObject,
  crd: KubeObject,
  { fieldManager, now }: Circumstances,
): NonNullable<KubeObject['metadata']['managedFields']> {
  const write = {
    apiVersion: apiVersionOf(resource),
    mergeTypeOf: mergeTypes(cluster, resource),
    resetFields: resource.strategy.resetFields!,
    now,
    ...emptyOf(resource),
  };
  const short = { ...applied, spec: { ...crdSpec(applied), versions: [] } } as unknown as KubeObject;
  const live = applyConfiguration({
    ...write,
    live: undefined,
    applied: short,
    manager: fieldManager,
    force: true,
    subresource: '',
    kind: resource.kind,
  });
  const created = { ...live, status: firstStatus(crd) } as KubeObject;
  const next = { ...live, metadata: { ...live.metadata }, status: crd['status'] } as KubeObject;
  recordUpdate({ ...write, live: created, next, manager: crdManager, subresource: 'status' });
  return next.metadata.managedFields ?? [];
}
