import { Cluster } from '../../api/cluster.ts';
import type { Secret } from '../../api/builtin-kinds.ts';
import { newObject } from '../../api/define-kind.ts';
import { apiVersionOf, type OwnerReference } from '../../api/object.ts';
import { KarmadaCluster } from './karmada-cluster.ts';
import { isAutomaticTaint } from './mirror-status.ts';

/** The Secret of the credential in the namespace of the Cluster. */
export const copiedSecretName = 'karmada-credential';

/** What cannot be compiled, in words for the status. */
export class UncompilableError extends Error {}

/** The Cluster that a Karmada cluster stands for. */
export function compileCluster(karmada: KarmadaCluster, secret: Secret | undefined): Cluster {
  const { spec, metadata } = karmada;
  const { name = '', labels } = metadata;
  if (!spec.apiEndpoint) throw new UncompilableError('spec.apiEndpoint is not set');
  if (!spec.secretRef) throw new UncompilableError('spec.secretRef is not set');
  const secretName = `${spec.secretRef.namespace}/${spec.secretRef.name}`;
  if (!secret) throw new UncompilableError(`there is no Secret "${secretName}"`);
  if (!secret.data?.token) throw new UncompilableError(`Secret "${secretName}" has no key "token"`);
  const { caBundle } = secret.data;
  // What follows from the readiness of the Cluster is known there.
  const taints = (spec.taints ?? []).filter(one => !isAutomaticTaint(one));

  return newObject(
    Cluster,
    { name, ...(labels && { labels }), ownerReferences: [ownedBy(karmada)] },
    {
      connection: {
        mode: 'Direct',
        server: serverOf(spec.apiEndpoint),
        secretName: copiedSecretName,
        ...(spec.insecureSkipTLSVerification ? { insecureSkipTLSVerify: true } : caBundle && { caBundle }),
        ...(spec.proxyURL && { proxyURL: spec.proxyURL }),
      },
      ...(taints.length > 0 && { taints }),
    },
  );
}

/** Karmada also takes a bare host, with or without a port. */
function serverOf(endpoint: string): string {
  return /^https?:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`;
}

function ownedBy({ metadata }: KarmadaCluster): OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion: apiVersionOf(KarmadaCluster), kind: KarmadaCluster.kind, name, uid, controller: true };
}

export function isOwnedBy(cluster: Cluster, karmada: KarmadaCluster): boolean {
  return cluster.metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === karmada.metadata.uid) === true;
}
