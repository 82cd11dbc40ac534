import assert from 'node:assert/strict';
import { ClientRequest } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { test } from 'node:test';
import { readBytes } from '../../client/read-answer.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';

test('nothing of a request is left when it is over', async t => {
  const { transport } = await startMemoryServer(t);
  for (let i = 0; i < 50; i++) {
    const { body } = await transport.request({ method: 'GET', path: i % 2 === 0 ? '/version' : '/nothing', headers: {} });
    await readBytes(body);
  }
  for (let i = 0; i < 10; i++) await turn();
  const left = queryObjects(ClientRequest, { format: 'count' });
  assert.ok(left < 10, `${left} of 50 requests are still in memory`);
});

test('an answer that is read late is whole', async t => {
  const { transport } = await startMemoryServer(t);
  const path = '/openapi/v3/apis/apps/v1';
  const ask = () => transport.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  const quick = await readBytes((await ask()).body);
  const { body } = await ask();
  for (let i = 0; i < 50; i++) await turn();
  assert.ok(quick.length > 100_000);
  assert.equal((await readBytes(body)).length, quick.length);
});
