import { LRUCache } from 'lru-cache';
import { Cluster, clusterConditions } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { Work, workConditions } from '../../../api/work.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { informer } from '../../../runtime/informer.ts';
import { isSignedIn } from '../identity/identity-names.ts';
import { untilKnown } from '../identity/until-known.ts';
import { localId } from '../names.ts';
import { accessAnnotations, accessManager, clusterWorkName } from './access-names.ts';

/** Waits until what Rancher's people may do on a member stands there. Others are not kept, nor is anybody when it takes too long: the member decides what they may. */
export type EnterMember = (cluster: Cluster, user: UserInfo) => Promise<void>;

export interface EnterMemberDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly signal: AbortSignal;
  onError(error: unknown): void;
}

const timeoutMs = 5_000;
const remembered = 10_000;
/** A member that did not get it in time is not waited for again at once. */
const askedAgainMs = 30_000;

/** Nothing of Rancher is put on a member before somebody needs it. The first who comes through the hub's door is the one who does. */
export function enterMember({ hub, signal, onError }: EnterMemberDeps): EnterMember {
  const entries = new LRUCache<string, Promise<void>>({ max: remembered, ttl: askedAgainMs });
  const open = new LRUCache<string, true>({ max: remembered });

  return async (cluster, user) => {
    const { uid = '' } = cluster.metadata;
    if (clusterId(cluster) === localId || open.has(uid) || !isSignedIn(user) || isLost(cluster)) return;
    let entry = entries.get(uid);
    if (!entry) entries.set(uid, (entry = enter(cluster, uid).catch(onError)));
    await entry;
  };

  async function enter(cluster: Cluster, uid: string): Promise<void> {
    const [namespace, name] = [clusterId(cluster), clusterWorkName];
    const present = await hub.get(Work, { namespace, name }, { timeoutMs, signal });
    if (!present) await mark(cluster);
    if (isApplied(present) || (await arrives(namespace, name))) open.set(uid, true);
  }

  async function mark({ metadata: { name = '' } }: Cluster): Promise<void> {
    const body = { metadata: { annotations: { [accessAnnotations.entered]: 'true' } } };
    await hub.patch(Cluster, { name }, { type: 'merge', body }, { timeoutMs, signal, fieldManager: accessManager });
  }

  async function arrives(namespace: string, name: string): Promise<boolean> {
    const watching = new AbortController();
    const works = informer(hub, Work, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      signal: AbortSignal.any([signal, watching.signal]),
      onError,
    });
    const key = `${namespace}/${name}`;
    await untilKnown(works, key, isApplied);
    watching.abort();
    return isApplied(works.get(key));
  }
}

const isLost = (cluster: Cluster) => findCondition(cluster, clusterConditions.connected)?.status === 'False';
const isApplied = (work: Work | undefined) => work !== undefined && findCondition(work, workConditions.applied)?.status === 'True';
