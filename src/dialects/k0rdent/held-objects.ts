import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Member } from '../../core/delivery/member.ts';
import { refText, type ObjectRef } from '../../core/delivery/object-ref.ts';
import { capiClusterOf, capiGroup } from './capi-cluster.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import type { ReadObject } from './read-hub-object.ts';

/** On a ClusterDeployment: what its chart holds back from deletion, as `<apiVersion> <kind> <name>`, with commas between them. */
export const heldObjectsAnnotation = 'k0rdent.mirantis.com/held-objects';

const isOfCapi = (group: string): boolean => group === capiGroup || group.endsWith(`.${capiGroup}`);

/** The value of the annotation for what a chart makes: Machines need the infrastructure of their cluster until the last of them has gone. */
export function heldObjectsIn(objects: readonly KubeObject[], namespace: string): string | undefined {
  const held = objects.filter(
    ({ apiVersion, metadata }) =>
      metadata.finalizers?.includes(k0rdentFinalizers.cleanup) &&
      metadata.namespace === namespace &&
      isOfCapi(parseApiVersion(apiVersion).group),
  );
  const texts = held.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
  return texts.length === 0 ? undefined : texts.sort().join(',');
}

/** Whoever may write the ClusterDeployment may write the annotation: it reaches no other namespace and nothing but Cluster API. */
export function heldObjectsOf({ metadata }: ClusterDeployment): ObjectRef[] {
  return (metadata.annotations?.[heldObjectsAnnotation] ?? '').split(',').flatMap(text => {
    const [apiVersion = '', kind = '', name = ''] = text.split(' ');
    const { group, version } = parseApiVersion(apiVersion);
    return isOfCapi(group) && kind !== '' && name !== '' ? [{ group, version, kind, namespace: metadata.namespace!, name }] : [];
  });
}

export interface ReleaseHeldDeps {
  readonly hub: KubeClient;
  readonly hubObjects: Pick<Member, 'kinds'>;
}

export interface ReleaseHeldOptions {
  readonly read: ReadObject;
  /** Whether the chart has gone, so that nothing makes Machines any more. */
  readonly isUninstalled: boolean;
  /** Whether Machines do not count. */
  readonly isHurried: boolean;
  readonly signal: AbortSignal;
}

/** Lets go what the chart held back, as soon as no Machines are left that need it. Answers what is still held. */
export async function releaseHeldObjects(
  cd: ClusterDeployment,
  { hub, hubObjects }: ReleaseHeldDeps,
  { read, isUninstalled, isHurried, signal }: ReleaseHeldOptions,
): Promise<string[]> {
  const held: string[] = [];
  let machines: Promise<boolean> | undefined;
  for (const ref of heldObjectsOf(cd)) {
    const obj = await read(ref);
    if (!obj?.metadata.finalizers?.includes(k0rdentFinalizers.cleanup)) continue;
    const isLeaving = isUninstalled || obj.metadata.deletionTimestamp !== undefined;
    const kind = await hubObjects.kinds.find(ref, signal);
    if (!kind) continue;
    if (isHurried || (isLeaving && !(await (machines ??= hasMachines(cd, { hub, hubObjects }, signal)))))
      await removeFinalizer(hub, kind, obj, k0rdentFinalizers.cleanup, { signal });
    else held.push(refText(ref));
  }
  return held;
}

async function hasMachines(cd: ClusterDeployment, { hub, hubObjects }: ReleaseHeldDeps, signal: AbortSignal): Promise<boolean> {
  const { version = 'v1beta2', name = cd.metadata.name! } = capiClusterOf(cd) ?? {};
  const kind = await hubObjects.kinds.find({ group: capiGroup, version, kind: 'Machine' }, signal);
  if (!kind) return false;
  const labelSelector = `${capiGroup}/cluster-name=${name}`;
  const { items } = await hub.list(kind, { namespace: cd.metadata.namespace!, labelSelector, signal });
  return items.length > 0;
}
