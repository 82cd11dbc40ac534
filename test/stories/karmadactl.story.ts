import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'karmadactl');

for (const kind of hubKindsByTime)
  describe(`karmadactl, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('karmadactl');
    let etcd: Etcd;
    let member: RealCluster;
    let hub: EitherHub;
    let kubectl: CommandLine;
    let onMember: CommandLine;
    let karmadactl: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      member = await startRealMember(etcd);
      hub = await startEitherHub(kind, etcd);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      onMember = kubectlFor('kubectl', { kubeconfig: member.kubeconfig, dir: member.dir });
      karmadactl = new CommandLine(rigProgramPath('karmadactl'), {
        env: { KUBECONFIG: hub.kubeconfig, HOME: scratch.dir },
        cwd: scratch.dir,
        timeoutMs: 100_000,
      });
      // The kind is there soon after the hub.
      await eventually(
        () => kubectl.expect('get clusters.cluster.karmada.io'),
        () => true,
      );
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await member?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const testIfEmbedded = kind === 'embedded' ? test : () => {};
    const join = (name: string, more = '') => `join ${name} --cluster-kubeconfig=${member.kubeconfig} --cluster-context=rig ${more}`;

    // The real one waits half a minute for a token that its dry run does not ask for, and says so.
    testIfEmbedded('a dry run changes nothing on the hub', async () => {
      await karmadactl.run(join('east', '--dry-run'));
      assert.equal(await kubectl.expect('get clusters.cluster.karmada.io -o name'), '');
      assert.equal(await kubectl.expect('get clusters.drover.io -o name'), '');
    });

    test('join makes a cluster that becomes ready', async () => {
      await karmadactl.expect(join('east', '--cluster-provider=acme --cluster-region=eu --cluster-zones=a,b'), {
        says: 'cluster(east) is joined successfully',
      });
      await kubectl.expect('wait clusters.cluster.karmada.io east --for=condition=Ready --timeout=60s');
      await kubectl.expect('wait clusters.drover.io east --for=condition=Ready --timeout=60s');
      await kubectl.expect('get clusters.cluster.karmada.io', { says: [/NAME +VERSION +MODE +READY +AGE/, /east +v1\.36\.3 +Push +True/] });
      await kubectl.expect('get clusters.cluster.karmada.io -o wide', { says: ['ZONES', 'acme', 'eu', member.server] });
      await kubectl.expect('get namespace karmada-es-east karmada-cluster');
      const enablements = await kubectl.expect('get clusters.cluster.karmada.io east -o jsonpath={.status.apiEnablements[*].groupVersion}');
      assert.match(enablements, /apps\/v1/);
      const owners = await kubectl.expect('get secrets -n karmada-cluster -o jsonpath={.items[*].metadata.ownerReferences[*].kind}');
      assert.equal(owners, 'Cluster Cluster');
    });

    test('the same name or the same cluster is not joined twice', async () => {
      await karmadactl.expect(join('west'), { code: 1, says: /the cluster ID .* or the cluster name west has been registered/ });
      await karmadactl.expect(join('east'), { code: 1, says: 'has been registered' });
      assert.equal((await kubectl.expect('get clusters.drover.io -o name')).trim(), 'cluster.drover.io/east');
    });

    test('cordon and uncordon reach the Cluster', async () => {
      const taints = () => kubectl.expect('get clusters.drover.io east -o jsonpath={.spec.taints[*].key}');
      await karmadactl.expect('cordon east', { says: 'east cluster cordoned' });
      await eventually(taints, found => found === 'cluster.karmada.io/unschedulable');
      await karmadactl.expect('cordon east', { says: 'already cordoned' });
      await karmadactl.expect('uncordon east', { says: 'east cluster uncordoned' });
      await eventually(taints, found => found === '');
    });

    // A real API server does not know the subresource "proxy".
    testIfEmbedded('get reaches into the member', async () => {
      await onMember.expect('create configmap hello --from-literal=a=b');
      await karmadactl.expect('get configmaps -C east --operation-scope members', {
        says: [/NAME +CLUSTER +DATA +AGE +ADOPTION/, /hello +east +1/],
      });
      await karmadactl.expect('get configmaps -C nowhere --operation-scope members', { code: 1, says: 'nowhere' });
    });

    test('unjoin removes both clusters, and with a kubeconfig what was put on the member', async () => {
      await karmadactl.expect('unjoin nobody', { code: 1, says: 'no cluster object nobody found' });
      await karmadactl.expect(`unjoin east --cluster-kubeconfig=${member.kubeconfig} --cluster-context=rig --wait=60s`);
      assert.equal(await kubectl.expect('get clusters.cluster.karmada.io -o name'), '');
      assert.equal(await kubectl.expect('get clusters.drover.io -o name'), '');
      const namespaces = await kubectl.expect('get namespaces -o name');
      assert.doesNotMatch(namespaces, /karmada-es-|c-m-/);
      await eventually(
        () => kubectl.expect('get secrets -n karmada-cluster -o name'),
        found => found === '',
      );
      await eventually(
        () => onMember.expect('get namespaces,clusterroles,clusterrolebindings -o name'),
        found => !found.includes('karmada'),
        { timeoutMs: 30_000 },
      );
    });

    test('a member that died is unjoined all the same', async () => {
      await karmadactl.expect(join('east'));
      await kubectl.expect('wait clusters.cluster.karmada.io east --for=condition=Ready --timeout=60s');
      await member.kill();
      await kubectl.expect('wait clusters.cluster.karmada.io east --for=condition=Ready=False --timeout=60s');
      const reason = await kubectl.expect(
        'get clusters.cluster.karmada.io east -o jsonpath=\'{.status.conditions[?(@.type=="Ready")].reason}\'',
      );
      assert.equal(reason, 'ClusterNotReachable');
      const taints = () => kubectl.expect('get clusters.cluster.karmada.io east -o jsonpath={.spec.taints[*].key}');
      await eventually(taints, found => found === 'cluster.karmada.io/not-ready');
      await karmadactl.expect('unjoin east --wait=90s');
      assert.equal(await kubectl.expect('get clusters.drover.io -o name'), '');
    });
  });
