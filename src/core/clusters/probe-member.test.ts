import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { TransportRequest, TransportResponse } from '../../client/transport.ts';
import { UnreachableError } from '../../client/transport.ts';
import { probeMember } from './probe-member.ts';

const never = new AbortController().signal;

function answering(answers: Record<string, [status: number, body?: string]>, headers = {}) {
  const asked: string[] = [];
  const request = async ({ path }: TransportRequest): Promise<TransportResponse> => {
    asked.push(path);
    const [status, body = ''] = answers[path] ?? [404];
    return { status, headers, body: Readable.from([Buffer.from(body)]) };
  };
  return { client: { request }, asked };
}

test('a server that is ready', async () => {
  const { client } = answering({ '/readyz': [200, 'ok'] }, { date: 'Thu, 01 Jan 2026 00:00:07 GMT' });
  const { answer, memberTime } = await probeMember(client, never);
  assert.deepEqual(answer, { kind: 'ready' });
  assert.equal(memberTime, Date.parse('2026-01-01T00:00:07Z'));
});

test('a server without readyz is asked for its health', async () => {
  const { client, asked } = answering({ '/healthz': [200, 'ok'] });
  assert.equal((await probeMember(client, never)).answer.kind, 'ready');
  assert.deepEqual(asked, ['/readyz', '/healthz']);
});

test('a server that is not ready names what fails', async () => {
  const report = '[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/x failed: not finished\nreadyz check failed';
  const { answer } = await probeMember(answering({ '/readyz': [500, report] }).client, never);
  assert.deepEqual(answer, { kind: 'unready', failing: ['etcd', 'poststarthook/x'] });
});

for (const status of [401, 403])
  test(`a server that answers ${status} refuses the hub`, async () => {
    assert.equal((await probeMember(answering({ '/readyz': [status] }).client, never)).answer.kind, 'refused');
  });

test('a server that cannot be reached is silent, and why is said', async () => {
  const cause = new Error('connection refused');
  const client = { request: () => Promise.reject(new UnreachableError('cannot reach "https://a"', { cause })) };
  assert.deepEqual((await probeMember(client, never)).answer, { kind: 'silent', why: 'cannot reach "https://a": connection refused' });
});

test('a date that is none is no time', async () => {
  const { client } = answering({ '/readyz': [200] }, { date: 'yesterday' });
  assert.equal((await probeMember(client, never)).memberTime, undefined);
});

test('giving up is not an answer', async () => {
  const stop = new AbortController();
  stop.abort(new Error('the hub stops'));
  await assert.rejects(probeMember(answering({}).client, stop.signal), /the hub stops/);
});
