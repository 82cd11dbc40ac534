import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CustomResourceDefinition, Namespace, Secret } from '../api/builtin-kinds.ts';
import { newObject } from '../api/define-kind.ts';
import { Work } from '../api/work.ts';
import { agentKeysName } from '../core/registration/agent-keys.ts';
import { createKey } from '../pki/certificate-authority.ts';
import { hubApiPath, type RegisterAnswer } from '../tunnel/protocol.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { csrFor, proofHeaders, startGatewayRig } from '../../test/helpers/gateway-rig.ts';

async function startAgent(t: Parameters<typeof startGatewayRig>[0]) {
  const rig = await startGatewayRig(t);
  await rig.client.create(CustomResourceDefinition, Work.definition() as CustomResourceDefinition);
  await eventually(() => rig.client.list(Work).then(() => true));
  const id = await rig.addCluster('east');
  const key = createKey();
  const res = await rig.register(await rig.addToken(id), { csr: csrFor(key) });
  const answer = (await res.json()) as RegisterAnswer;
  const spec = { release: { name: 'web', namespace: 'shop' }, manifests: [] };
  await rig.client.create(Work, newObject(Work, { name: 'own', namespace: id }, spec));
  const worksOf = (namespace: string) => `${hubApiPath}/apis/drover.io/v1alpha1/namespaces/${namespace}/works`;
  return { rig, id, worksOf, headers: () => proofHeaders(key, answer) };
}

test('an agent reads its own Works and reports on them, and nothing of others', async t => {
  const { rig, id, worksOf, headers } = await startAgent(t);
  const own = (await (await rig.fetch(worksOf(id), { headers: headers() })).json()) as { items: Work[] };
  assert.deepEqual(
    own.items.map(({ metadata }) => metadata.name),
    ['own'],
  );
  const body = JSON.stringify({ status: { healthy: '1/1' } });
  const patch = (path: string) =>
    rig.fetch(path, { method: 'PATCH', headers: { ...headers(), 'content-type': 'application/merge-patch+json' }, body });
  assert.equal((await patch(`${worksOf(id)}/own/status`)).status, 200);
  assert.equal((await patch(`${worksOf(id)}/own`)).status, 403);
  assert.equal((await rig.client.get(Work, { namespace: id, name: 'own' }))?.status?.healthy, '1/1');

  await rig.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c-m-other000' } });
  const refused = [
    worksOf('c-m-other000'),
    `${hubApiPath}/api/v1/namespaces/${id}/secrets`,
    `${hubApiPath}/apis/drover.io/v1alpha1/contents`,
  ];
  for (const path of refused) assert.equal((await rig.fetch(path, { headers: headers() })).status, 403, path);
});

test('who has no proof, or one that was used, or says to be somebody else, is nobody or himself', async t => {
  const { rig, id, worksOf, headers } = await startAgent(t);
  assert.equal((await rig.fetch(worksOf(id))).status, 401);
  const once = headers();
  assert.equal((await rig.fetch(worksOf(id), { headers: once })).status, 200);
  assert.equal((await rig.fetch(worksOf(id), { headers: once })).status, 401);
  const asAdmin = { ...headers(), 'impersonate-user': 'admin', 'impersonate-group': 'system:masters', 'x-remote-user': 'admin' };
  assert.equal((await rig.fetch(`${hubApiPath}/api/v1/secrets`, { headers: asAdmin })).status, 403);
  for (const path of ['/metrics', '/healthz/../metrics', '/k8s/clusters/east/api', '/'])
    assert.equal((await rig.fetch(`${hubApiPath}${path}`, { headers: headers() })).status, 404, path);
});

test('what an agent follows ends when its identity is taken away', async t => {
  const { rig, id, worksOf, headers } = await startAgent(t);
  const res = await fetch(`${rig.url}${worksOf(id)}?watch=true`, { headers: headers() });
  assert.equal(res.status, 200);
  const reader = res.body!.getReader();
  assert.match(new TextDecoder().decode((await reader.read()).value), /"own"/);
  await rig.client.delete(Secret, { namespace: id, name: agentKeysName });
  const drained = async () => {
    for (;;) if ((await reader.read()).done) return;
  };
  await drained().catch(() => {});
  assert.equal((await rig.fetch(worksOf(id), { headers: headers() })).status, 401);
});
