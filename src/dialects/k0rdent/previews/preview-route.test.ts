import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { accountToken } from '../../../../test/helpers/account-token.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { Work } from '../../../api/work.ts';
import { sendError } from '../../../gateway/answer.ts';
import { embeddedAccess } from '../../../gateway/embedded-access.ts';
import { embeddedClientAs } from '../../../hub/embedded-client-as.ts';
import { createRenderPool } from '../../../render/render-pool.ts';
import { k0rdentKinds } from '../k0rdent-kinds.ts';
import { MultiClusterService } from '../kinds/multi-cluster-service.ts';
import { previewPath, previewRoute } from './preview-route.ts';

test('who may write a service may ask what it would change; nobody else, and nothing is written', async t => {
  const { api, client } = await startMemoryHub(t, [...k0rdentKinds, Cluster, Work]);
  await using renderer = createRenderPool({ size: 1 });
  const access = embeddedAccess({ ...api, clientAs: embeddedClientAs(api) });
  const transportOf = () => assert.fail('no member is meant');
  const route = previewRoute({ access, transportOf, renderer });
  const server = createServer((req, res) => void route.handle(req, res).catch((error: unknown) => sendError(req, res, error)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close().closeAllConnections());
  const reads = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
  const groups = { apiGroups: [MultiClusterService.group], resources: [MultiClusterService.resource] };
  const [reader, writer] = [
    await accountToken(client, 'reader', [reads]),
    await accountToken(client, 'writer', [reads, { ...groups, verbs: ['create', 'patch'] }]),
  ];
  const ask = async (token: string, body: unknown, method = 'POST') => {
    const res = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${previewPath}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { code: res.status, text: await res.text() };
  };
  const web = newObject(MultiClusterService, { name: 'web' }, { clusterSelector: { matchLabels: { env: 'prod' } } });
  assert.deepEqual(await ask(writer, web), { code: 200, text: '{"clusters":[]}\n' });
  assert.equal(await client.get(MultiClusterService, { name: 'web' }), undefined);
  assert.equal((await ask(reader, web)).code, 403);
  assert.equal((await ask('', web)).code, 401);
  assert.equal((await ask(writer, undefined, 'GET')).code, 405);
  assert.match((await ask(writer, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} })).text, /must be one of/);
  const wrong = await ask(writer, { ...web, spec: { clusterSelector: 7 } });
  assert.deepEqual([wrong.code, /clusterSelector/.test(wrong.text)], [422, true]);
});
