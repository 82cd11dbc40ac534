import { createApiServer } from '../apiserver/api-server.ts';
import type { Cluster } from '../apiserver/cluster.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import { defaultStorageClass } from './controllers/volume/provision-volume.ts';
import { storageClasses } from './controllers/volume/volume-resources.ts';
import { memoryJournal } from '../store/journal.ts';
import { baseTime, StoreBase } from '../store/store-base.ts';
import { Store } from '../store/store.ts';

/** Tells by which authority clients are known, and that is each cluster's own. */
const ownConfigMap = 'extension-apiserver-authentication';

/**
 * What every sandbox cluster holds from its first second, made by a cluster that comes to rest and is then taken apart: thousands
 * of others begin where it ended.
 */
export function makeSharedBase(pki: Pki): Promise<StoreBase> {
  return makeBase(pki, async cluster => void (await cluster.create(storageClasses, defaultStorageClass)));
}

/** What a cluster holds that has come to rest after its first start, and after somebody filled it. */
export async function makeBase(pki: Pki, fill: (cluster: Cluster) => Promise<void> = async () => {}): Promise<StoreBase> {
  const store = await Store.open(memoryJournal());
  const api = await createApiServer({ store, pki, now: () => baseTime });
  await fill(api.cluster);
  await api.idle();
  const base = StoreBase.fromStore(store, ({ resource, name }) => resource !== '/configmaps' || name !== ownConfigMap);
  await api.close();
  await store.close();
  return base;
}

/** Resources of the base that a server looks after when it starts. In a store that changed none of them there is nothing to look for. */
export const bootstrapResources: readonly string[] = [
  '/namespaces',
  '/services',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'networking.k8s.io/servicecidrs',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
  'scheduling.k8s.io/priorityclasses',
];
