import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Cluster } from '../../src/api/cluster.ts';
import { findCondition } from '../../src/api/conditions.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { httpClient } from '../../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { eventually } from '../helpers/eventually.ts';
import { startExternalHub } from '../helpers/external-hub.ts';
import { startEtcd, startRealApiServer } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const skip = missingRig('etcd', 'kube-apiserver') ?? false;

test('a hub whose API server goes away for a while goes on when it is back', { skip, timeout: 180_000 }, async () => {
  await using etcd = await startEtcd();
  await using real = await startRealApiServer({ etcd });
  using scratch = tempDir('outage');
  await using hub = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir: path.join(scratch.dir, 'data') });
  await using client = httpClient(contextTransport(readContext(readKubeconfigs(real.kubeconfig, {}), { env: {} })));
  const create = (name: string) => client.create(Cluster, newObject(Cluster, { name }, { connection: { mode: 'Sandbox' } }));
  const isReady = async (name: string) => findCondition(await client.get(Cluster, { name }), 'Ready')?.status === 'True';
  await create('before');
  await eventually(() => isReady('before'), Boolean, { timeoutMs: 30_000 });

  await real.kill();
  assert.equal((await hub.request('/livez')).code, 200, 'the hub itself lives');
  await real.revive();

  await create('after');
  await eventually(() => isReady('after'), Boolean, { timeoutMs: 60_000 });
  assert.ok(hub.program.isRunning);
});
