import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Namespace, Pod, ServiceAccount } from '../../api/builtin-kinds.ts';
import { agentConditions, Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer } from '../../runtime/informer.ts';
import { clusterIndexes } from '../clusters/cluster-indexes.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { runAgentPodsController } from './agent-pods-controller.ts';
import { agentDeployment, agentNamespace } from './agent-names.ts';

async function makePod(member: KubeClient, name: string): Promise<Pod> {
  return member.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: agentNamespace, labels: { app: agentDeployment } },
    spec: { containers: [{ name: 'cluster-register', image: 'drover:missing' }] },
  });
}

const stuckStatus = {
  containerStatuses: [
    {
      name: 'cluster-register',
      image: 'drover:missing',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: 'ImagePullBackOff' } },
    },
  ],
};

test('the Cluster says that the pod of its agent cannot get its image, and that it can', async t => {
  const hub = await startMemoryHub(t, [Cluster]);
  const { client: member } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const clusters = informer(hub.client, Cluster, { signal: stop.signal, indexes: clusterIndexes });
  const members = { client: () => member, subscribe: () => ({ [Symbol.dispose]() {} }) };
  runAgentPodsController({ hub: hub.client, clusters, members, signal: stop.signal });
  const deployed = async () => findCondition(await hub.client.get(Cluster, { name: 'east' }), agentConditions.deployed);

  await member.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace } });
  await eventually(() => member.get(ServiceAccount, { namespace: agentNamespace, name: 'default' }));
  const pod = await makePod(member, 'agent-1');
  await member.update(Pod, { ...pod, status: stuckStatus }, { subresource: 'status' });

  const cluster = await hub.client.create(Cluster, newObject(Cluster, { name: 'east' }, { connection: { mode: 'Tunnel' } }));
  const connected = { type: clusterConditions.connected, status: 'True' as const, reason: 'Answering', message: 'It answers' };
  const conditions = [{ ...connected, lastTransitionTime: '2026-11-16T00:00:00Z' }];
  await hub.client.apply(Cluster, { metadata: { name: 'east' }, status: { conditions } }, { subresource: 'status', fieldManager: 'test' });

  const stuck = await eventually(deployed, condition => condition?.status === 'False');
  assert.equal(stuck?.reason, 'ImagePullBackOff');
  assert.match(stuck?.message ?? '', /cannot pull image "drover:missing" for pod "agent-1"/);
  const present = await hub.client.get(Cluster, { name: 'east' });
  assert.equal(findCondition(present, clusterConditions.connected)?.status, 'True', 'what others wrote stays');
  assert.equal(present?.metadata.uid, cluster.metadata.uid);

  await member.delete(Pod, { namespace: agentNamespace, name: 'agent-1' });
  await eventually(deployed, condition => condition === undefined);
});
