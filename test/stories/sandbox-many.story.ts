import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { CommandLine } from '../helpers/kubectl.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { repositoryRoot } from '../helpers/rig.ts';

const count = 50;

interface ClusterLike {
  metadata: { name: string };
  status?: { server?: string; uid?: string; conditions?: { type: string; status: string }[] };
}

const isReady = ({ status }: ClusterLike) => status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True') === true;

describe(`I hold ${count} clusters on my laptop`, { timeout: 240_000 }, () => {
  const scratch = scratchDir('sandboxes');
  const dataDir = path.join(scratch.dir, 'data');
  let hub: Hub;
  const clusters = async () => (await hub.request('GET', '/apis/drover.io/v1alpha1/clusters')).json<{ items: ClusterLike[] }>().items;
  const allReady = () =>
    eventually(clusters, all => all.length === count && all.every(isReady), {
      timeoutMs: 120_000,
      what: `readiness of ${count} sandboxes`,
    });
  const inSandbox = async <T>(name: string, work: (target: HttpTarget) => Promise<T>): Promise<T> => {
    const target = new HttpTarget(readKubeconfig(path.join(dataDir, 'sandboxes', `${name}.kubeconfig`)));
    try {
      return await work(target);
    } finally {
      target.close();
    }
  };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  };
  const readyReplicas = (name: string) =>
    inSandbox(name, async target => {
      const answer = await target.request('GET', '/apis/apps/v1/namespaces/default/deployments/web');
      return answer.json<{ status?: { readyReplicas?: number } }>().status?.readyReplicas;
    });

  before(async () => {
    hub = await startHub({ dataDir, extraArgs: ['--sandbox', String(count)] });
  });
  after(async () => {
    await hub?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  test('all of them become ready, each with an address and an identity of its own', async () => {
    const all = await allReady();
    assert.equal(new Set(all.map(({ status }) => status?.server)).size, count);
    const known = await eventually(clusters, found => found.every(({ status }) => status?.uid !== undefined), { timeoutMs: 60_000 });
    assert.equal(new Set(known.map(({ status }) => status?.uid)).size, count);
  });

  test('the same deployment comes to run in each of them', async () => {
    const names = (await clusters()).map(({ metadata }) => metadata.name);
    await Promise.all(
      names.map(name =>
        inSandbox(name, async target => {
          assert.equal((await target.request('POST', '/apis/apps/v1/namespaces/default/deployments', deployment)).code, 201);
        }),
      ),
    );
    for (const name of names)
      await eventually(
        () => readyReplicas(name),
        replicas => replicas === 2,
        { timeoutMs: 60_000, what: `deployment in "${name}"` },
      );
  });

  test('a restart finds all of them where they were', async () => {
    const addresses = (await clusters()).map(({ metadata, status }) => [metadata.name, status?.server]);
    const port = Number(new URL(hub.server).port);
    await hub.program.stop({ graceMs: 30_000 });
    hub = await startHub({ dataDir, port, extraArgs: ['--sandbox', String(count)] });
    await allReady();
    assert.deepEqual(
      (await clusters()).map(({ metadata, status }) => [metadata.name, status?.server]),
      addresses,
    );
    assert.equal(await readyReplicas('sandbox-7'), 2);
  });

  test('removing some leaves the others alone', async () => {
    const env = { DROVER_KUBECONFIG: hub.kubeconfig, HOME: scratch.dir };
    const node = path.join(repositoryRoot, 'node_modules/.bin/node');
    const drover = new CommandLine(node, { env, cwd: scratch.dir }, [path.join(repositoryRoot, 'bin/drover.js')]);
    for (const name of ['sandbox-1', 'sandbox-25', 'sandbox-50']) await drover.expect(`sandbox delete ${name}`, { says: 'deleted' });
    assert.equal((await clusters()).length, count - 3);
    assert.equal(await readyReplicas('sandbox-2'), 2);
  });
});
