import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandboxCluster } from '../../test/helpers/sandbox-cluster.ts';
import { inProcessTransport } from '../apiserver/http/in-process-transport.ts';
import { readBytes } from '../client/read-answer.ts';
import type { Transport, TransportRequest } from '../client/transport.ts';
import { hubUser } from '../hub/embedded-client.ts';
import { Cluster } from '../api/cluster.ts';
import { quickAnswer } from './quick-answers.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const get = (path: string, headers: TransportRequest['headers'] = {}): TransportRequest => ({ method: 'GET', path, headers });

async function bodyOf(transport: Transport, req: TransportRequest): Promise<string> {
  return (await readBytes((await transport.request(req)).body, 10_000_000)).toString();
}

test('quick answers are those that the sandbox itself gives', async t => {
  const { sandbox, ...cluster } = await startSandboxCluster({ nodes: 1 });
  t.after(() => cluster[Symbol.asyncDispose]());
  const transport = inProcessTransport(sandbox.api.handlerAs(hubUser));
  t.after(() => transport[Symbol.asyncDispose]());
  const ask = (req: TransportRequest) => quickAnswer(sandbox, () => transport, req);

  for (const req of [get('/readyz'), get('/version'), get('/api', { accept: aggregated }), get('/apis', { accept: aggregated })]) {
    const answer = await ask(req);
    assert.equal(answer?.status, 200);
    assert.equal((await readBytes(answer.body, 10_000_000)).toString(), await bodyOf(transport, req), req.path);
  }
  const { etag } = (await ask(get('/apis', { accept: aggregated })))!.headers;
  assert.equal((await ask(get('/apis', { accept: aggregated, 'if-none-match': String(etag) })))?.status, 304);
});

test('what may differ between sandboxes or users is asked of the sandbox', async t => {
  const { sandbox, ...cluster } = await startSandboxCluster({ nodes: 1 });
  t.after(() => cluster[Symbol.asyncDispose]());
  const transport = inProcessTransport(sandbox.api.handlerAs(hubUser));
  t.after(() => transport[Symbol.asyncDispose]());
  const ask = (req: TransportRequest) => quickAnswer(sandbox, () => transport, req);

  assert.equal(await ask(get('/api/v1/namespaces')), undefined);
  assert.equal(await ask(get('/version', { 'impersonate-user': 'ada' })), undefined);
  assert.equal(await ask({ ...get('/version'), method: 'POST' }), undefined);
  assert.notEqual(await ask(get('/apis')), undefined);
  await sandbox.api.cluster.create(
    { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
    Cluster.definition(),
  );
  await sandbox.idle();
  assert.equal(await ask(get('/apis')), undefined);
});
