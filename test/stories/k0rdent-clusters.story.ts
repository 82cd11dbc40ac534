import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Cluster } from '../../src/api/cluster.ts';
import type { KubeObject } from '../../src/api/object.ts';
import type { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  becomes,
  conditionOf,
  k0rdentVersion as apiVersion,
  multiClusterService,
  patient,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace as namespace,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');

/** A chart like those for clouds: objects of Cluster API, and a value that it cannot do without. */
const cloudTemplates = {
  'values.yaml': 'workers: 1\n',
  'templates/greeting.yaml': '',
  'templates/cluster.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: {{ .Release.Name }}
  labels: {{ .Values.clusterLabels | toJson }}
spec:
  region: {{ required "region is required" .Values.region }}
  identity: {{ (.Values.clusterIdentity | default dict).name | default "none" }}
  global: {{ .Values.global | default dict | toJson }}
  inputs: {{ pick .Values "auth" "audit" "dataSource" "ipamEnabled" "ClusterDeployment" | toJson }}
  infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: DemoCluster, name: {{ .Release.Name }} }
`,
  'templates/infrastructure.yaml': `apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DemoCluster
metadata: { name: {{ .Release.Name }}, finalizers: [k0rdent.mirantis.com/cleanup] }
spec: { zone: {{ .Values.region }}-a }
`,
};

const definition = (group: string, kind: string, plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1beta2',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const clusterTemplate = (name: string, chart: string, version: string, place = namespace) => ({
  apiVersion,
  kind: 'ClusterTemplate',
  metadata: { name, namespace: place },
  spec: { helm: { chartSpec: { chart, version } } },
});
const deployment = (name: string, template: string, spec: object = {}, place = namespace) => ({
  apiVersion,
  kind: 'ClusterDeployment',
  metadata: { name, namespace: place, labels: { of: name } },
  spec: { template, config: {}, ...spec },
});
const aspects = [
  'InfrastructureReady',
  'ControlPlaneInitialized',
  'ControlPlaneAvailable',
  'ControlPlaneMachinesReady',
  'WorkersAvailable',
  'WorkerMachinesReady',
  'RemoteConnectionProbe',
];
const conditions = (faults: Record<string, string> = {}) =>
  aspects.map(type => ({
    type,
    status: faults[type] === undefined ? 'True' : 'False',
    reason: 'Played',
    message: faults[type] ?? '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));

for (const kind of hubKindsByTime)
  describe(`clusters of k0rdent, hub: ${kind}`, { skip: missing ?? false, timeout: 400_000 }, () => {
    const scratch = scratchDir('k0rdent-clusters');
    let etcd: Etcd;
    let real: RealCluster;
    let hub: EitherHub;
    let story: K0rdentStory;
    let kubectl: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      [real, hub] = await Promise.all([startRealMember(etcd), startEitherHub(kind, etcd)]);
      story = await startK0rdentStory(hub, scratch.dir);
      kubectl = story.kubectl;
      await story.pushChart('web', '1.0.0', packedChart('web', '1.0.0'));
      await story.pushChart('cloud', '1.0.0', packedChart('cloud', '1.0.0', cloudTemplates));
      await story.apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
        serviceTemplate('web', '1.0.0'),
        serviceTemplate('web', '1.0.0', 'team'),
        clusterTemplate('cloud-1-0-0', 'cloud', '1.0.0'),
        definition('cluster.x-k8s.io', 'Cluster', 'clusters'),
        definition('cluster.x-k8s.io', 'Machine', 'machines'),
        definition('infrastructure.cluster.x-k8s.io', 'DemoCluster', 'democlusters'),
      );
      await story.templatesAreValid('web-1-0-0');
      await becomes(
        async () => (await story.get<{ status?: { valid?: boolean } }>(`clustertemplate -n ${namespace} cloud-1-0-0`))?.status?.valid,
        true,
        'the template of the cloud',
      );
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await real?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const member = (kubeconfig: string) => kubectlFor('kubectl', { kubeconfig, dir: scratch.dir });
    const capi = (name: string) => story.get<KubeObject>(`clusters.cluster.x-k8s.io -n ${namespace} ${name}`);
    const told = async (name: string, type: string, place = namespace) => conditionOf(await story.cd(name, place), type);
    const says = (name: string, type: string, pattern: RegExp) =>
      eventually(
        async () => (await told(name, type)) ?? '',
        text => pattern.test(text),
        { ...patient, what: `${type} of ${name}` },
      );
    const patchStatus = (what: string, status: object) =>
      kubectl.expect(`patch ${what} -n ${namespace} --subresource status --type merge -p '${JSON.stringify({ status })}'`);
    const patchSpec = (name: string, spec: object) =>
      kubectl.expect(`patch cld -n ${namespace} ${name} --type merge -p '${JSON.stringify({ spec })}'`);
    const greeting = async (line: CommandLine, place: string) => {
      const { code, stdout } = await line.run(`get configmap -n ${place} web -o jsonpath={.data.greeting}`);
      return code === 0 ? stdout : undefined;
    };

    test('a MultiClusterService delivers to the hub itself, which is a member from then on', async () => {
      await kubectl.expect('get clusters.drover.io local', { code: 1, says: 'not found' });
      const wanted = (selfManagement: boolean) =>
        multiClusterService('mcs1', {
          clusterSelector: {},
          serviceSpec: {
            provider: { selfManagement },
            services: [{ name: 'web', namespace: 'on-hub', template: 'web-1-0-0', values: 'greeting: "{{ .Cluster.metadata.name }}"\n' }],
          },
        });
      await story.apply(wanted(true));
      await becomes(async () => conditionOf(await story.mcs('mcs1'), 'Ready'), 'True Succeeded Object is ready', 'mcs1');
      assert.equal(await greeting(kubectl, 'on-hub'), 'mgmt');
      const set = await story.set('management-3556efa5');
      assert.deepEqual([set?.spec.cluster, set?.spec.provider.selfManagement], ['', true]);
      const {
        apiVersion: version,
        kind: what,
        namespace: place,
        name,
        deployed,
      } = (await story.mcs('mcs1'))!.status!.matchingClusters![0]!;
      assert.deepEqual([version, what, place, name, deployed], ['lib.projectsveltos.io/v1beta1', 'SveltosCluster', 'mgmt', 'mgmt', true]);
      await becomes(
        async () => conditionOf(await story.get<Cluster>('clusters.drover.io local'), 'Ready')?.split(' ')[0],
        'True',
        'the hub as a member',
      );
      // Through the gateway people are who they are, and not the hub.
      const whoami = await member(hub.memberKubeconfig('local')).expect('auth whoami');
      assert.match(whoami, kind === 'embedded' ? /^Username +(?!system:drover:hub)\S+$/m : /^Username +story-admin$/m);
      // Whoever means all members does not mean the hub.
      await droverFor({ hub: hub.kubeconfig, dir: scratch.dir }).expect('get configmaps --all-clusters', {
        code: 1,
        says: 'the hub has no members',
      });

      await story.apply(wanted(false));
      await becomes(() => greeting(kubectl, 'on-hub'), undefined, 'the release on the hub');
      await kubectl.expect('delete mcs mcs1 --timeout 60s');
    });

    test('only what is in the system namespace reaches the hub itself', async () => {
      const manifests = (place: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'manifests', namespace: place },
        data: { 'one.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: from-${place}, namespace: default }\n` },
      });
      const local = (place: string) => ({
        apiVersion,
        kind: 'ServiceTemplate',
        metadata: { name: 'local', namespace: place },
        spec: { resources: { deploymentType: 'Local', localSourceRef: { kind: 'ConfigMap', name: 'manifests' } } },
      });
      await story.apply(
        ...['team', namespace].flatMap(place => [manifests(place), local(place)]),
        {
          apiVersion,
          kind: 'ClusterTemplateChain',
          metadata: { name: 'sandboxes', namespace },
          spec: { supportedTemplates: [{ name: 'sandbox-1-0-0' }] },
        },
        {
          apiVersion,
          kind: 'AccessManagement',
          metadata: { name: 'kcm' },
          spec: {
            accessRules: [{ targetNamespaces: { list: ['team'] }, resources: [{ kind: 'ClusterTemplateChain', names: ['sandboxes'] }] }],
          },
        },
        {
          apiVersion,
          kind: 'ServiceSet',
          metadata: { name: 'sneaky', namespace: 'team', labels: { 'ksm.k0rdent.mirantis.com/adapter': 'kcm-controller-manager' } },
          spec: { cluster: '', provider: {}, services: [{ name: 'web', namespace: 'sneaky', template: 'web-1-0-0' }] },
        },
      );
      await story.templatesAreValid('local');
      for (const place of ['team', namespace]) {
        await becomes(
          async () => (await story.get<{ status?: { valid?: boolean } }>(`clustertemplate -n ${place} sandbox-1-0-0`))?.status?.valid,
          true,
          `the template in ${place}`,
        );
        await becomes(
          async () => (await story.get<{ status?: { valid?: boolean } }>(`servicetemplate -n ${place} local`))?.status?.valid,
          true,
          `the template of manifests in ${place}`,
        );
        const services = [{ name: 'local', namespace: 'default', template: 'local' }];
        await story.apply(deployment('inside', 'sandbox-1-0-0', { serviceSpec: { services } }, place));
      }
      await becomes(async () => told('inside', 'Ready'), 'True Succeeded Object is ready', 'the ClusterDeployment of the system');
      await kubectl.expect(`get configmap -n default from-${namespace}`);
      const sandboxed = member(hub.memberKubeconfig('inside'));
      await sandboxed.expect(`get configmap -n default from-${namespace}`, { code: 1, says: 'not found' });
      await becomes(
        async () => (await story.set('inside', 'team'))?.status?.services?.[0]?.failureMessage,
        'template team/local has deploymentType Local: only templates of namespace "kcm-system" are applied to the hub itself',
        'the service of a tenant',
      );
      await becomes(
        async () => conditionOf(await story.set('sneaky', 'team'), 'ServiceSetProfile'),
        'False ServiceSetProfileBuildFailed only ServiceSets in namespace "kcm-system" may target the hub itself',
        'the ServiceSet of a tenant',
      );
      await kubectl.expect('get configmap -n default from-team', { code: 1, says: 'not found' });
      await kubectl.expect('get namespace sneaky', { code: 1, says: 'not found' });
      await kubectl.expect(`delete serviceset -n team sneaky --timeout 60s`);
      for (const place of ['team', namespace]) await kubectl.expect(`delete cld -n ${place} inside --timeout 60s`);
      await kubectl.expect(`get configmap -n default from-${namespace}`, { code: 1, says: 'not found' });
    });

    test('a dry run checks the config and makes nothing', async () => {
      await story.apply(deployment('cloudy', 'cloud-1-0-0', { dryRun: true }));
      await says('cloudy', 'HelmChartReady', /^False Failed failed to validate template with provided configuration: .*region is required/);
      await patchSpec('cloudy', { config: { region: 'eu' } });
      await becomes(() => told('cloudy', 'HelmChartReady'), 'True Succeeded', 'the chart');
      await becomes(() => told('cloudy', 'Ready'), 'True Succeeded Object is ready', 'the ClusterDeployment');
      assert.equal(await capi('cloudy'), undefined);
      assert.equal(await told('cloudy', 'HelmReleaseReady'), undefined);
      await eventually(
        () => kubectl.run(`events -n ${namespace} --for clusterdeployment/cloudy`),
        ({ stdout }) => stdout.includes('DryRunEnabled'),
        patient,
      );
    });

    const kubeconfig = () => readFileSync(real.kubeconfig, 'utf8');
    const kubeconfigSecret = (name: string, text: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      stringData: { value: text },
    });

    test('a chart of Cluster API is applied to the hub, and what comes of it becomes a member with services', async () => {
      await story.apply(
        kubeconfigSecret('cloud-identity', 'secret'),
        {
          apiVersion,
          kind: 'Credential',
          metadata: { name: 'cloud', namespace },
          spec: { identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'cloud-identity', namespace } },
        },
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'drover-settings', namespace },
          data: { 'k0rdent.global': 'registry: registry.example\n' },
        },
      );
      await becomes(
        async () => (await story.get<{ status?: { ready?: boolean } }>(`credential -n ${namespace} cloud`))?.status?.ready,
        true,
        'the Credential',
      );
      const values = [
        'greeting: "{{ .Cluster.spec.region }} {{ .InfrastructureProvider.spec.zone }}',
        '{{ getField "InfrastructureProviderIdentity" "metadata.name" }}"',
      ].join(' ');
      await patchSpec('cloudy', {
        dryRun: false,
        credential: 'cloud',
        cleanupOnDeletion: true,
        serviceSpec: { services: [{ name: 'web', namespace: 'web', template: 'web-1-0-0', values }] },
      });
      await says('cloudy', 'HelmReleaseReady', /^True Succeeded Release kcm-system\/cloudy\.v1 with chart cloud/);
      const made = await capi('cloudy');
      const spec = made?.['spec'] as Record<string, unknown>;
      assert.deepEqual([spec['region'], spec['identity'], spec['global']], ['eu', 'cloud-identity', { registry: 'registry.example' }]);
      assert.equal(made?.metadata.labels?.['of'], 'cloudy');
      await says('cloudy', 'CAPIClusterSummary', /^Unknown UnknownReported InfrastructureReady: Condition not yet reported/);

      await patchStatus('clusters.cluster.x-k8s.io cloudy', { conditions: conditions({ WorkersAvailable: '0 of 1 workers' }) });
      await becomes(
        () => told('cloudy', 'CAPIClusterSummary'),
        'False IssuesReported WorkersAvailable: 0 of 1 workers',
        'a Cluster on its way',
      );
      await says('cloudy', 'Ready', /^False Progressing WorkersAvailable: 0 of 1 workers/);
      await patchStatus('clusters.cluster.x-k8s.io cloudy', { conditions: conditions() });
      await story.apply(kubeconfigSecret('cloudy-kubeconfig', kubeconfig()));
      await becomes(() => told('cloudy', 'Ready'), 'True Succeeded Object is ready', 'the ClusterDeployment');
      assert.match((await story.cd('cloudy'))?.status?.k8sVersion ?? '', /^v1\./);
      assert.equal(await greeting(member(real.kubeconfig), 'web'), 'eu eu-a cloud-identity');
    });

    test('another config is another revision of the chart, and services see it', async () => {
      await patchSpec('cloudy', { config: { region: 'us' } });
      await says('cloudy', 'HelmReleaseReady', /^True Succeeded Release kcm-system\/cloudy\.v2 /);
      await becomes(() => greeting(member(real.kubeconfig), 'web'), 'us us-a cloud-identity', 'the service');
    });

    test('a chain offers another template, and its chart is an upgrade of the same release', async () => {
      await story.pushChart('cloud', '1.1.0', packedChart('cloud', '1.1.0', cloudTemplates));
      await story.apply(clusterTemplate('cloud-1-1-0', 'cloud', '1.1.0'), {
        apiVersion,
        kind: 'ClusterTemplateChain',
        metadata: { name: 'clouds', namespace },
        spec: { supportedTemplates: [{ name: 'cloud-1-0-0', availableUpgrades: [{ name: 'cloud-1-1-0' }] }, { name: 'cloud-1-1-0' }] },
      });
      await becomes(async () => (await story.cd('cloudy'))?.status?.availableUpgrades, ['cloud-1-1-0'], 'the upgrades');
      const uid = (await capi('cloudy'))?.metadata.uid;
      await becomes(
        async () => (await story.get<{ status?: { valid?: boolean } }>(`clustertemplate -n ${namespace} cloud-1-1-0`))?.status?.valid,
        true,
        'the template',
      );
      await patchSpec('cloudy', { template: 'cloud-1-1-0' });
      await says('cloudy', 'HelmReleaseReady', /^True Succeeded Release kcm-system\/cloudy\.v3 with chart cloud-1\.1\.0/);
      assert.equal((await capi('cloudy'))?.metadata.uid, uid);
    });

    test('a dry run tells of a chart with another name, until it is the same again', async () => {
      await story.pushChart('nimbus', '1.0.0', packedChart('nimbus', '1.0.0', cloudTemplates));
      await story.apply(clusterTemplate('nimbus-1-0-0', 'nimbus', '1.0.0'), {
        apiVersion,
        kind: 'ClusterTemplateChain',
        metadata: { name: 'there-and-back', namespace },
        spec: {
          supportedTemplates: [
            { name: 'cloud-1-1-0', availableUpgrades: [{ name: 'nimbus-1-0-0' }] },
            { name: 'nimbus-1-0-0', availableUpgrades: [{ name: 'cloud-1-1-0' }] },
          ],
        },
      });
      await becomes(async () => (await story.cd('cloudy'))?.status?.availableUpgrades, ['nimbus-1-0-0'], 'the upgrades');
      await patchSpec('cloudy', { template: 'nimbus-1-0-0', dryRun: true });
      await says('cloudy', 'HelmChartNameChanged', /^True HelmChartNameChanged Helm chart name changed from "cloud" to "nimbus": /);
      await becomes(async () => (await story.cd('cloudy'))?.status?.availableUpgrades, ['cloud-1-1-0'], 'the way back');
      await patchSpec('cloudy', { template: 'cloud-1-1-0', dryRun: null });
      await becomes(() => told('cloudy', 'HelmChartNameChanged'), undefined, 'the note');
    });

    test('deletion goes step by step: services, what the cluster has outside, its membership, its chart, its Cluster', async () => {
      const onMember = member(real.kubeconfig);
      await onMember.expect('create service loadbalancer outside --tcp=80:80');
      await kubectl.expect(
        `patch clusters.cluster.x-k8s.io -n ${namespace} cloudy --type merge -p '{"metadata":{"finalizers":["played.example/cluster"]}}'`,
      );
      await story.apply({
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        metadata: { name: 'cloudy-0', namespace, labels: { 'cluster.x-k8s.io/cluster-name': 'cloudy' } },
      });
      await kubectl.expect(`delete cld -n ${namespace} cloudy --wait=false`);
      await says('cloudy', 'Deleting', /^True WaitingForClusterDeletion Waiting for CAPI Cluster to be deleted: /);
      assert.match((await told('cloudy', 'Ready'))!, /^False Deleting /);
      assert.equal(await greeting(onMember, 'web'), undefined);
      await onMember.expect('get service outside', { code: 1, says: 'not found' });
      await kubectl.expect('get clusters.drover.io cloudy', { code: 1, says: 'not found' });
      await hub.restart();
      await kubectl.expect(`patch clusters.cluster.x-k8s.io -n ${namespace} cloudy --type merge -p '{"metadata":{"finalizers":null}}'`);
      await says(
        'cloudy',
        'Deleting',
        /^True WaitingForClusterDeletion Waiting for the Machines that need DemoCluster kcm-system\/cloudy to be/,
      );
      await kubectl.expect(`delete machines.cluster.x-k8s.io -n ${namespace} cloudy-0`);
      await becomes(() => story.cd('cloudy'), undefined, 'the ClusterDeployment');
      await kubectl.expect(`get secrets -n ${namespace} sh.helm.release.v1.cloudy.v3`, { code: 1, says: 'not found' });
      await kubectl.expect(`get democlusters -n ${namespace} cloudy`, { code: 1, says: 'not found' });
    });

    test('addresses, authentication, audit policy and database are prepared before the chart is installed', async () => {
      const named = (what: string, spec: object) => ({ apiVersion, kind: what, metadata: { name: 'demo', namespace }, spec });
      const auth = { authenticationConfiguration: { jwt: [{ issuer: { url: 'https://issuer.example', audiences: ['a'] } }] } };
      await story.apply(
        named('ClusterAuthentication', auth),
        named('ClusterAuditPolicy', { policy: { rules: [{ level: 'Metadata' }] } }),
        named('DataSource', { type: 'postgresql', endpoints: ['db.example:5432'], auth: {} }),
        deployment('prepared', 'cloud-1-0-0', {
          config: { region: 'eu' },
          clusterAuth: 'demo',
          auditPolicy: 'demo',
          dataSource: 'demo',
          ipamClaim: { spec: { provider: 'in-cluster', nodeNetwork: { cidr: '10.0.0.0/24' } } },
        }),
      );
      await becomes(
        () => told('prepared', 'HelmChartReady'),
        'Unknown Progressing Waiting for ClusterIPAMClaim kcm-system/prepared-ipam to be bound',
        'what waits for addresses',
      );
      const claim = await story.get<{ spec: Record<string, unknown> }>(`clusteripamclaim -n ${namespace} prepared-ipam`);
      assert.deepEqual([claim?.spec['cluster'], claim?.spec['clusterIPAMRef']], ['prepared', 'prepared-ipam']);
      await becomes(
        async () => ((await story.cd('prepared'))?.spec.ipamClaim as { ref?: string } | undefined)?.ref,
        'prepared-ipam',
        'the claim',
      );
      await story.apply({ apiVersion, kind: 'ClusterIPAM', metadata: { name: 'prepared-ipam', namespace }, spec: {} });
      await patchStatus('clusteripam prepared-ipam', {
        phase: 'Bound',
        providerData: [{ name: 'ClusterDeployment', config: { pool: 'p' }, ready: true }],
      });
      await patchStatus('clusteripamclaim prepared-ipam', { bound: true });

      await becomes(
        () => told('prepared', 'ClusterDataSourceReady'),
        'False Progressing cross-referenced ClusterDataSource kcm-system/prepared is not yet ready',
        'what waits for a database',
      );
      assert.equal(await capi('prepared'), undefined);
      const generation = (await story.get<KubeObject>(`clusterdatasource -n ${namespace} prepared`))?.metadata.generation;
      await patchStatus('clusterdatasource prepared', { ready: true, kineDataSourceSecret: 'kine', observedGeneration: generation });
      await says('prepared', 'HelmReleaseReady', /^True Succeeded /);
      const { inputs } = (await capi('prepared'))?.['spec'] as { inputs: Record<string, Record<string, Record<string, string>>> };
      assert.deepEqual(inputs['dataSource'], { kineDataSourceSecretName: 'kine' });
      assert.deepEqual(inputs['ClusterDeployment'], { name: 'ClusterDeployment', config: { pool: 'p' }, ready: true });
      assert.equal(inputs['ipamEnabled'], true);
      assert.deepEqual(
        [inputs['auth']?.['configSecret']?.['name'], inputs['audit']?.['policyRef']?.['name']],
        ['prepared-auth-config', 'prepared-audit-policy'],
      );
      const policy = await kubectl.expect(`get configmap -n ${namespace} prepared-audit-policy -o jsonpath={.data.policy}`);
      assert.match(policy, /^apiVersion: audit.k8s.io\/v1\nkind: Policy\n/);
      for (const type of ['DataSourceReady', 'ClusterDataSourceReady', 'ClusterAuthenticationReady', 'ClusterAuditPolicyReady'])
        assert.equal(await told('prepared', type), 'True Succeeded');

      await patchSpec('prepared', { clusterAuth: null });
      await becomes(() => told('prepared', 'ClusterAuthenticationReady'), undefined, 'authentication that is not wanted any more');
      await kubectl.expect(`get secret -n ${namespace} prepared-auth-config`, { code: 1, says: 'not found' });
      await kubectl.expect(`delete cld -n ${namespace} prepared --timeout 60s`);
      await kubectl.expect(`get clusterdatasource -n ${namespace} prepared`, { code: 1, says: 'not found' });
    });

    test('a region that is paused keeps its clusters as they are', async () => {
      const credential = {
        apiVersion,
        kind: 'Credential',
        metadata: { name: 'west', namespace },
        spec: { region: 'west', identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'west', namespace } },
      };
      await story.apply(
        kubeconfigSecret('west', 'unused'),
        { apiVersion, kind: 'Region', metadata: { name: 'west' }, spec: { kubeConfig: { name: 'west', key: 'value' } } },
        credential,
      );
      await story.apply(deployment('western', 'cloud-1-0-0', { credential: 'west', config: { region: 'eu' } }));
      const zone = async () => ((await capi('western'))?.['spec'] as { region?: string } | undefined)?.region;
      await becomes(zone, 'eu', 'the Cluster');
      await becomes(() => told('western', 'Paused'), 'False NotPaused', 'the pause');
      await kubectl.expect('annotate region west k0rdent.mirantis.com/region-pause=');
      await becomes(() => told('western', 'Paused'), 'True Paused Related Region west is paused', 'the pause');
      await patchSpec('western', { config: { region: 'us' } });
      const { generation } = (await story.cd('western'))!.metadata;
      // Only then has somebody looked at what was written.
      await becomes(
        async () => (await story.cd('western'))?.status?.conditions?.find(one => one.type === 'Paused')?.observedGeneration,
        generation,
        'the pause of what was written',
      );
      assert.equal(await zone(), 'eu');
      await kubectl.expect('annotate region west k0rdent.mirantis.com/region-pause-');
      await becomes(zone, 'us', 'the Cluster');
      await becomes(async () => (await story.cd('western'))?.status?.observedGeneration, generation, 'what was seen');
      await kubectl.expect(`delete cld -n ${namespace} western --timeout 60s`);
      await kubectl.expect('delete region west --timeout 60s');
    });

    test("a tenant's own chart is not applied to the hub", async () => {
      await story.pushChart('own', '1.0.0', packedChart('own', '1.0.0'));
      await story.apply(clusterTemplate('own-1-0-0', 'own', '1.0.0', 'team'));
      await becomes(
        async () => (await story.get<{ status?: { valid?: boolean } }>('clustertemplate -n team own-1-0-0'))?.status?.valid,
        true,
        'the template',
      );
      await story.apply(deployment('own', 'own-1-0-0', {}, 'team'));
      await becomes(
        () => told('own', 'HelmChartReady', 'team'),
        'False Failed no ClusterTemplate in namespace "kcm-system" has this chart, so namespace "team" may not use it',
        'the ClusterDeployment of a tenant',
      );
      await kubectl.expect('get configmap -n team own', { code: 1, says: 'not found' });
      await kubectl.expect('delete cld -n team own --timeout 60s');
    });

    test('another kubeconfig for an adopted cluster is used from then on', async () => {
      await story.apply(kubeconfigSecret('adopted', kubeconfig()), {
        apiVersion,
        kind: 'Credential',
        metadata: { name: 'adopted', namespace },
        spec: { identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'adopted', namespace } },
      });
      await becomes(
        async () => (await story.get<{ status?: { ready?: boolean } }>(`credential -n ${namespace} adopted`))?.status?.ready,
        true,
        'the Credential',
      );
      const services = [{ name: 'web', namespace: 'web', template: 'web-1-0-0' }];
      await story.apply(deployment('adopted', 'adopted-cluster-1-0-1', { credential: 'adopted', serviceSpec: { services } }));
      await becomes(() => told('adopted', 'Ready'), 'True Succeeded Object is ready', 'the adopted cluster');
      await story.apply(kubeconfigSecret('adopted', kubeconfig().replace('127.0.0.1', 'localhost')));
      await becomes(
        async () => (await story.get<Cluster>('clusters.drover.io adopted'))?.spec.connection.server,
        real.server.replace('127.0.0.1', 'localhost'),
        'the address of the cluster',
      );
      await becomes(() => told('adopted', 'Ready'), 'True Succeeded Object is ready', 'the adopted cluster');
    });

    test('a cluster that has gone holds its ClusterDeployment until somebody gives it up', async () => {
      await real.kill();
      await says('adopted', 'Ready', /^False Progressing Cluster does not answer: /);
      await kubectl.expect(`delete cld -n ${namespace} adopted --wait=false`);
      await says(
        'adopted',
        'Deleting',
        /^True WaitingForServiceSetsDeletion Waiting for ServiceSets to be deleted: adopted.*Cluster adopted does not answer: .*drover\.io\/force-removal=true/,
      );
      await kubectl.expect(`annotate cld -n ${namespace} adopted drover.io/force-removal=true`);
      await becomes<ClusterDeployment | undefined>(() => story.cd('adopted'), undefined, 'the ClusterDeployment');
      await kubectl.expect('get clusters.drover.io adopted', { code: 1, says: 'not found' });
      await kubectl.expect(`get servicesets -n ${namespace} adopted`, { code: 1, says: 'not found' });
    });
  });
