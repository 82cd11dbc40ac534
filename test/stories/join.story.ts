import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { printKubeconfig, scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const readerToken = 'reader-token';
const pluginToken = 'token-from-a-plugin';
const tokens = { [readerToken]: { user: 'reader' }, [pluginToken]: { user: 'plugged', groups: ['system:masters'] } };

for (const kind of hubKindsByTime)
  describe(`joining a cluster by its kubeconfig, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('join');
    let etcd: Etcd;
    let member: RealCluster;
    let hub: EitherHub;
    let drover: CommandLine;
    let kubectl: CommandLine;
    let onMember: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      member = await startRealMember(etcd, { tokens });
      hub = await startEitherHub(kind, etcd);
      drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      await eventually(
        () => kubectl.expect('get clusters.drover.io'),
        () => true,
      );
      onMember = kubectlFor('kubectl', { kubeconfig: member.kubeconfig, dir: member.dir });
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await member?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const nothingOnEitherSide = async () => {
      assert.equal(await kubectl.expect('get clusters.drover.io -o name'), '');
      assert.doesNotMatch(await kubectl.expect('get namespaces -o name'), /c-m-/);
      await eventually(
        () => onMember.expect('get namespaces,clusterroles,clusterrolebindings -o name'),
        found => !found.includes('drover'),
        { timeoutMs: 30_000, what: 'what is left on the member' },
      );
    };
    const authorityOf = async (kubectl: CommandLine) => {
      const data = await kubectl.expect("config view --raw -o jsonpath='{.clusters[0].cluster.certificate-authority-data}'");
      return Buffer.from(data, 'base64').toString();
    };
    const kubeconfig = (name: string, facts: Partial<Parameters<typeof printKubeconfig>[0]>) => {
      const file = path.join(scratch.dir, name);
      writeFileSync(file, printKubeconfig({ server: member.server, ca: '', ...facts }));
      return file;
    };

    test('it becomes ready, and only a token of its own is kept', async () => {
      await drover.expect(`join east --kubeconfig ${member.kubeconfig} --label env=prod`, { says: 'cluster "east" joined' });
      await kubectl.expect('wait clusters.drover.io east --for=condition=Ready --timeout=30s');
      const id = await kubectl.expect('get clusters.drover.io east -o jsonpath={.status.id}');
      assert.match(id, /^c-m-[a-z0-9]{8}$/);
      await kubectl.expect('get clusters.drover.io -l env=prod -o wide', { says: ['east', 'v1.36.3', 'Direct', id] });

      const kept = await kubectl.expect(`get secrets -n ${id} -o json`);
      assert.doesNotMatch(kept, /client-certificate|client-key|kubeconfig/);
      const token = await kubectl.expect(`get secret cluster-credential -n ${id} -o jsonpath={.data.token}`);
      const subject = JSON.parse(Buffer.from(Buffer.from(token, 'base64').toString().split('.')[1]!, 'base64url').toString()) as {
        sub: string;
      };
      assert.equal(subject.sub, `system:serviceaccount:drover-system:drover-${id}`);
    });

    test('the same name or the same cluster is not joined twice', async () => {
      const before = await onMember.expect('get clusterroles,serviceaccounts -A -o name');
      await drover.expect(`join west --kubeconfig ${member.kubeconfig}`, { code: 1, says: 'this cluster is a member already, as "east"' });
      assert.equal(await onMember.expect('get clusterroles,serviceaccounts -A -o name'), before);
      assert.equal((await kubectl.expect('get clusters.drover.io -o name')).trim(), 'cluster.drover.io/east');
    });

    test('unjoin cleans up on both sides', async () => {
      await drover.expect('unjoin east', { says: 'cluster "east" unjoined' });
      await nothingOnEitherSide();
      await drover.expect('unjoin east', { code: 1, says: 'there is no cluster "east"' });
    });

    test('somebody without the rights is told what is missing', async () => {
      await onMember.expect('create clusterrole reader --verb=get --resource=namespaces');
      await onMember.expect('create clusterrolebinding reader --clusterrole=reader --user=reader');
      const file = kubeconfig('reader', { ca: await authorityOf(onMember), token: readerToken });
      await drover.expect(`join east --kubeconfig ${file}`, {
        code: 1,
        says: ['cannot join "east"', 'may not create namespaces', 'an administrator of the cluster'],
      });
      await nothingOnEitherSide();
    });

    test('a credential that the cluster does not know is told as such', async () => {
      const file = kubeconfig('stranger', { ca: await authorityOf(onMember), token: 'nobody' });
      await drover.expect(`join east --kubeconfig ${file}`, { code: 1, says: ['cannot join "east"', 'Unauthorized'] });
      await nothingOnEitherSide();
    });

    test('a kubeconfig that does not answer, or lies about its certificate, changes nothing', async () => {
      const silent = kubeconfig('silent', { server: 'https://127.0.0.1:1', token: 'x' });
      await drover.expect(`join east --kubeconfig ${silent}`, { code: 1, says: ['the cluster does not answer', 'connection refused'] });
      const wrong = kubeconfig('wrong', { ca: await authorityOf(kubectl), token: 'x' });
      await drover.expect(`join east --kubeconfig ${wrong}`, { code: 1, says: 'signed by an unknown authority' });
      await drover.expect('join east --kubeconfig /nowhere', { code: 1, says: 'there is no kubeconfig "/nowhere"' });
      await drover.expect(`join east --kubeconfig ${member.kubeconfig} --context none`, { code: 1, says: '"none"' });
      await nothingOnEitherSide();
    });

    test('an address that the hub cannot reach is taken back', async () => {
      await drover.expect(`join east --kubeconfig ${member.kubeconfig} --server https://127.0.0.1:1 --timeout 3s`, {
        code: 1,
        says: ['the hub cannot reach the cluster', 'connection refused'],
      });
      await nothingOnEitherSide();
    });

    test('a plugin runs on the machine of the user, and nothing of it reaches the hub', async () => {
      const plugin = path.join(scratch.dir, 'plugin');
      const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: pluginToken } };
      writeFileSync(plugin, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`, { mode: 0o700 });
      const file = kubeconfig('plugged', { ca: await authorityOf(onMember) });
      const config = JSON.parse(readFileSync(file, 'utf8')) as { users: { user: object }[] };
      config.users[0]!.user = { exec: { apiVersion: answer.apiVersion, command: plugin, interactiveMode: 'Never' } };
      writeFileSync(file, JSON.stringify(config));
      await drover.expect(`join east --kubeconfig ${file}`, { says: 'joined' });
      const kept = await kubectl.expect('get clusters.drover.io,secrets -A -o json');
      assert.ok(
        !kept.includes(pluginToken) &&
          !kept.includes(Buffer.from(pluginToken).toString('base64')) &&
          !kept.includes('"exec"') &&
          !kept.includes(plugin),
      );
      await drover.expect('unjoin east');
    });

    test('Ctrl-C takes back what was begun', async () => {
      const command = new Program({
        name: 'drover',
        command: path.join(repositoryRoot, 'node_modules/.bin/node'),
        args: [
          path.join(repositoryRoot, 'bin/drover.js'),
          ...['join', 'east', '--kubeconfig', member.kubeconfig, '--server', 'https://127.0.0.1:1', '--hub', hub.kubeconfig],
        ],
        logFile: path.join(scratch.dir, 'join.log'),
      });
      // The credential of an earlier member may still be on its way out: only the Cluster says that this join has begun.
      await eventually(
        () => kubectl.run('get clusters.drover.io east'),
        ({ code }) => code === 0,
      );
      command.kill('SIGINT');
      assert.equal(await command.exited, 130, command.logTail());
      await nothingOnEitherSide();
    });

    test('a name or label that the hub does not take changes nothing', async () => {
      await drover.expect(`join Not_A_Name --kubeconfig ${member.kubeconfig}`, { code: 1, says: 'Not_A_Name' });
      await drover.expect(`join east --kubeconfig ${member.kubeconfig} --label env`, { code: 2, says: 'KEY=VALUE' });
      await drover.expect(`join east --kubeconfig ${member.kubeconfig} --label 'a b=c'`, { code: 1, says: 'a b' });
      await nothingOnEitherSide();
    });

    test('a member that is gone is removed by force, and cleaned up later with its own kubeconfig', async () => {
      await drover.expect(`join east --kubeconfig ${member.kubeconfig}`);
      const id = await kubectl.expect('get clusters.drover.io east -o jsonpath={.status.id}');
      await member.kill();
      await kubectl.expect('wait clusters.drover.io east --for=condition=Connected=False --timeout=60s');
      await drover.expect('unjoin east', { code: 1, says: ['does not answer', '--force'] });
      await drover.expect('unjoin east --force', { says: 'unjoined' });
      assert.doesNotMatch(await kubectl.expect('get namespaces -o name'), new RegExp(id));

      await member.revive();
      // Its controller manager asks a server that was away only now and then; until it is back, joining says so and leaves nothing behind.
      await eventually(
        () => drover.run(`join east --kubeconfig ${member.kubeconfig}`),
        ({ code }) => code === 0,
        { timeoutMs: 120_000 },
      );
      await drover.expect(`unjoin east --kubeconfig ${member.kubeconfig}`, { says: 'unjoined' });
    });
  });
