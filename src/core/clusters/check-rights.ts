import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { memberNamespace } from './member-account.ts';

interface ResourceAttributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
}

interface SelfSubjectAccessReview extends KubeObject {
  spec: { resourceAttributes: ResourceAttributes };
  status?: { allowed: boolean };
}

const SelfSubjectAccessReview: KindRef<SelfSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  resource: 'selfsubjectaccessreviews',
  scope: 'Cluster',
};

const rbac = 'rbac.authorization.k8s.io';

/** What somebody must be allowed to do on a cluster to join it. */
const needed: readonly ResourceAttributes[] = [
  { verb: 'create', resource: 'namespaces' },
  { verb: 'create', resource: 'serviceaccounts', namespace: memberNamespace },
  { verb: 'create', resource: 'secrets', namespace: memberNamespace },
  { verb: 'get', resource: 'secrets', namespace: memberNamespace },
  { verb: 'create', group: rbac, resource: 'clusterroles' },
  { verb: 'escalate', group: rbac, resource: 'clusterroles' },
  { verb: 'create', group: rbac, resource: 'clusterrolebindings' },
  { verb: 'bind', group: rbac, resource: 'clusterroles' },
];

/** Asks the cluster before anything is changed on it. Throws with all that is missing. */
export async function checkRights(member: KubeClient, call: CallOptions): Promise<void> {
  const reviews = await Promise.all(
    needed.map(resourceAttributes =>
      member.create(
        SelfSubjectAccessReview,
        { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', metadata: {}, spec: { resourceAttributes } },
        call,
      ),
    ),
  );
  const missing = needed.filter((_, i) => reviews[i]?.status?.allowed !== true);
  if (missing.length === 0) return;
  const words = missing.map(({ verb, group, resource, namespace }) => {
    const what = group === undefined ? resource : `${resource}.${group}`;
    return `${verb} ${what}${namespace === undefined ? '' : ` in namespace "${namespace}"`}`;
  });
  throw new Error(`your account on the cluster may not ${words.join(', nor ')}; joining takes an administrator of the cluster`);
}
