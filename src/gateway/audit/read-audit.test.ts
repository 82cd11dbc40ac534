import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { tempDir } from '../../../test/helpers/temp-dir.ts';
import { auditLog } from '../../apiserver/audit/audit-log.ts';
import { parseAuditQuery, type AuditQuery } from './audit-query.ts';
import { readAudit } from './read-audit.ts';

function start(t: TestContext, maxFileBytes?: number) {
  const scratch = tempDir('read-audit');
  const path = join(scratch.dir, 'audit.log');
  const log = auditLog({ path, ...(maxFileBytes !== undefined && { maxFileBytes, maxFiles: 1000 }) });
  const stop = new AbortController();
  t.after(async () => {
    stop.abort();
    await log[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });
  const read = async (query: AuditQuery = {}, newest?: number) => {
    const found: unknown[] = [];
    for await (const line of readAudit(log, query, { newest, signal: stop.signal })) found.push((JSON.parse(line) as { n: unknown }).n);
    return found;
  };
  return { log, path, stop, read };
}

const event = (n: number, more: object = {}) => ({ n, requestReceivedTimestamp: new Date(Date.UTC(2026, 0, 1, n)).toISOString(), ...more });

test('an empty log has no lines', async t => assert.deepEqual(await start(t).read(), []));

test('lines come in the order they were written, through files that were put aside', async t => {
  const { log, read } = start(t, 300);
  for (let n = 0; n < 20; n++) {
    log.write(event(n));
    await log.flush();
  }
  assert.deepEqual(
    await read(),
    Array.from({ length: 20 }, (_, n) => n),
  );
});

test('lines are chosen by user, cluster, verb and time', async t => {
  const { log, read } = start(t);
  const of = (username: string, cluster?: string) => ({
    user: { username },
    annotations: {
      'drover.io/login-name': `${username}@example.com`,
      ...(cluster !== undefined && { 'drover.io/cluster': cluster, 'drover.io/cluster-id': `c-${cluster}` }),
    },
  });
  log.write(event(0, { ...of('jane', 'east'), verb: 'get' }));
  log.write(event(1, { ...of('joe'), verb: 'delete' }));
  log.write(event(2, { ...of('root', 'east'), impersonatedUser: { username: 'jane' }, verb: 'delete' }));
  assert.deepEqual(await read({ user: 'jane' }), [0, 2]);
  assert.deepEqual(await read({ user: 'joe@example.com' }), [1]);
  assert.deepEqual(await read({ user: 'anybody', aliases: ['joe'] }), [1]);
  assert.deepEqual(await read({ cluster: 'east' }), [0, 2]);
  assert.deepEqual(await read({ cluster: 'c-east', verb: 'get' }), [0]);
  assert.deepEqual(await read({ cluster: 'local' }), [1]);
  assert.deepEqual(await read({ since: new Date(Date.UTC(2026, 0, 1, 1)) }), [1, 2]);
  assert.deepEqual(await read({ user: 'nobody' }), []);
});

test('a line that a crash has cut is passed over', async t => {
  const { log, path, read } = start(t);
  appendFileSync(path, '{"n":1,"user":\n[]\n"text"\n');
  log.write(event(2));
  assert.deepEqual(await read(), [2]);
});

test('who follows sees what is written later, also when the file is put aside meanwhile', async t => {
  const { log, stop } = start(t, 300);
  const seen: number[] = [];
  const enough = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const line of readAudit(log, {}, { isFollowing: true, signal: stop.signal })) {
      seen.push((JSON.parse(line) as { n: number }).n);
      if (seen.length === 12) enough.resolve();
    }
  })();
  for (let n = 0; n < 12; n++) {
    log.write(event(n));
    await log.flush();
  }
  await enough.promise;
  stop.abort();
  await following;
  assert.deepEqual(
    seen,
    Array.from({ length: 12 }, (_, n) => n),
  );
});

test('a query says since when, or is refused', () => {
  assert.deepEqual(parseAuditQuery(new URLSearchParams('user=a&verb=&other=x')), { user: 'a' });
  assert.deepEqual(parseAuditQuery(new URLSearchParams('since=2026-01-01T00:00:00Z')), { since: new Date(Date.UTC(2026, 0, 1)) });
  assert.throws(() => parseAuditQuery(new URLSearchParams('since=yesterday')), /since must be a time/);
});

test('the newest lines alone, from the file that was put aside too, and then what follows', async t => {
  const { log, read, stop } = start(t, 300);
  assert.deepEqual(await read({}, 3), []);
  for (let n = 0; n < 20; n++) {
    log.write(event(n));
    await log.flush();
  }
  assert.deepEqual(await read({}, 3), [17, 18, 19]);
  assert.deepEqual(await read({}, 1), [19]);
  const lines = readAudit(log, {}, { isFollowing: true, newest: 2, signal: stop.signal });
  const next = async () => (JSON.parse((await lines.next()).value as string) as { n: unknown }).n;
  assert.deepEqual([await next(), await next()], [18, 19]);
  log.write(event(20));
  assert.equal(await next(), 20);
  stop.abort();
  assert.equal((await lines.next()).done, true);
});

test('changes are what people and their robots did: nothing read, refused, tried, or done by the hub itself', async t => {
  const { log, read } = start(t);
  const change = (n: number, username: string, more: object = {}) =>
    log.write(event(n, { user: { username }, verb: 'patch', objectRef: { resource: 'clusters' }, responseStatus: { code: 200 }, ...more }));
  change(0, 'user-abc');
  change(1, 'system:serviceaccount:ci:deployer');
  change(2, 'system:admin');
  change(3, 'system:drover:hub');
  change(4, 'system:drover:agent:c-m-a');
  change(5, 'system:serviceaccount:kube-system:garbage-collector');
  change(6, 'user-abc', { verb: 'get' });
  change(7, 'user-abc', { responseStatus: { code: 403 } });
  change(8, 'user-abc', { verb: 'create', objectRef: { resource: 'selfsubjectaccessreviews' } });
  change(9, 'user-abc', { requestURI: '/apis/drover.io/v1alpha1/clusters/east?fieldManager=x&dryRun=All' });
  change(10, 'user-abc', { objectRef: { resource: 'works', subresource: 'status' } });
  change(11, 'user-abc', { objectRef: undefined });
  assert.deepEqual(await read(parseAuditQuery(new URLSearchParams('changes=true'))), [0, 1, 2]);
});
