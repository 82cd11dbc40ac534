import type { Cluster } from '../../../api/cluster.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { UnreachableError } from '../../../client/transport.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { openMember, type Member } from '../../../core/delivery/member.ts';
import { refKey, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { ReleaseName } from '../release/book.ts';
import { placesOfRecords } from '../release/read-book.ts';

export interface MemberSightDeps {
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly members: Pick<MemberDirectory, 'client'>;
  readonly signal: AbortSignal;
}

/** The members as steps look at them: by the id of the cluster. */
export interface MemberSight {
  /** Throws UnreachableError when there is no way to it. */
  open(id: string): Member;
}

export function memberSight({ clusters, members, signal }: MemberSightDeps): MemberSight {
  const open = new Map<string, { readonly client: KubeClient; readonly member: Member & AsyncDisposable }>();
  clusters.subscribe(({ type, object }) => {
    if (type === 'DELETED') open.delete(clusterId(object));
  });
  return {
    open(id) {
      const [cluster] = clusters.by('id', id);
      if (!cluster) throw new UnreachableError(`there is no cluster with the id "${id}"`);
      const client = members.client(cluster.metadata.name!);
      const present = open.get(id);
      if (present?.client === client) return present.member;
      const member = openMember(cluster.metadata.name!, client, { signal });
      open.set(id, { client, member });
      return member;
    },
  };
}

const atOnce = 8;

/** The objects of a member, by `refKey`. Those that are not there, and kinds that it does not have, are left out. */
export async function readObjects(
  member: Member,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KubeObject>> {
  const found = await mapBounded(refs, atOnce, async (ref): Promise<[string, KubeObject][]> => {
    const kind: KindRef | undefined = await member.kinds.find(ref, signal);
    const obj = kind && (await member.client.get(kind, ref, { signal }));
    return obj ? [[refKey(ref), obj]] : [];
  });
  return new Map(found.flat());
}

/** All objects of a kind in a namespace. */
export async function listObjects(member: Member, of: Omit<ObjectRef, 'name'>, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const kind: KindRef | undefined = await member.kinds.find(of, signal);
  if (!kind) return [];
  const { items } = await member.client.list(kind, { ...(of.namespace !== undefined && { namespace: of.namespace }), signal });
  // Items of lists do not say what they are.
  return items.map(item => ({ ...item, apiVersion: of.group === '' ? of.version : `${of.group}/${of.version}`, kind: of.kind }));
}

/** What a member knows of the releases that another hub, or Harness, made. */
export async function readRecords(member: Member, release: ReleaseName, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { labelSelector, legacy } = placesOfRecords(release);
  const { items } = await member.client.list(Secret, { namespace: release.namespace, labelSelector, signal });
  const old = await readObjects(member, legacy, signal);
  return [...items.map(item => ({ ...item, apiVersion: 'v1', kind: 'Secret' }) as unknown as KubeObject), ...old.values()];
}
