import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { managerDefinition, startInformerJudge, startManagerJudge } from '../helpers/judges.ts';
import { startControllerManager, startEtcd, startRealApiServer } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const skip = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'informer', 'manager') ?? false;

test('the judges tell what a real server shows them', { skip, timeout: 120_000 }, async () => {
  await using etcd = await startEtcd();
  await using cluster = await startRealApiServer({ etcd });
  await startControllerManager(cluster, { controllers: ['serviceaccount-controller', 'garbage-collector-controller'] });
  const { request, kubeconfig, dir } = cluster;
  assert.equal((await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', managerDefinition())).code, 201);
  const echoes = '/apis/judge.drover.io/v1/namespaces/default/echoes';
  await eventually(async () => (await request('GET', echoes)).code === 200);

  await using informer = startInformerJudge({ kubeconfig, dir, namespace: 'default', dynamic: ['judge.drover.io/v1/echoes'] });
  await informer.hears(line => line.type === 'ALL_SYNCED', 'that all caches are filled');
  await using manager = startManagerJudge({ kubeconfig, dir });
  await manager.hears(line => line.type === 'elected', 'that it leads');

  const echo = { apiVersion: 'judge.drover.io/v1', kind: 'Echo', metadata: { name: 'hello' }, spec: { message: 'hi' } };
  assert.equal((await request('POST', echoes, echo)).code, 201);
  await manager.hears(line => line.type === 'reported' && line.name === 'hello', 'that it reported the echo');
  await informer.hears(line => line.type === 'ADDED' && line.name === 'hello-echo', 'of the owned config map');

  await request('DELETE', `${echoes}/hello`);
  await manager.hears(line => line.type === 'farewell', 'farewell');
  await informer.hears(line => line.type === 'DELETED' && line.name === 'hello', 'that the echo is gone');
});
