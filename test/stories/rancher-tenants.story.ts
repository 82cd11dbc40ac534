import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ensureHarvester } from '../../src/sandbox/harvester/harvester-platform.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { clientOf } from '../helpers/release-rig.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000, everyMs: 200 };
const password = 'correct horse battery';

const definition = (group: string, version: string, kind: string, plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});
/** As Harvester and KubeVirt have them: they add their kinds to what everybody with a standard role may do, and Harvester adds Secrets too. */
const added = (name: string, to: readonly string[], verbs: readonly string[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels: Object.fromEntries(to.map(role => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true'])) },
  rules: [
    { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs },
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs },
    { apiGroups: [''], resources: ['secrets'], verbs },
  ],
});
const image = (namespace: string, name: string) => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { namespace, name },
  spec: { displayName: name, sourceType: 'download', url: 'https://images.example/one.qcow2' },
});
const machine = (namespace: string, name: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { namespace, name },
  spec: { runStrategy: 'RerunOnFailure' },
});
const namespace = (name: string, project: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations: { 'field.cattle.io/projectId': project } },
});

/** Somebody who has signed in. */
interface Person {
  readonly id: string;
  /** On the Harvester cluster, by the kubeconfig that the hub made for that person. */
  readonly kubectl: CommandLine;
  /** `/v3` of the hub. */
  ask(method: string, path: string, body?: object): ReturnType<HttpTarget['request']>;
}

for (const kind of hubKindsByTime)
  describe(`multi-tenancy as the manual of Harvester shows it, hub: ${kind}`, { skip: missing ?? false, timeout: 240_000 }, () => {
    const running = new AsyncDisposableStack();
    const scratch = running.use(scratchDir('rancher-tenants'));
    let hub: EitherHub;
    let target: HttpTarget;
    let onHub: CommandLine;
    let onMember: CommandLine;
    let id = '';
    /** As `<cluster>:<project>`. */
    let defaultProject = '';
    let bank = '';
    let admin: Pick<Person, 'ask'>;
    let owner: Person;
    let reader: Person;

    before(async () => {
      const etcd = running.use(await startEtcd());
      let harvester: RealCluster;
      [harvester, hub] = await Promise.all([
        startRealMember(etcd, { moreControllers: ['clusterrole-aggregation-controller'] }),
        startEitherHub(kind, etcd),
      ]);
      running.use(harvester);
      running.use(hub);
      target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
      running.defer(() => target.close());
      onHub = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      onMember = kubectlFor('kubectl', { kubeconfig: harvester.kubeconfig, dir: harvester.dir });
      await using client = clientOf(harvester.kubeconfig);
      await ensureHarvester(client, { version: 'v1.9.0', signal: AbortSignal.timeout(60_000) });
      await apply(
        onMember,
        definition('harvesterhci.io', 'v1beta1', 'VirtualMachineImage', 'virtualmachineimages'),
        definition('kubevirt.io', 'v1', 'VirtualMachine', 'virtualmachines'),
        added('harvesterhci.io:edit', ['admin', 'edit'], ['*']),
        added('harvesterhci.io:view', ['view'], ['get', 'list', 'watch']),
      );
      await eventually(
        () => apply(onMember, image('harvester-public', 'ubuntu')),
        () => true,
        patient,
      );
      await droverFor({ hub: hub.kubeconfig, dir: scratch.dir }).expect(`join harvester --kubeconfig ${harvester.kubeconfig}`, {
        says: 'joined',
      });
      id = await eventually(() => onHub.expect("get clusters.drover.io harvester -o 'jsonpath={.status.id}'"), Boolean, patient);
      const found = await eventually(
        () => onHub.expect(`get projects.management.cattle.io -n ${id} -l authz.management.cattle.io/default-project=true -o name`),
        Boolean,
        patient,
      );
      defaultProject = `${id}:${found.trim().split('/')[1]}`;
      const [, first = ''] = /First admin password, shown once: (\S+)/.exec(readFileSync(hub.program.logFile, 'utf8')) ?? [];
      admin = { ask: asking(await signIn('admin', first)) };
      bank = (await answered(admin.ask('POST', '/v3/projects', { name: 'bank', clusterId: id }))).id;
      await apply(onMember, namespace('vault', bank));
    });
    after(() => running.disposeAsync());

    async function apply(kubectl: CommandLine, ...objects: object[]): Promise<void> {
      const items = { apiVersion: 'v1', kind: 'List', items: objects };
      await kubectl.expect('apply -f -', { input: JSON.stringify(items) });
    }

    async function signIn(username: string, secret: string): Promise<string> {
      const login = await eventually(
        () => target.request('POST', '/v3-public/localProviders/local?action=login', { username, password: secret }),
        answer => answer.code === 201,
        patient,
      );
      return login.json<{ token: string }>().token;
    }

    const asking = (token: string) => (method: string, where: string, body?: object) =>
      target.request(method, where, body, { Authorization: `Bearer ${token}` });

    async function answered(asked: ReturnType<Person['ask']>): Promise<{ id: string; [field: string]: unknown }> {
      const answer = await asked;
      assert.ok(answer.code === 200 || answer.code === 201, answer.text);
      return answer.json();
    }

    /** Adds a user, gives him a role in the project Default, and signs in as that user. */
    async function addPerson(username: string, roleTemplateId: string): Promise<Person> {
      const user = await answered(admin.ask('POST', '/v3/users', { username, password, mustChangePassword: false }));
      const member = { projectId: defaultProject, roleTemplateId, userPrincipalId: `local://${user.id}` };
      await answered(admin.ask('POST', '/v3/projectroletemplatebindings', member));
      const ask = asking(await signIn(username, password));
      const made = await eventually(
        () => ask('POST', `/v3/clusters/${id}?action=generateKubeconfig`),
        answer => answer.code === 200,
        patient,
      );
      const kubeconfig = path.join(scratch.dir, `${username}.kubeconfig`);
      writeFileSync(kubeconfig, made.json<{ config: string }>().config, { mode: 0o600 });
      return { id: user.id, ask, kubectl: kubectlFor('kubectl', { kubeconfig, dir: scratch.dir }) };
    }

    const forbidden = { code: 1, says: /forbidden/i };
    const soon = (kubectl: CommandLine, line: string, input?: object) =>
      eventually(
        () => kubectl.expect(line, input && { input: JSON.stringify(input) }),
        () => true,
        patient,
      );

    test('two users are added to the project, one to own it and one to look', async () => {
      owner = await addPerson('project-owner', 'project-owner');
      reader = await addPerson('project-readonly', 'read-only');
    });

    test('the owner makes a namespace of the project, and an image and a machine in it', async () => {
      await soon(owner.kubectl, 'create -f -', namespace('shop', defaultProject));
      await soon(owner.kubectl, 'get virtualmachineimages -n shop');
      await owner.kubectl.expect('get virtualmachineimages -n harvester-public', { says: 'ubuntu' });
      await apply(owner.kubectl, image('shop', 'own'), machine('shop', 'web'));
      await owner.kubectl.expect('create secret generic user-data -n shop --from-literal=password=hidden');
    });

    test('the other sees the same machine, may write nothing and reads no Secret', async () => {
      await soon(reader.kubectl, 'get virtualmachines -n shop');
      await reader.kubectl.expect('get virtualmachines -n shop', { says: 'web' });
      await reader.kubectl.expect('get virtualmachineimages -n harvester-public', { says: 'ubuntu' });
      await reader.kubectl.expect('delete virtualmachines web -n shop', forbidden);
      await reader.kubectl.expect('create -f -', { ...forbidden, input: JSON.stringify(image('shop', 'mine')) });
      await reader.kubectl.expect('get secrets -n shop', forbidden);
      await reader.kubectl.expect('get secrets user-data -n shop', forbidden);
      await reader.kubectl.expect('create namespace mine', forbidden);
    });

    test('neither sees other projects, hosts or settings', async () => {
      for (const { kubectl } of [owner, reader]) {
        for (const what of ['pods -n vault', 'namespaces vault', 'nodes', 'settings.harvesterhci.io', 'virtualmachines -A'])
          await kubectl.expect(`get ${what}`, forbidden);
      }
      const projects = (await answered(reader.ask('GET', '/v3/projects')))['data'] as { id: string }[];
      assert.deepEqual(
        projects.map(one => one.id),
        [defaultProject],
      );
      const clusters = (await answered(owner.ask('GET', '/v3/clusters')))['data'] as { id: string }[];
      assert.deepEqual(
        clusters.map(one => one.id),
        [id],
      );
    });

    test('the owner cannot take more than was given', async () => {
      const { kubectl, ask, id: userId } = owner;
      await kubectl.expect(`annotate namespace shop field.cattle.io/projectId=${bank} --overwrite`, forbidden);
      await kubectl.expect('create namespace outside', forbidden);
      await kubectl.expect('create -f -', { ...forbidden, input: JSON.stringify(namespace('outside', bank)) });
      const ofCluster = { clusterId: id, roleTemplateId: 'cluster-owner', userPrincipalId: `local://${userId}` };
      assert.equal((await ask('POST', '/v3/clusterroletemplatebindings', ofCluster)).code, 403);
      const inBank = { projectId: bank, roleTemplateId: 'project-owner', userPrincipalId: `local://${userId}` };
      assert.ok([403, 404, 422].includes((await ask('POST', '/v3/projectroletemplatebindings', inBank)).code));
    });

    test('who is taken out of the project is out of its namespaces and of the cluster', async () => {
      const bindings = (
        await answered(admin.ask('GET', `/v3/projectroletemplatebindings?projectId=${encodeURIComponent(defaultProject)}`))
      )['data'] as { id: string; userId: string | null; userPrincipalId: string | null }[];
      const his = bindings.filter(one => one.userId === reader.id || one.userPrincipalId === `local://${reader.id}`);
      assert.equal(his.length, 1);
      await admin.ask('DELETE', `/v3/projectroletemplatebindings/${his[0]!.id}`);
      const refused = await eventually(
        () => reader.kubectl.run('get virtualmachines -n shop'),
        ({ code }) => code !== 0,
        patient,
      );
      assert.match(refused.stderr, /forbidden|not found/i);
      await eventually(
        () => onMember.expect('get rolebindings -n shop -o name'),
        found => !found.includes('rancher-read-only'),
        patient,
      );
      await owner.kubectl.expect('get virtualmachines -n shop', { says: 'web' });
    });
  });
