import type { TemplateResourceRef } from './effective-config.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import type { Credential } from './kinds/management.ts';
import type { JsonObject } from '../../util/json.ts';

export interface PropagatedIdentity {
  readonly templateResourceRefs: readonly TemplateResourceRef[];
  readonly policyRefs: readonly JsonObject[];
}

const nothing: PropagatedIdentity = { templateResourceRefs: [], policyRefs: [] };

/**
 * What the values of a ClusterDeployment's own services may ask for of its Credential: the identity, and the Secret that belongs to it. Whoever may write
 * in one namespace sees nothing of others by it.
 */
export function propagatedIdentity(cd: ClusterDeployment, credential: Credential | undefined): PropagatedIdentity {
  if (!credential || cd.spec.propagateCredentials === false) return nothing;
  const { identityRef } = credential.spec;
  const { kind = '', name = '', namespace = cd.metadata.namespace! } = identityRef;
  if (kind === '' || name === '') return nothing;
  if (namespace !== cd.metadata.namespace && cd.metadata.namespace !== systemNamespace) return nothing;
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: `${name}-secret` };
  return {
    templateResourceRefs: [
      { identifier: 'InfrastructureProviderIdentity', resource: { ...identityRef, namespace }, optional: true },
      ...(kind === 'Secret' ? [] : [{ identifier: 'InfrastructureProviderIdentitySecret', resource: secret, optional: true }]),
    ],
    policyRefs: [{ kind: 'ConfigMap', namespace, name: `${name}-resource-template`, deploymentType: 'Remote', optional: true }],
  };
}
