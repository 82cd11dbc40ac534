import type { Cluster } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import type { HubAccess } from '../../auth/hub-access.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { WebhookAddress } from '../../core/admission/register-webhooks.ts';
import type { Agents } from '../../core/clusters/ask-member.ts';
import type { MemberDirectory } from '../../core/clusters/member-directory.ts';
import type { RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { accessObjects } from './access/access-objects.ts';
import { runAccess } from './access/access.ts';
import { runRancherRegistration } from './admission/register-rancher.ts';
import { runRancherClusters } from './clusters/run-clusters.ts';
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
  /** The agents of clusters that are reached through a tunnel. */
  readonly agents?: Agents;
  readonly version: string;
  readonly admission: WebhookAddress;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Runs everything of Rancher, whose kinds must be installed. */
export function runRancher(deps: RancherDeps): RunningController[] {
  const { hub, clusters, works, members, admission, signal, onError } = deps;
  const access = accessObjects(hub, deps.objects.projects, { signal, onError });
  return [
    runRancherRegistration({ hub, address: admission, after: Promise.resolve(), signal }),
    ...runRancherClusters(deps),
    ...runAccess({ hub, objects: access, clusters, works, members, settings: deps.objects.settings, signal, onError }),
  ];
}
