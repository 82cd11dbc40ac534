import { Cluster } from '../../../api/cluster.ts';
import type { CallOptions, KubeClient } from '../../../client/kube-client.ts';
import { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { pairingAnnotations } from '../names.ts';
import { agree, type Agreement, type Faces } from './agreed-facts.ts';
import { fieldManager } from './field-manager.ts';

/** Makes all faces of a cluster say the same about it. */
export async function shareFacts(hub: KubeClient, known: Faces, call: CallOptions): Promise<void> {
  if (isAgreement(agree(known))) return;
  // Memory can be behind what was written a moment ago, and would then take it back.
  const faces = await readFaces(hub, known, call);
  if (!faces) return;
  const { management, cluster, provisioning } = agree(faces);
  const options = { ...call, fieldManager };
  if (faces.cluster && cluster)
    await hub.patch(Cluster, { name: faces.cluster.metadata.name! }, { type: 'merge', body: { metadata: { labels: cluster } } }, options);
  const { labels, annotations } = provisioning;
  if (faces.provisioning && (labels || annotations)) {
    const { namespace = '', name = '' } = faces.provisioning.metadata;
    const body = { metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
    await hub.patch(ProvisioningCluster, { namespace, name }, { type: 'merge', body }, options);
  }
  // What was agreed on is written down last: whoever is stopped before finds the same changes again.
  await writeManagement(hub, faces.management, management, options);
}

async function writeManagement(
  hub: KubeClient,
  { metadata: { name = '' } }: ManagementCluster,
  { labels, description, agreed }: Agreement['management'],
  options: CallOptions,
): Promise<void> {
  if (!labels && description === undefined && agreed === undefined) return;
  const metadata = { ...(labels && { labels }), ...(agreed !== undefined && { annotations: { [pairingAnnotations.agreed]: agreed } }) };
  const body = { metadata, ...(description !== undefined && { spec: { description } }) };
  await hub.patch(ManagementCluster, { name }, { type: 'merge', body }, options);
}

function isAgreement({ management, cluster, provisioning }: Agreement): boolean {
  const { labels, description, agreed } = management;
  return !labels && description === undefined && agreed === undefined && !cluster && !provisioning.labels && !provisioning.annotations;
}

/** Undefined when one of them has gone meanwhile. */
async function readFaces(hub: KubeClient, known: Faces, call: CallOptions): Promise<Faces | undefined> {
  const management = await hub.get(ManagementCluster, { name: known.management.metadata.name! }, call);
  const cluster = known.cluster && (await hub.get(Cluster, { name: known.cluster.metadata.name! }, call));
  const { namespace, name = '' } = known.provisioning?.metadata ?? {};
  const provisioning = known.provisioning && (await hub.get(ProvisioningCluster, { namespace, name }, call));
  const isWhole = management && !cluster === !known.cluster && !provisioning === !known.provisioning;
  return isWhole ? { management, cluster, provisioning } : undefined;
}
