import type { Secret } from '../../../api/builtin-kinds.ts';
import { clusterConditions, clusterReasons, type Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { deliveryAnnotations } from '../names.ts';
import { tokenIdOf } from './rancher-answers.ts';

/** The Secret in the namespace of a cluster of a provider, with the token for it. */
export const rancherSecretName = 'rancher-credential';

const maxAgeMs = 12 * 3_600_000;
/** A cluster that refuses a new token would refuse the next one too. */
const restMs = 60_000;

export const tokenOf = (secret: Secret | undefined): string => Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString('utf8');

/** Whether the token for a cluster must be made anew. Absent, by another server, after twelve hours, or when the cluster refuses it. */
export function isTokenDue(
  secret: Secret | undefined,
  cluster: Cluster,
  { url, now }: { readonly url: string; readonly now: Date },
): boolean {
  const { annotations = {} } = secret?.metadata ?? {};
  const ageMs = now.getTime() - Date.parse(annotations[deliveryAnnotations.generatedAt] ?? '');
  if (tokenOf(secret) === '' || Number.isNaN(ageMs) || annotations[deliveryAnnotations.generatedBy] !== url) return true;
  return ageMs >= maxAgeMs || (isRefused(cluster) && ageMs >= restMs);
}

export const isRefused = (cluster: Cluster): boolean =>
  findCondition(cluster, clusterConditions.ready)?.reason === clusterReasons.credentialRefused;

/** The Secret with a new token, which says which one is still to be deleted. */
export function secretWithToken(
  before: Secret | undefined,
  { namespace, token, url, now }: { readonly namespace: string; readonly token: string; readonly url: string; readonly now: Date },
): Pick<Secret, 'metadata' | 'type' | 'data'> {
  const old = before?.metadata.annotations?.[deliveryAnnotations.generatedBy] === url ? tokenIdOf(tokenOf(before)) : undefined;
  const annotations = {
    [deliveryAnnotations.generatedAt]: now.toISOString(),
    [deliveryAnnotations.generatedBy]: url,
    ...(old !== undefined && old !== tokenIdOf(token) && { [deliveryAnnotations.replacedToken]: old }),
  };
  return {
    metadata: { namespace, name: rancherSecretName, annotations },
    type: 'Opaque',
    data: { token: Buffer.from(token).toString('base64') },
  };
}
