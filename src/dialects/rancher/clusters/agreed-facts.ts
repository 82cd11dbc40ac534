import { isJsonObject } from '../../../util/json.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { pairingAnnotations, rancherAnnotations } from '../names.ts';
import { changeOf, mergeFacts, type Side } from './merge-facts.ts';

/** What all faces of a cluster say alike. */
export interface Agreed {
  readonly labels: Readonly<Record<string, string>>;
  readonly description?: string | undefined;
}

export const printAgreed = ({ labels, description }: Agreed): string =>
  JSON.stringify({ labels: Object.fromEntries(Object.entries(labels).sort()), ...(description !== undefined && { description }) });

/** Nothing when it was never written, or somebody else has written it. */
export function parseAgreed(text: string | undefined): Agreed {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isJsonObject(value)) return { labels: {} };
    const { labels, description } = value;
    const known = isJsonObject(labels) ? Object.entries(labels).filter((one): one is [string, string] => typeof one[1] === 'string') : [];
    return { labels: Object.fromEntries(known), ...(typeof description === 'string' && { description }) };
  } catch {
    return { labels: {} };
  }
}

export interface Faces {
  readonly management: ManagementCluster;
  readonly cluster: Cluster | undefined;
  readonly provisioning: ProvisioningCluster | undefined;
}

type Change = Record<string, string | null> | undefined;

/** What must be written where for all faces of a cluster to say the same. */
export interface Agreement {
  readonly management: { readonly labels: Change; readonly description: string | null | undefined; readonly agreed: string | undefined };
  readonly cluster: Change;
  readonly provisioning: { readonly labels: Change; readonly annotations: Change };
}

/** Labels are the same everywhere, the description on the two Clusters of Rancher. */
export function agree({ management, cluster, provisioning }: Faces): Agreement {
  const text = management.metadata.annotations?.[pairingAnnotations.agreed];
  const base = parseAgreed(text);
  const labels = mergeFacts(base.labels, [management, cluster, provisioning].flatMap(labelsSide));
  const described = mergeFacts(describe(base.description), descriptionSides(management, provisioning));
  const agreed = printAgreed({ labels, description: described['description'] });
  const description = changeOf(describe(management.spec.description), described);
  const onProvisioning = provisioning && changeOf(describe(descriptionOf(provisioning)), described);
  return {
    management: {
      labels: changeOf(management.metadata.labels ?? {}, labels),
      description: description?.['description'],
      agreed: agreed === text ? undefined : agreed,
    },
    cluster: cluster && changeOf(cluster.metadata.labels ?? {}, labels),
    provisioning: {
      labels: provisioning && changeOf(provisioning.metadata.labels ?? {}, labels),
      annotations: onProvisioning && { [rancherAnnotations.description]: onProvisioning['description'] ?? null },
    },
  };
}

const descriptionOf = ({ metadata }: ProvisioningCluster) => metadata.annotations?.[rancherAnnotations.description];

const describe = (description: string | undefined): Record<string, string> => (description ? { description } : {});

const labelsSide = (obj: { metadata: { labels?: Record<string, string>; resourceVersion?: string } } | undefined): Side[] =>
  obj ? [{ facts: obj.metadata.labels ?? {}, version: obj.metadata.resourceVersion ?? '' }] : [];

function descriptionSides(management: ManagementCluster, provisioning: ProvisioningCluster | undefined): Side[] {
  return [
    { facts: describe(management.spec.description), version: management.metadata.resourceVersion ?? '' },
    ...(provisioning ? [{ facts: describe(descriptionOf(provisioning)), version: provisioning.metadata.resourceVersion ?? '' }] : []),
  ];
}
