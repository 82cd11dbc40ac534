import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { UnreachableError, type Transport, type TransportResponse } from '../../client/transport.ts';
import { guardedTransport } from './guarded-transport.ts';

const answer: TransportResponse = { status: 200, headers: {}, body: Readable.from([]) };

/** A server that answers, refuses or hangs as it is told. */
function fakeServer() {
  const state = { mode: 'answers' as 'answers' | 'refuses' | 'hangs', requests: 0 };
  const request = async () => {
    state.requests++;
    if (state.mode === 'refuses') throw new UnreachableError('connection refused');
    if (state.mode === 'hangs') await new Promise(() => {});
    return answer;
  };
  const transport: Transport = { request, upgrade: request, async [Symbol.asyncDispose]() {} };
  return { state, transport };
}

const get = (path: string) => ({ method: 'GET', path });

test('a member that does not answer is asked once in a while, and the rest are told at once', async () => {
  const { state, transport } = fakeServer();
  let nowMs = 0;
  const guarded = guardedTransport(transport, { failuresToClose: 2, trialEveryMs: 1000, now: () => nowMs });
  state.mode = 'refuses';
  for (let i = 0; i < 2; i++) await assert.rejects(guarded.request(get('/api')), /connection refused/);
  await assert.rejects(guarded.request(get('/api')), /connection refused/, 'the first trial');
  for (let i = 0; i < 50; i++) await assert.rejects(guarded.request(get('/api')), /it does not answer/);
  assert.equal(state.requests, 3);
  nowMs = 1000;
  await assert.rejects(guarded.request(get('/api')), /connection refused/);
  assert.equal(state.requests, 4);

  state.mode = 'answers';
  nowMs = 2000;
  await guarded.request(get('/api'));
  await guarded.request(get('/api'));
  assert.equal(state.requests, 6);
});

test('those who ask for its health always reach it, and open the way again', async () => {
  const { state, transport } = fakeServer();
  const guarded = guardedTransport(transport, { failuresToClose: 1, trialEveryMs: Infinity });
  state.mode = 'refuses';
  await assert.rejects(guarded.request(get('/api')));
  await assert.rejects(guarded.request(get('/readyz?verbose')), /connection refused/);
  state.mode = 'answers';
  await guarded.request(get('/readyz'));
  await guarded.request(get('/api'));
});

test('only so many wait for a member that hangs', async () => {
  const { state, transport } = fakeServer();
  state.mode = 'hangs';
  const guarded = guardedTransport(transport, { maxWaiting: 3 });
  for (let i = 0; i < 3; i++) void guarded.request(get('/api'));
  await assert.rejects(guarded.request(get('/api')), /3 requests are waiting for its answers already/);
  assert.equal(state.requests, 3);
});

test('what a caller gives up says nothing about the member', async () => {
  const refusal = new Error('enough');
  const request = () => Promise.reject(refusal);
  const guarded = guardedTransport({ request, upgrade: request, async [Symbol.asyncDispose]() {} }, { failuresToClose: 1 });
  for (let i = 0; i < 3; i++) await assert.rejects(guarded.request(get('/api')), /enough/);
});
