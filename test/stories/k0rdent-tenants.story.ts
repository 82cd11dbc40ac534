import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  becomes,
  conditionOf,
  k0rdentVersion,
  multiClusterService,
  patient,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const team = 'team-a';
const dev = { tier: 'dev' };
/** Members of other namespaces than the system's have those in their name. */
const ofTeamMember = `${team}-team-cluster`;

const clusterDeployment = (namespace: string, name: string, serviceSpec: object = {}) => ({
  apiVersion: k0rdentVersion,
  kind: 'ClusterDeployment',
  metadata: { name, namespace, labels: dev },
  spec: { template: 'sandbox-1-0-0', config: {}, serviceSpec },
});
const ofTeam = (name: string, spec: object) => ({
  apiVersion: 'drover.io/v1alpha1',
  kind: 'NamespacedMultiClusterService',
  metadata: { name, namespace: team },
  spec: { clusterSelector: { matchLabels: dev }, ...spec },
});
const web = (version: string) => ({ name: 'web', namespace: 'web', template: `web-${version.replaceAll('.', '-')}` });

const rbac = { apiGroup: 'rbac.authorization.k8s.io' };
const rbacVersion = `${rbac.apiGroup}/v1`;

/** Somebody who may have clusters and services in the namespace of the team, and nothing elsewhere. */
const jane = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } },
  {
    apiVersion: rbacVersion,
    kind: 'Role',
    metadata: { name: 'services', namespace: team },
    rules: [
      { apiGroups: ['k0rdent.mirantis.com'], resources: ['clusterdeployments'], verbs: ['*'] },
      { apiGroups: ['drover.io'], resources: ['namespacedmulticlusterservices'], verbs: ['*'] },
    ],
  },
  {
    apiVersion: rbacVersion,
    kind: 'RoleBinding',
    metadata: { name: 'jane', namespace: team },
    subjects: [{ ...rbac, kind: 'User', name: 'jane' }],
    roleRef: { ...rbac, kind: 'Role', name: 'services' },
  },
];

for (const kind of hubKindsByTime)
  describe(`tenants of k0rdent, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent-tenants');
    let etcd: Etcd;
    let hub: EitherHub;
    let story: K0rdentStory;
    let drover: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd);
      story = await startK0rdentStory(hub, scratch.dir);
      drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      for (const version of ['1.0.0', '1.1.0', '2.0.0']) await story.pushChart('web', version, packedChart('web', version));
      await story.apply(...jane, ...['1.0.0', '1.1.0', '2.0.0'].map(version => serviceTemplate('web', version)));
      await story.templatesAreValid('web-1-0-0', 'web-1-1-0', 'web-2-0-0');
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const asJane = (line: string, input: object) => story.kubectl.run(`${line} --as jane -f -`, { input: JSON.stringify(input) });
    const allowed = async (line: string, input: object) => {
      const { code, stderr } = await asJane(line, input);
      assert.equal(code, 0, stderr);
    };
    async function versionOn(cluster: string): Promise<string> {
      const member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir });
      return (await member.run('get configmap -n web web -o jsonpath={.data.version}')).stdout;
    }
    const templatesOf = async () =>
      (await story.kubectl.expect(`get servicetemplates,servicetemplatechains,clustertemplates -n ${team} -o name`)).trim();
    const ready = async (name: string) =>
      conditionOf(await story.get(`namespacedmulticlusterservice -n ${team} ${name}`), 'ClusterInReadyState');

    test('a template that is not granted cannot be used, and the message names the namespace', async () => {
      await allowed('apply', ofTeam('web', { serviceSpec: { services: [web('1.0.0')], priority: 300 } }));
      await eventually(
        async () => conditionOf(await story.get(`nmcs -n ${team} web`), 'ServicesReferencesValidation'),
        said => said?.includes(`the ServiceTemplate ${team}/web-1-0-0 is not found in namespace ${team}`) === true,
        patient,
      );
      const elsewhere = { ...ofTeam('web', {}), metadata: { name: 'web', namespace: systemNamespace } };
      const { code, stderr } = await asJane('create', elsewhere);
      assert.equal(code, 1);
      assert.match(stderr, /forbidden/);
      const itself = ofTeam('itself', { serviceSpec: { provider: { selfManagement: true } } });
      assert.match((await asJane('create', itself)).stderr, /selfManagement is for MultiClusterServices only/);
    });

    test('what is granted is used without being copied, on the clusters of the team and no others', async () => {
      const rule = {
        mode: 'Grant',
        targetNamespaces: { list: [team] },
        resources: [
          { kind: 'ServiceTemplate', names: ['web-1-0-0', 'web-1-1-0'] },
          { kind: 'ClusterTemplate', names: ['sandbox-1-0-0'] },
        ],
      };
      await story.kubectl.expect(`patch am kcm --type merge -p '${JSON.stringify({ spec: { accessRules: [rule] } })}'`);
      await allowed('apply', clusterDeployment(team, 'team-cluster', { services: [web('1.1.0')], priority: 100 }));
      await story.apply(clusterDeployment(systemNamespace, 'other-cluster'));
      await becomes(() => versionOn(ofTeamMember), '1.0.0', 'the cluster of the team');
      await becomes(() => ready('web'), 'True Succeeded 1/1', 'the service of the team');
      await becomes(async () => conditionOf(await story.cd('other-cluster'), 'Ready')?.slice(0, 4), 'True', 'the other cluster');
      assert.equal(await versionOn('other-cluster'), '');
      assert.equal(await templatesOf(), '');
      const { items } = (await story.get<{ items: ServiceSet[] }>('servicesets -A'))!;
      const owners = items.map(({ metadata, spec }) => `${metadata.namespace} ${spec.cluster} ${spec.multiClusterService ?? 'own'}`).sort();
      assert.deepEqual(owners, [`${team} team-cluster own`, `${team} team-cluster ${team}/web`]);
      await drover.expect(`explain nmcs/web -n ${team}`, {
        says: [
          /NamespacedMultiClusterService team-a\/web +priority 300 +has the release \(this one\)/,
          /ClusterDeployment team-a\/team-cluster +priority 100 +waits/,
        ],
      });
      await drover.expect(`diff nmcs/web -n ${team}`);
    });

    test('one of the hub with more priority and the same name takes the release over, and gives it back', async () => {
      const spec = { clusterSelector: { matchLabels: dev }, serviceSpec: { services: [web('2.0.0')], priority: 400 } };
      const copy = { targetNamespaces: { list: [team] }, resources: [{ kind: 'ServiceTemplate', names: ['web-2-0-0'] }] };
      const { accessRules } = (await story.get<{ spec: { accessRules: object[] } }>('am kcm'))!.spec;
      const rules = { spec: { accessRules: [...accessRules, copy] } };
      await story.kubectl.expect(`patch am kcm --type merge -p '${JSON.stringify(rules)}'`);
      await story.apply(multiClusterService('web', spec));
      await becomes(() => versionOn(ofTeamMember), '2.0.0', 'the cluster of the team');
      await becomes(() => ready('web'), 'False Failed 0/1', 'the service of the team');
      await drover.expect(`explain nmcs/web -n ${team}`, { says: /MultiClusterService web +priority 400 +has the release/ });
      await story.kubectl.expect('delete mcs web --timeout 60s');
      await becomes(() => versionOn(ofTeamMember), '1.0.0', 'the cluster of the team');
      await becomes(() => ready('web'), 'True Succeeded 1/1', 'the service of the team');
    });

    test('a grant that ends is told, and what is deployed stays until somebody takes it away', async () => {
      await story.kubectl.expect(`patch am kcm --type merge -p '{"spec":{"accessRules":[]}}'`);
      await eventually(
        async () => conditionOf(await story.get(`nmcs -n ${team} web`), 'ServicesReferencesValidation'),
        said => said?.startsWith('False') === true,
        patient,
      );
      assert.equal(await versionOn(ofTeamMember), '1.0.0');
      await story.kubectl.expect(`delete nmcs -n ${team} web --as jane --timeout 60s`);
      await becomes(async () => Object.keys(await story.setsNow(team)), ['team-cluster'], 'the ServiceSets');
    });
  });
