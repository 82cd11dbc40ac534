import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CustomResourceDefinition } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import type { KubeObject } from '../../src/api/object.ts';
import { httpClient } from '../../src/client/http-client.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { hubKinds } from '../../src/hub/hub-kinds.ts';
import { installKinds } from '../../src/hub/install-kinds.ts';
import { startHub } from '../helpers/hub.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { startEtcd, startRealApiServer } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const skip = missingRig('etcd', 'kube-apiserver', 'kubectl') ?? false;

const clientOf = (kubeconfig: string): KubeClient =>
  httpClient(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })));

const cluster = (spec: object) =>
  ({ apiVersion: 'drover.io/v1alpha1', kind: 'Cluster', metadata: { name: 'c' }, spec }) as unknown as Cluster;

/** What people get wrong, one fault each. */
const wrongClusters: Readonly<Record<string, Cluster>> = {
  'no connection': cluster({}),
  'an unknown mode': cluster({ connection: { mode: 'Magic' } }),
  'Direct without a server': cluster({ connection: { mode: 'Direct' } }),
  'a server for a tunnel': cluster({ connection: { mode: 'Tunnel', server: 'https://x' } }),
  'a server that is no URL': cluster({ connection: { mode: 'Direct', server: 'x' } }),
  'an id of another form': cluster({ id: 'Mine', connection: { mode: 'Tunnel' } }),
  'a sandbox for a tunnel': cluster({ connection: { mode: 'Tunnel' }, sandbox: { nodes: 1 } }),
  'too many nodes': cluster({ connection: { mode: 'Sandbox' }, sandbox: { nodes: 100_000 } }),
  'an unknown effect of a taint': cluster({ connection: { mode: 'Tunnel' }, taints: [{ key: 'a', effect: 'Never' }] }),
  'a field that is not known': cluster({ connection: { mode: 'Tunnel', tunnel: true } }),
};

async function refusals(client: KubeClient): Promise<Record<string, string>> {
  const said: Record<string, string> = {};
  for (const [fault, obj] of Object.entries(wrongClusters)) {
    said[fault] = await client.create(Cluster, obj, { fieldValidation: 'Strict', dryRun: true }).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  }
  return said;
}

test(
  'a real kube-apiserver and ours take every kind of the hub, and refuse the same mistakes in the same words',
  { skip, timeout: 120_000 },
  async () => {
    await using etcd = await startEtcd();
    await using real = await startRealApiServer({ etcd });
    await using hub = await startHub({ extraArgs: ['--api-only'] });
    const said: Record<string, string>[] = [];
    for (const { kubeconfig, dir } of [real, hub]) {
      await using client = clientOf(kubeconfig);
      for (const kind of hubKinds) {
        const definition = kind.definition() as KubeObject & CustomResourceDefinition;
        await client.create(CustomResourceDefinition, definition, { dryRun: true, fieldValidation: 'Strict' });
      }
      await installKinds(client, hubKinds, AbortSignal.timeout(60_000));
      const { items } = await client.list(CustomResourceDefinition);
      const problems = items.flatMap(one => (one.status?.conditions ?? []).filter(({ type }) => type === 'NonStructuralSchema'));
      assert.deepEqual(problems, []);
      said.push(await refusals(client));
      // By kstatus, an object of another generation than was observed is in progress; without either it would count as done.
      const claimed = { ...cluster({ connection: { mode: 'Tunnel' } }), status: { observedGeneration: 1 } };
      await client.create(Cluster, claimed);
      const made = await client.get(Cluster, { name: 'c' });
      assert.equal(made?.metadata.generation, 1);
      assert.deepEqual(made.status, { observedGeneration: -1 }, 'nobody has seen it yet, whatever its maker says');
      const kubectl = kubectlFor('kubectl', { kubeconfig, dir });
      await kubectl.expect('explain clusters.drover.io.spec.connection.mode', { says: 'Direct: the hub calls the server' });
    }
    assert.deepEqual(said[1], said[0]);
    assert.deepEqual(
      Object.entries(said[0]!).filter(([, message]) => message === 'accepted'),
      [],
    );
  },
);
