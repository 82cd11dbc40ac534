import { after, before, test } from 'node:test';
import { httpClient } from '../../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { kubeClientContract } from '../contracts/kube-client-contract.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { startEtcd, startRealApiServer, type RealCluster } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const clientOf = (kubeconfig: string) =>
  httpClient(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })), { pageSize: 2 });

let hub: Hub;
before(async () => {
  hub = await startHub({ extraArgs: ['--api-only'] });
});
after(() => hub[Symbol.asyncDispose]());

kubeClientContract('HTTPS client of our hub', async t => {
  const client = clientOf(hub.kubeconfig);
  t.after(() => client[Symbol.asyncDispose]());
  return { client };
});

const skip = missingRig('etcd', 'kube-apiserver');
if (skip !== undefined) test('HTTPS client of a real kube-apiserver', { skip });
else {
  const stack = new AsyncDisposableStack();
  let real: RealCluster;
  before(async () => {
    real = stack.use(await startRealApiServer({ etcd: stack.use(await startEtcd()) }));
  });
  after(() => stack.disposeAsync());

  kubeClientContract('HTTPS client of a real kube-apiserver', async t => {
    const client = clientOf(real.kubeconfig);
    t.after(() => client[Symbol.asyncDispose]());
    return { client };
  });
}
