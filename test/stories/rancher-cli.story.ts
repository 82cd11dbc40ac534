import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { NormanClient, type Resource } from '../helpers/norman-client.ts';
import { noRancher, rancher } from '../helpers/rancher-program.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000, everyMs: 200 };

/** What the CLI sends with every list. */
const listing = { limit: '-1', removed_null: '1', state_ne: ['inactive', 'stopped', 'removing'], system: 'false' };

for (const kind of hubKindsByTime)
  describe(`the rancher command line, hub: ${kind}`, { skip: missing ?? false, timeout: 240_000 }, () => {
    const scratch = scratchDir('rancher-cli');
    let etcd: Etcd | undefined;
    let hub: EitherHub;
    let target: HttpTarget;
    /** `name:key`, as the CLI is given it. */
    let token: string;

    before(async () => {
      if (kind !== 'embedded') etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd!);
      target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
      await droverFor({ hub: hub.kubeconfig, dir: scratch.dir }).expect('sandbox create east --wait', { timeoutMs: 60_000 });
      const [, password = ''] = /First admin password, shown once: (\S+)/.exec(readFileSync(hub.program.logFile, 'utf8')) ?? [];
      token = await signIn('admin', password);
    });
    after(async () => {
      target?.close();
      for (const one of [hub, etcd]) await one?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    /** As people get the token that they give to the CLI: they sign in and make one. */
    async function signIn(username: string, password: string): Promise<string> {
      const login = await eventually(
        () => target.request('POST', '/v3-public/localProviders/local?action=login', { username, password }),
        answer => answer.code === 201,
        patient,
      );
      const session = login.json<{ token: string }>().token;
      const made = await target.request(
        'POST',
        '/v3/tokens',
        { type: 'token', description: 'CLI' },
        { Authorization: `Bearer ${session}` },
      );
      assert.equal(made.code, 201, made.text);
      return made.json<{ token: string }>().token;
    }

    const open = (root: string, as = token) => NormanClient.open(target, root, as);
    const projectOf = async (client: NormanClient, cluster: Resource, name: string) => {
      const projects = await client.list('project', { ...listing, clusterId: cluster.id });
      return projects.find(project => project['name'] === name);
    };

    /** The clients that every command opens: the hub, the cluster and the project of the context, and `/v1`. */
    async function openAll() {
      const root = await open('/v3');
      const cluster = await eventually(
        () => root.find('cluster', 'east'),
        one => one['state'] === 'active',
        patient,
      );
      const project = (await eventually(() => projectOf(root, cluster, 'Default'), Boolean, patient))!;
      const [onCluster, onProject, steve] = await Promise.all([
        open(`/v3/clusters/${cluster.id}`),
        open(`/v3/projects/${project.id}`),
        open('/v1'),
      ]);
      return { root, cluster, project, onCluster, onProject, steve };
    }

    test('everything that the CLI opens has the schemas that it needs', async () => {
      const { root, cluster, onCluster, onProject, steve } = await openAll();
      const needed = ['cluster', 'project', 'node', 'token', 'setting', 'user', 'principal', 'roleTemplate', 'globalRole'];
      const bindings = ['clusterRoleTemplateBinding', 'projectRoleTemplateBinding', 'clusterRegistrationToken', 'generateKubeConfigOutput'];
      for (const type of [...needed, ...bindings]) assert.ok(root.types.includes(type), type);
      for (const type of ['namespace', 'persistentVolume', 'storageClass']) assert.ok(onCluster.types.includes(type), type);
      for (const type of ['workload', 'pod', 'secret', 'namespacedSecret']) assert.ok(onProject.types.includes(type), type);
      assert.ok(steve.types.includes('cluster.x-k8s.io.machine'));
      // A dashboard asks the same of the member.
      const below = await open(`/k8s/clusters/${cluster.id}/v1`);
      assert.ok((await below.list('namespace')).some(({ id }) => id === 'kube-system'));
      // Without a context the CLI asks for no id at all.
      for (const path of ['/v3/clusters/', '/v3/projects/']) await open(path);
    });

    test('clusters and projects: ls, create, import, wait', async () => {
      const { root, cluster } = await openAll();
      assert.ok((await root.list('cluster', listing)).some(one => one.id === cluster.id));
      await root.create('project', { name: 'shop', clusterId: cluster.id });
      const shop = await eventually(
        () => root.find('project', 'shop'),
        one => one['state'] === 'active',
        patient,
      );
      assert.match(shop.id, new RegExp(`^${cluster.id}:p-[a-z0-9]{5}$`));

      const made = await root.create('cluster', { name: 'west' });
      assert.equal((await root.find('cluster', 'west')).id, made.id);
      assert.equal(made['driver'] ?? '', '');
      const isReady = ({ command }: Resource) => typeof command === 'string' && command !== '';
      const [registration] = await eventually(
        () => root.list('clusterRegistrationToken', { ...listing, clusterId: made.id }),
        found => found.some(isReady),
        patient,
      );
      assert.match(String(registration!['command']), new RegExp(`^kubectl apply -f ${hub.gateway}/v3/import/\\S+_${made.id}\\.yaml$`));
      await root.remove(await root.byId('cluster', made.id));
    });

    test('settings, namespaces and ps', async () => {
      const { root, cluster, project, onCluster, onProject } = await openAll();
      assert.ok((await root.list('setting', listing)).some(({ id }) => id === 'server-version'));
      const { value } = await root.byId('setting', 'server-url');
      assert.equal(typeof value, 'string');

      await onCluster.create('namespace', { name: 'till', projectId: project.id });
      assert.equal((await onCluster.byId('namespace', 'till'))['projectId'], project.id);
      const kubectl = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('east'), dir: scratch.dir });
      await kubectl.expect('create deployment web --image=web:1 --replicas=2 -n till', { says: 'created' });
      const [web] = await eventually(
        () => onProject.list('workload', listing),
        found => found.length === 1 && found[0]!['state'] === 'active',
        patient,
      );
      assert.deepEqual([web!.type, web!['scale'], web!['namespaceId']], ['deployment', 2, 'till']);
      assert.deepEqual(await onProject.list('pod', { ...listing, workloadId: '' }), []);

      const system = (await projectOf(root, cluster, 'System'))!;
      for (const [name, home] of [
        ['default', project],
        ['kube-system', system],
      ] as const)
        await eventually(
          () => onCluster.byId('namespace', name),
          one => one['projectId'] === home.id,
          patient,
        );
      await onCluster.action(await onCluster.byId('namespace', 'till'), 'move', { projectId: system.id });
      assert.equal((await onCluster.byId('namespace', 'till'))['projectId'], system.id);
      assert.deepEqual(await onProject.list('workload', listing), []);
      await onCluster.remove(await onCluster.byId('namespace', 'till'));
    });

    test('kubectl works with the kubeconfig that is made for it', async () => {
      const { root, cluster } = await openAll();
      const own = await root.byId('token', token.split(':')[0]!);
      assert.match(String(own['userId']), /^user-|^u-/);
      const { config } = await root.action<{ config: string }>(cluster, 'generateKubeconfig');
      const file = path.join(scratch.dir, 'made.kubeconfig');
      writeFileSync(file, config);
      await kubectlFor('kubectl', { kubeconfig: file, dir: scratch.dir }).expect('get namespaces', { says: 'kube-system' });
      const [, name = ''] = /token: "?([^":\s]+):/.exec(config) ?? [];
      assert.equal((await root.byId('token', name))['expired'], false);
    });

    test('somebody with a part in one project sees that and no more', async () => {
      const { root, cluster, onCluster } = await openAll();
      const project = await root.create('project', { name: 'kitchen', clusterId: cluster.id });
      const password = 'a long enough password';
      const cook = await root.create('user', { username: 'cook', password, name: 'Cook', enabled: true });
      await root.create('projectRoleTemplateBinding', {
        projectId: project.id,
        roleTemplateId: 'project-owner',
        userPrincipalId: `local://${cook.id}`,
      });
      await onCluster.create('namespace', { name: 'pots', projectId: project.id });
      const own = await signIn('cook', password);
      const asCook = async (path: string) => eventually(() => open(path, own), Boolean, patient);
      const ownRoot = await asCook('/v3');
      const projects = await eventually(
        () => ownRoot.list('project', listing),
        found => found.length === 1,
        patient,
      );
      assert.deepEqual([projects[0]!.id, projects[0]!['name']], [project.id, 'kitchen']);
      assert.deepEqual(
        (await ownRoot.list('cluster', listing)).map(({ id }) => id),
        [cluster.id],
      );
      const ownCluster = await asCook(`/v3/clusters/${cluster.id}`);
      const ownProject = await asCook(`/v3/projects/${project.id}`);
      await asCook('/v1');
      await eventually(
        () => ownCluster.list('namespace', listing),
        found => found.length === 1 && found[0]!.id === 'pots',
        patient,
      );
      assert.deepEqual(await ownProject.list('workload', listing), []);
      await assert.rejects(ownCluster.byId('namespace', 'kube-system'), /404/);
      await assert.rejects(open(`/v3/projects/${(await projectOf(root, cluster, 'System'))!.id}`, own), /404|403/);

      await ownCluster.create('namespace', { name: 'pans', projectId: project.id });
      await eventually(
        () => ownCluster.list('namespace', listing),
        found => found.length === 2,
        patient,
      );
    });

    test('the real program does all of it', { skip: noRancher }, async () => {
      const { cluster, project } = await openAll();
      const bin = path.join(scratch.dir, 'bin');
      mkdirSync(bin);
      symlinkSync(rigProgramPath('kubectl'), path.join(bin, 'kubectl'));
      // With --cacert its newest version takes the certificate for the name of a file when it runs kubectl.
      const env = { HOME: scratch.dir, PATH: bin, RANCHER_CONFIG_DIR: path.join(scratch.dir, 'rancher'), SSL_CERT_FILE: hub.authorities };
      const cli = new CommandLine(rancher, { env, cwd: scratch.dir });
      await cli.expect(`login ${hub.gateway} --token ${token} --context ${project.id}`);
      await cli.expect('context current', { says: 'Cluster:east Project:Default' });
      await cli.expect('clusters ls', { says: ['CURRENT', new RegExp(`\\* +${cluster.id} +active +east`)] });
      await cli.expect('projects ls', { says: ['Default', 'System'] });
      await cli.expect('projects create books');
      await cli.expect('wait books');
      await cli.expect('context switch books', { says: 'Setting new context to project books' });
      await cli.expect('namespaces create shelf');
      await cli.expect('namespaces ls', { says: /shelf +shelf +active/ });
      await cli.expect('kubectl create deployment web --image=web:1 -n shelf', { says: 'created' });
      await eventually(() => cli.expect('ps', { says: /shelf +web +Deployment +active +web:1 +1/ }), Boolean, patient);
      await cli.expect('kubectl get ns', { says: 'shelf' });
      await cli.expect(`namespaces move shelf ${project.id}`);
      await cli.expect('namespaces delete shelf');
      await cli.expect('settings ls', { says: 'server-version' });
      await cli.expect('settings get server-url', { says: hub.gateway });
      await cli.expect('nodes ls', { says: 'NAME' });
      await cli.expect('machines ls', { says: 'NAME' });
      await cli.expect('clusters create south', { says: 'Successfully created cluster south' });
      await cli.expect('clusters import south', { says: 'kubectl apply -f' });
      await cli.expect('inspect --type cluster south', { says: '"name":"south"' });
      await cli.expect('clusters kubeconfig east', { says: `/k8s/clusters/${cluster.id}` });
      await cli.expect('clusters delete south');
      await cli.expect('projects list-roles', { says: 'project-owner' });
      await cli.expect('projects list-members');
    });
  });
