import { ClusterRole, ClusterRoleBinding, ServiceAccount } from '../../src/api/builtin-kinds.ts';
import type { PolicyRule } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { readJson } from '../../src/client/read-answer.ts';

/** A bearer token of a new service account with these rights everywhere. */
export async function accountToken(client: KubeClient, name: string, rules: PolicyRule[]): Promise<string> {
  const rbac = 'rbac.authorization.k8s.io';
  await client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name } });
  await client.create(ClusterRole, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  await client.create(ClusterRoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  });
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} });
  const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
  const res = await client.request({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
  return ((await readJson(res)) as unknown as { status: { token: string } }).status.token;
}
