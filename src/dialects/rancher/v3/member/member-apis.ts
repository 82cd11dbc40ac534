import { LRUCache } from 'lru-cache';
import { Cluster, clusterConditions } from '../../../../api/cluster.ts';
import { findCondition } from '../../../../api/conditions.ts';
import type { KindRef } from '../../../../api/define-kind.ts';
import { notFoundError } from '../../../../api/status.ts';
import type { HubAccess } from '../../../../auth/hub-access.ts';
import type { UserInfo } from '../../../../auth/user.ts';
import { clientWithHeaders } from '../../../../client/client-with-headers.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import type { Transport } from '../../../../client/transport.ts';
import { clusterId } from '../../../../core/clusters/cluster-id.ts';
import { impersonationHeaders } from '../../../../proxy/member-identity.ts';
import { ManagementCluster } from '../../kinds/cluster.ts';
import { localId } from '../../names.ts';
import { rightsDesk, type CallerRights } from '../caller-rights.ts';

export interface MemberApisDeps {
  readonly access: HubAccess;
  /** By id, or else by name. */
  findCluster(ref: string): Cluster | undefined;
  /** Throws when there is no way to the member. */
  transportOf(cluster: Cluster, user: UserInfo): Transport | Promise<Transport>;
}

/** The API of one cluster with the rights that one caller has there. */
export interface MemberApi {
  readonly id: string;
  readonly client: KubeClient;
  readonly rights: CallerRights;
}

/** The APIs of members, for views that must never see more than their caller. */
export interface MemberApis {
  /** Throws 404 for clusters that the caller may not know of as for those that are not there, and UnreachableError. */
  open(caller: UserInfo, ref: string): Promise<MemberApi>;
}

/** Nobody is kept waiting for a member that is known to be lost; one that has just returned answers in time. */
const lostAnswerMs = 4_000;
const remembered = 1000;

export function memberApis({ access, findCluster, transportOf }: MemberApisDeps): MemberApis {
  // Rights on one cluster say nothing about another.
  const desks = new LRUCache<string, ReturnType<typeof rightsDesk>>({ max: remembered });

  return {
    async open(caller, ref) {
      const cluster = findCluster(ref);
      if (!cluster && ref === localId) return openHub(caller);
      if (!cluster || !(await mayKnow(caller, Cluster, cluster.metadata.name ?? ''))) throw notFoundError(Cluster, ref);
      const transport = await transportOf(cluster, caller);
      const client = clientWithHeaders(isLost(cluster) ? impatient(transport) : transport, impersonationHeaders(caller));
      return { id: clusterId(cluster), client, rights: rightsOn(cluster.metadata.uid ?? ref, caller, client) };
    },
  };

  /** The hub as one of its own members. */
  async function openHub(caller: UserInfo): Promise<MemberApi> {
    if (!(await mayKnow(caller, ManagementCluster, localId))) throw notFoundError(Cluster, localId);
    const client = access.as(caller);
    return { id: localId, client, rights: rightsOn(localId, caller, client) };
  }

  async function mayKnow(caller: UserInfo, { group, version, resource }: KindRef, name: string): Promise<boolean> {
    const wanted = { isResource: true, verb: 'get', group, version, resource, subresource: '', namespace: '', name } as const;
    return (await access.authorize(caller, wanted)).allowed;
  }

  function rightsOn(key: string, caller: UserInfo, client: KubeClient): CallerRights {
    const desk = desks.get(key) ?? rightsDesk();
    desks.set(key, desk);
    return desk.of(caller, client);
  }
}

const isLost = (cluster: Cluster) => findCondition(cluster, clusterConditions.connected)?.status === 'False';

function impatient(transport: Transport): Pick<Transport, 'request'> {
  return { request: req => transport.request({ ...req, answerTimeoutMs: lostAnswerMs }) };
}
