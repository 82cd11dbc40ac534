import { Namespace } from '../../api/builtin-kinds.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { mapBounded } from '../../util/map-bounded.ts';

/** To which project of which hub a namespace belongs: on the annotation `<cluster>:<project>`, on the label the project alone. */
const projectId = 'field.cattle.io/projectId';
/** What else a hub leaves on the namespaces of its projects. */
const marks = [
  'cattle.io/status',
  'field.cattle.io/creatorId',
  'field.cattle.io/resourceQuotaTemplateId',
  'lifecycle.cattle.io/create.namespace-auth',
];
const atOnce = 8;

/** Takes off the namespaces of a member what ties them to projects of the hub it leaves. Those of another hub are left alone. */
export async function cleanNamespaces(member: KubeClient, clusterId: string, call: CallOptions): Promise<void> {
  const { items } = await member.list(Namespace, call);
  const ours = items.filter(({ metadata }) => metadata.annotations?.[projectId]?.startsWith(`${clusterId}:`));
  await mapBounded(ours, atOnce, async ({ metadata: { name = '' } }) => {
    const annotations = Object.fromEntries([projectId, ...marks].map(key => [key, null]));
    const body = { metadata: { labels: { [projectId]: null }, annotations } };
    await member.patch(Namespace, { name }, { type: 'merge', body }, call);
  });
}
