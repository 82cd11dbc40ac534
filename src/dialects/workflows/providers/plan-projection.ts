import { createHash } from 'node:crypto';
import { localClusterName } from '../../../core/clusters/local-cluster.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { isDns1123Subdomain, isLabelValue, isQualifiedName } from '../../../api/names.ts';
import { clusterId, shortHash } from '../../../core/clusters/cluster-id.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { RancherCluster } from './rancher-answers.ts';

/** A cluster of a provider as it is to be on the hub. */
export interface Projected {
  readonly listed: RancherCluster;
  readonly name: string;
  /** Absent: made from the uid. */
  readonly id: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** As it is now. Absent: it is to be made. */
  readonly present: Cluster | undefined;
}

export interface ProjectionPlan {
  readonly projected: readonly Projected[];
  /** Those of which the provider tells no more, first seen now. */
  readonly missed: readonly Cluster[];
  /** Those that have been missing for long enough. */
  readonly gone: readonly Cluster[];
}

export interface ProjectionInput {
  readonly provider: string;
  readonly listed: readonly RancherCluster[];
  /** All clusters of the hub. */
  readonly clusters: readonly Cluster[];
  readonly now: Date;
  /** A server that is being changed may leave clusters out of one answer. */
  readonly graceMs: number;
}

const idForm = /^(c-[a-z0-9]{5}|c-m-[a-z0-9]{8})$/;

export const isOfProvider = ({ metadata }: Cluster, provider: string): boolean => metadata.labels?.[deliveryLabels.provider] === provider;
export const rancherIdOf = ({ metadata }: Cluster): string | undefined => metadata.annotations?.[deliveryAnnotations.rancherId];

/** What is to become of the clusters of a provider on this hub. What others made is never touched. */
export function planProjection({ provider, listed, clusters, now, graceMs }: ProjectionInput): ProjectionPlan {
  const own = clusters.filter(one => isOfProvider(one, provider));
  const present = new Map(own.filter(isStaying).map(one => [rancherIdOf(one), one]));
  const leaving = new Set(own.filter(one => !isStaying(one)).map(rancherIdOf));
  const names = new Set(clusters.map(one => one.metadata.name!));
  const ids = new Set(clusters.map(clusterId));
  const projected: Projected[] = [];
  for (const one of listed) {
    // One that still leaves under the same identity comes back when it has left.
    if (leaving.has(one.id)) continue;
    const known = present.get(one.id);
    const name = known?.metadata.name ?? freeName(one, provider, names);
    const id = known ? known.spec.id : freeId(one.id, ids);
    names.add(name);
    if (id !== undefined) ids.add(id);
    projected.push({ listed: one, name, id, labels: labelsOf(one, provider), present: known });
  }
  const told = new Set(listed.map(one => one.id));
  const missing = own.filter(one => isStaying(one) && !told.has(rancherIdOf(one) ?? ''));
  const isOver = ({ metadata }: Cluster): boolean => {
    const since = metadata.annotations?.[deliveryAnnotations.missingSince];
    return since !== undefined && now.getTime() - Date.parse(since) >= graceMs;
  };
  const isNew = ({ metadata }: Cluster): boolean => metadata.annotations?.[deliveryAnnotations.missingSince] === undefined;
  return { projected, missed: missing.filter(isNew), gone: missing.filter(isOver) };
}

const isStaying = ({ metadata }: Cluster): boolean => metadata.deletionTimestamp === undefined;

/** What people call it, or, where that is taken or no name, something that begins so. */
function freeName({ id, name }: RancherCluster, provider: string, taken: ReadonlySet<string>): string {
  const isFree = (text: string) => isDns1123Subdomain(text).length === 0 && !taken.has(text) && text !== localClusterName;
  if (isFree(name)) return name;
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 200);
  const stem = isDns1123Subdomain(plain).length === 0 ? plain : 'cluster';
  return `${stem}-${shortHash(`${provider}/${id}`, 6)}`;
}

function freeId(id: string, taken: ReadonlySet<string>): string | undefined {
  return idForm.test(id) && !taken.has(id) ? id : undefined;
}

/** Those of the provider as they are, but for what the hub would refuse. */
function labelsOf({ labels }: RancherCluster, provider: string): Record<string, string> {
  const fit = Object.entries(labels).filter(([key, value]) => isQualifiedName(key).length === 0 && isLabelValue(value).length === 0);
  return { ...Object.fromEntries(fit), [deliveryLabels.provider]: provider };
}

/** Whether what was last made of it is still what is wanted. */
export function projectionDigest({ listed, name, labels }: Projected, connection: object): string {
  const covered = [listed.id, listed.name, name, Object.entries(labels).sort(), connection];
  return createHash('sha256').update(JSON.stringify(covered)).digest('hex').slice(0, 32);
}
