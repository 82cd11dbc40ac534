import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAllowed, person, RancherObjectsInMemory, says, type Fields } from '../../../../test/helpers/rancher-world.ts';
import { Namespace } from '../../../api/builtin-kinds.ts';
import type { AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { everything, mayManage } from '../access/builtin-rule.ts';
import { ClusterRegistrationToken, ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { GlobalRole, GlobalRoleBinding } from '../kinds/role.ts';
import { Setting } from '../kinds/setting.ts';
import { rancherLabels } from '../names.ts';
import { noteCreator } from './creator.ts';
import { bindingSuffix, nameBinding } from './name-binding.ts';

const cluster = 'c-aaaaa';
const ann = person('u-ann');
const admin = person('u-admin');
const creatorId = 'field.cattle.io/creatorId';

function start(): RancherObjectsInMemory {
  const hub = new RancherObjectsInMemory();
  for (const name of ['local', cluster]) hub.put(ManagementCluster, { name }, { spec: {} });
  hub.put(GlobalRole, { name: 'admin' }, { rules: everything });
  hub.put(GlobalRoleBinding, { name: 'grb-1' }, { globalRoleName: 'admin', userName: 'u-admin' });
  return hub;
}

const creating = (object: Fields, name = 'u-ann') => ({ object, user: { name, groups: [] } }) as unknown as AdmissionRequest;

test('a binding without a name is named by what it says', async () => {
  const binding = { metadata: { generateName: 'crtb-' }, userName: 'u-b', roleTemplateName: 'cluster-owner', clusterName: cluster };
  const { patch } = await nameBinding(creating(binding));
  // printf u-b/cluster-owner/c-aaaaa | sha256sum | xxd -r -p | base32 | tr A-Z a-z | cut -c1-10
  assert.deepEqual(patch, [{ op: 'add', path: '/metadata/name', value: 'crtb-gjdjx6oev5' }]);
  assert.deepEqual(await nameBinding(creating({ ...binding, metadata: { name: 'mine' } })), {});
  const word = fc.string({ minLength: 1 });
  const scope = fc.record({ userName: word, roleTemplateName: word, clusterName: word });
  fc.assert(fc.property(scope, one => /^[a-z2-7]{10}$/.test(bindingSuffix(one)) && bindingSuffix(one) === bindingSuffix({ ...one })));
});

test('who makes a cluster is noted, and cannot be somebody else', async () => {
  const hub = start();
  const made = await noteCreator(creating({ metadata: { name: 'x', annotations: { a: 'b' } } }));
  assert.deepEqual(made.patch, [{ op: 'add', path: '/metadata/annotations', value: { a: 'b', [creatorId]: 'u-ann' } }]);
  assert.deepEqual(await noteCreator(creating({ metadata: {} }, 'kubernetes-admin')), {});
  assert.deepEqual(await noteCreator(creating({ metadata: { annotations: { 'field.cattle.io/no-creator-rbac': 'true' } } })), {});
  const write = (annotations: Record<string, string>) =>
    hub.write(ann, ProvisioningCluster, { namespace: 'fleet-default', name: 'x' }, { spec: {} }, { annotations });
  says(await write({ [creatorId]: 'u-other' }), 422, /must be the user who creates it/);
  says(await write({ [creatorId]: 'u-ann', 'field.cattle.io/no-creator-rbac': 'true' }), 422, /there is no creator/);
  says(await write({ [creatorId]: 'u-ann', 'field.cattle.io/creator-principal-name': 'local://u-other' }), 422, /principal of the creator/);
  isAllowed(await write({ [creatorId]: 'u-ann', 'field.cattle.io/creator-principal-name': 'local://u-ann' }));
  says(await write({ [creatorId]: 'u-other' }), 422, /annotation is immutable/);
  isAllowed(await write({}));
  says(await write({ [creatorId]: 'u-ann' }), 422, /annotation is immutable/);
});

test('nobody takes the cluster of somebody else by naming its id', async () => {
  const hub = start();
  const write = (by: typeof ann, id: string, name = 'x') =>
    hub.write(
      by,
      ProvisioningCluster,
      { namespace: 'fleet-default', name },
      { spec: {} },
      { annotations: { 'provisioning.cattle.io/management-cluster-name': id } },
    );
  says(await write(ann, cluster), 422, /the id is taken/);
  says(await write(ann, '../x'), 422, /must match/);
  isAllowed(await write(ann, 'c-m-abcdefgh'));
  says(await write(ann, 'c-m-bbbbbbbb'), 422, /annotation is immutable/);
  isAllowed(await write(admin, cluster, 'y'));
  const pairing = { annotations: { 'drover.io/cluster': 'production' } };
  says(await hub.write(ann, ManagementCluster, { name: 'c-bbbbb' }, { spec: {} }, pairing), 422, /only the hub itself writes it/);
  says(await hub.write(ann, ManagementCluster, { name: 'c-bbbbb' }, { spec: { internal: true } }), 422, /only the hub itself is internal/);
  says(await hub.remove(admin, ManagementCluster, { name: 'local' }), 403, /the hub itself/);
  isAllowed(await hub.remove(admin, ManagementCluster, { name: cluster }));
});

test('variables of agents that would break them are refused', async () => {
  const hub = start();
  const write = (name: string, value: string) =>
    hub.write(ann, ProvisioningCluster, { namespace: 'fleet-default', name: 'x' }, { spec: { agentEnvVars: [{ name, value }] } });
  says(await write('NO_PROXY', 'a, b'), 422, /must not contain spaces/);
  says(await write('CATTLE_AGENT_VAR_DIR', '/x'), 422, /cannot be set/);
  isAllowed(await write('NO_PROXY', 'a,b'));
});

test('a registration token is for the cluster of its namespace', async () => {
  const hub = start();
  const write = (spec: Fields, namespace = cluster) =>
    hub.write(ann, ClusterRegistrationToken, { namespace, name: 'default-token' }, { spec });
  says(await write({ clusterName: 'local' }), 422, /must be the namespace/);
  says(await write({ clusterName: 'c-zzzzz' }, 'c-zzzzz'), 422, /Not found/);
  says(await write({ clusterName: cluster, ttl: 1 }), 422, /at least 30 minutes/);
  isAllowed(await write({ clusterName: cluster, ttl: 0, gracePeriod: 10 }));
  says(await write({ clusterName: 'local' }), 422, /immutable/);
});

test('projects stay in their cluster, and their quotas fit', async () => {
  const hub = start();
  const write = (spec: Fields, namespace = cluster) =>
    hub.write(ann, Project, { namespace, name: 'p-1' }, { spec: { clusterName: cluster, displayName: 'p', ...spec } });
  says(await write({}, 'local'), 422, /must be the namespace, "local"/);
  says(await write({ clusterName: 'c-zzzzz' }, 'c-zzzzz'), 422, /Not found/);
  const quota = (limit: Fields, byDefault: Fields, more: Fields = {}) => ({
    resourceQuota: { limit },
    namespaceDefaultResourceQuota: { limit: byDefault },
    ...more,
  });
  says(await write(quota({ pods: '10' }, {})), 422, /namespaceDefaultResourceQuota.limit.pods: Required value/);
  says(await write(quota({}, { pods: '1' })), 422, /resourceQuota.limit.pods: Required value/);
  says(await write(quota({ limitsCpu: '1500m' }, { limitsCpu: '2' })), 422, /more than the project has/);
  says(await write(quota({ pods: 'many' }, { pods: '1' })), 422, /must be an amount/);
  says(await write({ containerDefaultResourceLimit: { requestsCpu: '2', limitsCpu: '1' } }), 422, /more than limitsCpu/);
  isAllowed(await write(quota({ pods: '10', limitsMemory: '1Gi' }, { pods: '10', limitsMemory: '512Mi' })));
  says(await write({ clusterName: 'local' }), 422, /clusterName: Forbidden: field is immutable/);
  hub.put(
    Project,
    { namespace: cluster, name: 'p-1' },
    {
      spec: {
        clusterName: cluster,
        displayName: 'p',
        resourceQuota: { limit: { pods: '9' }, usedLimit: { pods: '5' } },
        namespaceDefaultResourceQuota: { limit: { pods: '1' } },
      },
    },
  );
  says(
    await write({
      resourceQuota: { limit: { pods: '4' }, usedLimit: { pods: '5' } },
      namespaceDefaultResourceQuota: { limit: { pods: '1' } },
    }),
    422,
    /use more already/,
  );
  says(
    await write({ resourceQuota: { limit: { pods: '4' } }, namespaceDefaultResourceQuota: { limit: { pods: '1' } } }),
    422,
    /use more already/,
  );
  says(
    await write({
      resourceQuota: { limit: { pods: '9' }, usedLimit: { pods: '0' } },
      namespaceDefaultResourceQuota: { limit: { pods: '1' } },
    }),
    422,
    /only the hub itself counts/,
  );
});

test('the project of the system goes only with its cluster', async () => {
  const hub = start();
  const key = { namespace: cluster, name: 'p-sys' };
  const spec = { clusterName: cluster, displayName: 'System' };
  hub.put(Project, key, { spec }, { labels: { [rancherLabels.systemProject]: 'true' } });
  says(await hub.remove(ann, Project, key), 403, /stays as long as its cluster/);
  says(await hub.write(ann, Project, key, { spec }), 422, /only the hub itself writes it/);
  hub.put(Namespace, { name: cluster }, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  isAllowed(await hub.remove(ann, Project, key));
});

test('settings take only what they can mean', async () => {
  const hub = start();
  hub.put(GlobalRole, { name: 'settings' }, { rules: [mayManage(['*'], 'settings')] });
  hub.put(GlobalRoleBinding, { name: 'grb-2' }, { globalRoleName: 'settings', userName: 'u-ann' });
  const write = (name: string, value: string, metadata = {}) => hub.write(ann, Setting, { name }, { value }, metadata);
  says(await write('auth-user-session-ttl-minutes', 'soon'), 422, /whole number/);
  says(await write('public-api-body-limit', 'much'), 422, /amount such as 1Mi/);
  isAllowed(await write('public-api-body-limit', '2Mi'));
  says(await write('system-namespaces', 'kube-system,Not A Name'), 422, /"Not A Name" is none/);
  isAllowed(await write('system-namespaces', 'kube-system, cattle-system,'));
  says(await write('server-url', 'https://hub.example.com/; rm -rf ~'), 422, /URL of the hub/);
  says(await write('server-url', 'https://user:secret@hub.example.com'), 422, /URL of the hub/);
  isAllowed(await write('server-url', 'https://hub.example.com:8443'));
  says(await write('cacerts', 'x'), 422, /those that the hub has/);
  says(await write('agent-tls-mode', 'none'), 422, /Unsupported value/);
  isAllowed(await write('agent-tls-mode', 'system-store'));
  says(await write('agent-tls-mode', 'strict'), 422, /"c-aaaaa" cannot do/);
  isAllowed(await write('agent-tls-mode', 'strict', { annotations: { 'cattle.io/force': 'true' } }));
  isAllowed(await write('agent-tls-mode', 'system-store'));
  hub.put(ManagementCluster, { name: cluster }, { spec: {}, status: { conditions: [{ type: 'AgentTlsStrictCheck', status: 'True' }] } });
  isAllowed(await write('agent-tls-mode', 'strict'));
  isAllowed(await write('ui-brand', 'anything at all'));
});

test('namespaces of the hub itself stay', async () => {
  const hub = start();
  for (const name of ['local', 'fleet-local']) says(await hub.remove(admin, Namespace, { name }), 403, /the hub itself/);
});
