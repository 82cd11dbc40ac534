import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { ensureHarvester } from '../../src/sandbox/harvester/harvester-platform.ts';
import { playMachines } from '../../src/sandbox/harvester/play-machines.ts';
import { playMigrations } from '../../src/sandbox/harvester/play-migrations.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { clientOf } from '../helpers/release-rig.ts';
import { missingRig } from '../helpers/rig.ts';
import { VirtApi } from '../helpers/virt-api.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000, everyMs: 200 };
const password = 'correct horse battery';

const image = (namespace: string, name: string) => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { namespace, name },
  spec: { displayName: name, sourceType: 'download', url: 'https://images.example/one.qcow2' },
});
const machine = (namespace: string, name: string, disks: readonly string[] = []) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { namespace, name },
  spec: {
    runStrategy: 'RerunOnFailure',
    template: { spec: { volumes: disks.map(disk => ({ name: disk, persistentVolumeClaim: { claimName: `${name}-${disk}` } })) } },
  },
});
const claim = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace, name },
  spec: { accessModes: ['ReadWriteMany'], volumeMode: 'Block', resources: { requests: { storage: '1Gi' } } },
});
const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
});
const namespace = (name: string, project: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations: { 'field.cattle.io/projectId': project } },
});

/** Somebody who has signed in. */
interface Person {
  readonly id: string;
  readonly token: string;
  /** On the Harvester cluster, by the kubeconfig that the hub made for that person. */
  readonly kubectl: CommandLine;
  /** `/v3` of the hub. */
  ask(method: string, path: string, body?: object): ReturnType<HttpTarget['request']>;
}

for (const kind of hubKindsByTime)
  describe(`multi-tenancy as the manual of Harvester shows it, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
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
    let virt: VirtApi;
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
      // What Harvester and KubeVirt do, on a real API server.
      const client = running.use(clientOf(harvester.kubeconfig));
      const { signal } = running.adopt(new AbortController(), stop => stop.abort());
      await ensureHarvester(client, { version: 'v1.9.0', signal });
      virt = running.use(await VirtApi.start(client, readFileSync(path.join(harvester.dir, 'front-ca.crt'), 'utf8')));
      await virt.register();
      playMachines({ client, signal });
      playMigrations({ client, signal });
      await apply(onMember, node('one'), node('two'));
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
      const token = await signIn(username, password);
      const ask = asking(token);
      const made = await eventually(
        () => ask('POST', `/v3/clusters/${id}?action=generateKubeconfig`),
        answer => answer.code === 200,
        patient,
      );
      const kubeconfig = path.join(scratch.dir, `${username}.kubeconfig`);
      writeFileSync(kubeconfig, made.json<{ config: string }>().config, { mode: 0o600 });
      return { id: user.id, token, ask, kubectl: kubectlFor('kubectl', { kubeconfig, dir: scratch.dir }) };
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
      await apply(owner.kubectl, image('shop', 'own'), machine('shop', 'web', ['root', 'data']));
      await owner.kubectl.expect('create secret generic user-data -n shop --from-literal=password=hidden');
    });

    test('the other sees the same machine, may write nothing and reads no Secret', async () => {
      await soon(reader.kubectl, 'get virtualmachines -n shop');
      await reader.kubectl.expect('get virtualmachines -n shop', { says: 'web' });
      // Clusters are not shown to him on the hub; those that he may see are found all the same.
      const asReader = path.join(scratch.dir, 'reader-on-hub.kubeconfig');
      const config = {
        clusters: [{ name: 'hub', cluster: { server: `${hub.gateway}/k8s/clusters/local`, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'reader', user: { token: reader.token } }],
        contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'reader' } }],
      };
      writeFileSync(asReader, JSON.stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': 'hub', ...config }), { mode: 0o600 });
      await droverFor({ hub: asReader, dir: scratch.dir }).expect('get virtualmachines -n shop --all-clusters', { says: /web +harvester/ });
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

    const machinesOf = (cluster: string) => `/k8s/clusters/${cluster}/v1/harvester/kubevirt.io.virtualmachines`;
    const actionsFor = async ({ ask }: Pick<Person, 'ask'>, at: string) =>
      Object.keys((await answered(ask('GET', at)))['actions'] as object).sort();
    const untilOffered = (person: Pick<Person, 'ask'>, at: string, action: string) =>
      eventually(
        () => actionsFor(person, at),
        found => found.includes(action),
        patient,
      );
    async function act({ ask }: Pick<Person, 'ask'>, at: string, action: string, body?: object): Promise<void> {
      const { code, text } = await ask('POST', `${at}?action=${action}`, body);
      assert.equal(code, 204, `${action}: ${text}`);
    }
    const strategyOf = (name: string) => onMember.expect(`get virtualmachines -n shop ${name} -o jsonpath={.spec.runStrategy}`);

    test('the owner starts, pauses, moves, restarts and stops the machine, and the member is asked in the name of the owner', async () => {
      const web = `${machinesOf(id)}/shop/web`;
      const running = await untilOffered(owner, web, 'pause');
      assert.deepEqual(running, ['clone', 'migrate', 'pause', 'restart', 'softreboot', 'stop']);
      await act(owner, web, 'pause');
      assert.deepEqual(await actionsFor(owner, web), ['clone', 'migrate', 'restart', 'stop', 'unpause']);
      await act(owner, web, 'unpause');
      await act(owner, web, 'softreboot');
      assert.ok(virt.seen.includes(`PUT shop/web pause by ${owner.id}`), virt.seen.join('\n'));
      const nodeOf = () => onMember.expect('get virtualmachineinstances -n shop web -o jsonpath={.status.nodeName}');
      const [from, uid] = [await nodeOf(), await onMember.expect('get virtualmachineinstances -n shop web -o jsonpath={.metadata.uid}')];
      await act(owner, web, 'migrate', { nodeName: from === 'one' ? 'two' : 'one' });
      await untilOffered(owner, web, 'abortMigration');
      await eventually(nodeOf, now => now !== from, patient);
      await act(owner, web, 'restart');
      await eventually(
        () => onMember.run('get virtualmachineinstances -n shop web -o jsonpath={.metadata.uid}{.status.phase}'),
        ({ stdout }) => stdout.endsWith('Running') && !stdout.startsWith(uid),
        patient,
      );
      await untilOffered(owner, web, 'stop');
      await act(owner, web, 'stop');
      assert.equal(await strategyOf('web'), 'Halted');
      await untilOffered(owner, web, 'start');
      const { code, text } = await owner.ask('POST', `${web}?action=pause`);
      assert.deepEqual([code, (JSON.parse(text) as { code: string }).code], [422, 'InvalidAction']);
      await act(owner, web, 'start');
      await untilOffered(owner, web, 'stop');
    });

    test('the other is offered nothing and refused everything', async () => {
      const web = `${machinesOf(id)}/shop/web`;
      assert.deepEqual(await actionsFor(reader, web), []);
      for (const action of ['stop', 'pause', 'clone']) {
        const { code, text } = await reader.ask('POST', `${web}?action=${action}`, { targetVm: 'mine' });
        const told = JSON.parse(text) as { type: string; code: string };
        assert.deepEqual([code, told.type, told.code], [403, 'error', 'Forbidden']);
      }
      assert.equal((await reader.ask('DELETE', `${web}?removedDisks=root`)).code, 403);
      assert.equal((await reader.ask('GET', `/k8s/clusters/${id}/v1/harvester/secrets/shop/user-data`)).code, 403);
      const direct = `/k8s/clusters/${id}/apis/subresources.kubevirt.io/v1/namespaces/shop/virtualmachineinstances/web`;
      assert.equal((await reader.ask('PUT', `${direct}/pause`, {})).code, 403);
      assert.equal(await strategyOf('web'), 'Always');
    });

    test('consoles are for those who may have them', async () => {
      const open = (screen: string, { token }: Person) => {
        const where = `${target.credentials.server.replace('https', 'wss')}/k8s/clusters/${id}/apis/subresources.kubevirt.io/v1`;
        return new WebSocket(`${where}/namespaces/shop/virtualmachineinstances/web/${screen}`, 'plain.kubevirt.io', {
          ca: target.credentials.ca,
          headers: { authorization: `Bearer ${token}` },
        });
      };
      for (const screen of ['console', 'vnc']) {
        using socket = Object.assign(open(screen, owner), {
          [Symbol.dispose](this: WebSocket) {
            this.terminate();
          },
        });
        const heard: string[] = [];
        socket.on('message', (data: Buffer, isBinary) => void heard.push(`${isBinary ? 'bytes ' : ''}${data.toString()}`));
        const [greeting, said, answer] =
          screen === 'vnc' ? ['RFB 003.008\n', 'RFB 003.008\n', '\u0001\u0001'] : ['\r\nweb login: ', 'root', 'root'];
        await eventually(() => heard[0] === `bytes ${greeting}`);
        socket.send(Buffer.from(said));
        await eventually(() => heard[1] === `bytes ${answer}`);
        assert.equal(socket.protocol, 'plain.kubevirt.io');
      }
      const refused = await new Promise<string>(resolve => void open('console', reader).once('error', error => resolve(error.message)));
      assert.match(refused, /403/);
    });

    test('a machine goes with the disks that are named, the others stay', async () => {
      const web = `${machinesOf(id)}/shop/web`;
      await apply(owner.kubectl, claim('shop', 'web-root'), claim('shop', 'web-data'));
      const { code, text } = await owner.ask('DELETE', `${web}?removedDisks=root`);
      assert.equal(code, 204, text);
      await onMember.expect('get virtualmachines -n shop', { says: 'No resources found' });
      const claims = await onMember.expect(
        `get pvc -n shop -o 'jsonpath={range .items[*]}{.metadata.name} {.metadata.deletionTimestamp},{end}'`,
      );
      assert.match(claims, /^web-data ,(web-root \d.*,)?$/);
      await apply(owner.kubectl, machine('shop', 'web-2'));
    });

    test('a sandbox that plays Harvester has machines too', async () => {
      await apply(onHub, {
        apiVersion: 'drover.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'lab', labels: { 'provider.cattle.io': 'harvester' } },
        spec: { connection: { mode: 'Sandbox' }, sandbox: { nodes: 2 } },
      });
      const lab = await eventually(() => onHub.expect("get clusters.drover.io lab -o 'jsonpath={.status.id}'"), Boolean, patient);
      const machines = machinesOf(lab);
      const made = { type: 'kubevirt.io.virtualmachine', ...machine('default', 'try') };
      await eventually(
        () => admin.ask('POST', machines, made),
        ({ code }) => code === 201,
        patient,
      );
      const one = `${machines}/default/try`;
      // Without KubeVirt's second API there is no pause and no console.
      assert.deepEqual(await untilOffered(admin, one, 'migrate'), ['clone', 'migrate', 'restart', 'stop']);
      await act(admin, one, 'migrate');
      await untilOffered(admin, one, 'abortMigration');
      await act(admin, one, 'abortMigration');
      await act(admin, one, 'stop');
      await untilOffered(admin, one, 'start');
      const stopped = (await answered(admin.ask('GET', one)))['spec'] as { runStrategy: string };
      assert.equal(stopped.runStrategy, 'Halted');
      await act(admin, one, 'start');
      await untilOffered(admin, one, 'stop');
      const again = (await answered(admin.ask('GET', one)))['spec'] as { runStrategy: string };
      assert.equal(again.runStrategy, 'RerunOnFailure', 'as it was before it was stopped');
      assert.equal((await admin.ask('DELETE', one)).code, 204);
      assert.equal((await owner.ask('GET', machines)).code, 404, 'who is no member of it does not know of it');
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
