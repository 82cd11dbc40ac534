import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { accountToken } from '../../../test/helpers/account-token.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { tempDir } from '../../../test/helpers/temp-dir.ts';
import { ClusterRoleBinding } from '../../api/builtin-kinds.ts';
import { auditLog } from '../../apiserver/audit/audit-log.ts';
import { embeddedClientAs } from '../../hub/embedded-client-as.ts';
import { sendError } from '../answer.ts';
import { embeddedAccess } from '../embedded-access.ts';
import { auditRoute } from './audit-route.ts';

async function start(t: TestContext) {
  const { api, client } = await startMemoryServer(t);
  const scratch = tempDir('audit-route');
  const log = auditLog({ path: join(scratch.dir, 'audit.log') });
  const access = embeddedAccess({ ...api, clientAs: embeddedClientAs(api) });
  const route = auditRoute({ access, log, recheckMs: 20 });
  const server = createServer((req, res) => void route.handle(req, res).catch((error: unknown) => sendError(req, res, error)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await log[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit/events`;
  const reader = await accountToken(client, 'reader', [{ nonResourceURLs: ['/audit/events'], verbs: ['get'] }]);
  const ask = (query = '', token = reader, method = 'GET') =>
    fetch(`${url}${query}`, {
      method,
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
  return { client, log, ask };
}

test('the log is for those who may get its address', async t => {
  const { client, log, ask } = await start(t);
  log.write({ verb: 'get', user: { username: 'jane' }, n: 1 });
  log.write({ verb: 'delete', user: { username: 'joe' }, n: 2 });
  const answer = await ask('?user=joe');
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/x-ndjson']);
  assert.deepEqual(JSON.parse(await answer.text()), { verb: 'delete', user: { username: 'joe' }, n: 2 });
  assert.equal((await ask('?since=whenever')).status, 400);
  assert.equal((await ask('', undefined, 'DELETE')).status, 405);
  const stranger = await accountToken(client, 'stranger', [{ nonResourceURLs: ['/audit'], verbs: ['*'] }]);
  assert.equal((await ask('', stranger)).status, 403);
  assert.equal((await ask('', '')).status, 401);
});

test('who follows it sees what happens, until the right to it is gone', async t => {
  const { client, log, ask } = await start(t);
  const answer = await ask('?follow=true');
  const chunks = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  log.write({ n: 1 });
  assert.deepEqual(JSON.parse((await chunks.read()).value!), { n: 1 });
  await client.delete(ClusterRoleBinding, { name: 'reader' });
  await assert.rejects(async () => {
    for (;;) if ((await chunks.read()).done) throw new Error('it ended');
  });
});
