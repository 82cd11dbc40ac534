import type { Cluster } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import type { HubAccess } from '../../auth/hub-access.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { MemberDirectory } from '../../core/clusters/member-directory.ts';
import type { RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { RancherObjects } from './rancher-objects.ts';

export interface RancherDeps {
  readonly hub: KubeClient;
  readonly access: HubAccess;
  readonly objects: RancherObjects;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly members: MemberDirectory;
  readonly version: string;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Runs everything of Rancher, whose kinds must be installed. */
export function runRancher(_deps: RancherDeps): RunningController[] {
  return [];
}
