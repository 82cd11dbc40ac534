import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { fakeNode } from '../helpers/kwok.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');

interface Status {
  readonly lastSeen?: string;
  readonly version?: string;
  readonly provider?: string;
  readonly nodes?: { total: number; ready: number };
  readonly allocatable?: Record<string, string>;
  readonly apiResources?: { groupVersion: string; resources: { name: string }[] }[];
  readonly conditions?: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[];
}

for (const kind of hubKindsByTime)
  describe(`the hub says how a cluster is, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('cluster-status');
    let etcd: Etcd;
    let member: RealCluster;
    let hub: EitherHub;
    let kubectl: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      member = await startRealMember(etcd);
      hub = await startEitherHub(kind, etcd);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      await eventually(
        () => kubectl.expect('get clusters.drover.io'),
        () => true,
      );
      await droverFor({ hub: hub.kubeconfig, dir: scratch.dir }).expect(`join east --kubeconfig ${member.kubeconfig}`);
      await until('Ready', 'True');
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await member?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const read = async () => JSON.parse(await kubectl.expect('get clusters.drover.io east -o json')) as { status: Status };
    const condition = ({ conditions }: Status, type: string) => conditions?.find(one => one.type === type);
    const eventuallyStatus = async (isRight: (status: Status) => boolean, timeoutMs = 60_000) =>
      (await eventually(read, ({ status }) => isRight(status), { timeoutMs, everyMs: 250, what: 'the status of the cluster' })).status;
    const until = (type: string, status: string, timeoutMs?: number) =>
      eventuallyStatus(present => condition(present, type)?.status === status, timeoutMs);

    test('what it is and what it serves', async () => {
      const status = await eventuallyStatus(present => present.apiResources !== undefined && present.version !== undefined);
      assert.equal(status.version, 'v1.36.3');
      assert.deepEqual(
        ['Ready', 'Connected', 'ClockSynced'].map(type => condition(status, type)?.status),
        ['True', 'True', 'True'],
      );
      const apps = status.apiResources?.find(one => one.groupVersion === 'apps/v1');
      assert.ok(apps?.resources.some(one => one.name === 'deployments'));
    });

    test('nodes that come, and go, are counted as they do', async () => {
      await member.request('POST', '/api/v1/nodes', fakeNode('n1'));
      await member.request('POST', '/api/v1/nodes', fakeNode('n2'));
      const two = await eventuallyStatus(({ nodes }) => nodes?.total === 2);
      assert.deepEqual(two.allocatable, { cpu: '64', memory: '512Gi', pods: '220' });
      assert.equal(two.provider, 'kwok');
      await member.request('DELETE', '/api/v1/nodes/n2');
      await eventuallyStatus(({ nodes, allocatable }) => nodes?.total === 1 && allocatable?.['cpu'] === '32');
    });

    for (const how of ['dies', 'hangs'] as const)
      test(`a server that ${how} is shown as lost, and as back when it returns`, async () => {
        const before = await until('Ready', 'True');
        if (how === 'dies') await member.kill();
        else process.kill(member.pid, 'SIGSTOP');
        const lost = await until('Ready', 'False').finally(() => how === 'hangs' && process.kill(member.pid, 'SIGCONT'));
        assert.equal(condition(lost, 'Ready')?.reason, 'Unreachable');
        assert.equal(condition(lost, 'Connected')?.status, 'False');
        assert.equal(condition(lost, 'ClockSynced')?.status, 'Unknown');
        assert.ok(Date.parse(lost.lastSeen!) >= Date.parse(before.lastSeen!));
        assert.ok(Date.parse(lost.lastSeen!) <= Date.parse(condition(lost, 'Ready')!.lastTransitionTime));
        // What was known of it is not forgotten.
        assert.deepEqual([lost.version, lost.nodes], [before.version, before.nodes]);

        if (how === 'dies') await member.revive();
        const back = await until('Ready', 'True');
        assert.ok(Date.parse(back.lastSeen!) > Date.parse(lost.lastSeen!));
        await kubectl.expect('events --for clusters.drover.io/east -n default', { says: [/Warning +ReadinessChanged/, 'is ready again'] });
        await kubectl.expect('get clusters.drover.io', { says: /east +True +Answering +v1\.36\.3 +1 +\d/ });
      });

    test('a credential that is taken away is told apart from a server that is gone', async () => {
      const id = await kubectl.expect('get clusters.drover.io east -o jsonpath={.status.id}');
      await member.request('DELETE', `/api/v1/namespaces/drover-system/serviceaccounts/drover-${id}`);
      await eventuallyStatus(present => condition(present, 'Connected')?.reason === 'CredentialRefused');
      await kubectl.expect(`delete secret -n ${id} cluster-credential`);
      await eventuallyStatus(present => condition(present, 'Connected')?.reason === 'CredentialMissing');
    });
  });
