import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { settingDefaults, type HubFacts } from './clusters/setting-names.ts';
import { settings, type Settings } from './clusters/settings.ts';
import { ManagementCluster } from './kinds/cluster.ts';
import { Project } from './kinds/project.ts';
import { Setting } from './kinds/setting.ts';

/** What the gateway and the controllers of Rancher both read. */
export interface RancherObjects {
  readonly settings: Settings;
  readonly managementClusters: Informer<ManagementCluster>;
  /** With index `cluster`: by the id of the cluster. */
  readonly projects: Informer<Project>;
}

interface InformerSettings {
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

export function rancherObjects(hub: KubeClient, facts: HubFacts, { signal, onError }: InformerSettings): RancherObjects {
  return {
    settings: settings(informer(hub, Setting, { signal, onError: onError('Setting') }), settingDefaults(facts)),
    managementClusters: informer(hub, ManagementCluster, {
      signal,
      keep: withoutManagedFields,
      onError: onError('management.cattle.io Cluster'),
    }),
    projects: informer(hub, Project, {
      signal,
      keep: withoutManagedFields,
      indexes: { cluster: ({ metadata }) => [metadata.namespace ?? ''] },
      onError: onError('Project'),
    }),
  };
}

/** Who wrote which field is a large part of an object, and nobody here asks. */
export function withoutManagedFields<T extends { metadata: object }>(obj: T): T {
  const { managedFields: _, ...metadata } = obj.metadata as { managedFields?: unknown };
  return { ...obj, metadata } as T;
}
