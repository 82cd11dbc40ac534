import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { UnreachableError } from '../client/transport.ts';
import { createKey } from '../pki/certificate-authority.ts';
import { joinStreams } from '../util/join-streams.ts';
import { createPublicKey } from 'node:crypto';
import { signProof, verifyProof } from './agent-proof.ts';
import { shorten } from '../util/end-web-socket.ts';
import { StreamGate } from './stream-gate.ts';
import { TokenBucket } from './token-bucket.ts';
import { headersOf, passingHeaders } from './tunnel-headers.ts';
import { tunnelLimits } from './tunnel-limits.ts';
import { inMessages } from './web-socket-stream.ts';

test('messages hold the same bytes and none is too long', () => {
  const chunk = fc.nat(20_000).map(length => Buffer.alloc(length, length % 256));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 20 }), chunks => {
      const messages = inMessages(chunks);
      assert.ok(Buffer.concat(messages).equals(Buffer.concat(chunks)));
      for (const message of messages) assert.ok(message.length > 0 && message.length <= tunnelLimits.messageBytes / 2);
    }),
  );
});

test('a reason fits into a close frame', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), reason => Buffer.byteLength(shorten(reason)) <= 123));
  assert.equal(shorten('short'), 'short');
});

test('headers keep their repetitions and lose what belongs to one connection', () => {
  const name = fc.stringMatching(/^x-[a-z]{1,8}$/);
  const value = fc.stringMatching(/^[ -~]{0,20}$/);
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.array(value, { minLength: 1, maxLength: 4 })),
      fc.array(name, { maxLength: 3 }),
      (headers, named) => {
        const raw = passingHeaders({ ...headers, connection: named.join(', '), 'transfer-encoding': 'chunked', host: 'a' });
        const expected = Object.entries(headers).filter(([key]) => !named.includes(key));
        const passed = Object.entries(headersOf(raw)).map(([key, one]) => [key, [one].flat()]);
        assert.deepEqual(passed, expected);
      },
    ),
  );
});

test('a bucket never gives more than its burst and its rate', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { maxLength: 200 }), gaps => {
      const bucket = new TokenBucket({ burst: 5, perSecond: 10 }, 0);
      let now = 0;
      let spent = 0;
      for (const gap of gaps) {
        now += gap;
        if (bucket.waitMs(now) > 0) continue;
        bucket.spend(now);
        spent++;
      }
      return spent <= 5 + (now / 1000) * 10 + 1e-6;
    }),
  );
});

test('a gate lets in as many as it may, the rest in turn, and refuses those who wait too long', async () => {
  const gate = new StreamGate({ streams: 2, resets: { burst: 100, perSecond: 100 }, queueMs: 50 });
  assert.equal(gate.enter(), undefined);
  assert.equal(gate.enter(), undefined);
  const third = gate.enter();
  gate.leave({ wasReset: false });
  await third;
  await assert.rejects(
    gate.enter()!,
    (error: Error) => error instanceof UnreachableError && /2 requests are under way/.test(error.message),
  );
  const reason = new Error('enough');
  await assert.rejects(gate.enter(AbortSignal.abort(reason)) ?? Promise.resolve(), error => error === reason);
});

test('a gate stays shut for a while after too many resets', async () => {
  const gate = new StreamGate({ streams: 100, resets: { burst: 3, perSecond: 50 }, queueMs: 5000 });
  for (let i = 0; i < 5; i++) {
    gate.enter();
  }
  for (let i = 0; i < 5; i++) gate.leave({ wasReset: true });
  const waiting = gate.enter();
  assert.ok(waiting);
  await waiting;
});

test('joined streams pass on everything that was said before the end', async () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 5000 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(chunks, chunks, async (there, back) => {
      const [client, near] = duplexPair();
      const [far, server] = duplexPair();
      const joined = joinStreams(near, far);
      for (const chunk of there) client.write(chunk);
      client.end();
      for (const chunk of back) server.write(chunk);
      server.end();
      const [atServer, atClient] = await Promise.all([buffer(server), buffer(client)]);
      assert.ok(atServer.equals(Buffer.concat(there)) && atClient.equals(Buffer.concat(back)));
      await joined;
    }),
    { numRuns: 50 },
  );
});

test('when one of two joined streams breaks, so does the other', async () => {
  const [client, near] = duplexPair();
  const [far, server] = duplexPair();
  const joined = joinStreams(near, far);
  near.destroy();
  await joined;
  assert.ok(far.destroyed);
  client.destroy();
  server.destroy();
});

test('a proof is good for its key, for a minute, and as it was signed', () => {
  const key = createKey();
  const publicKey = createPublicKey(key);
  const now = new Date('2026-11-16T00:00:00Z');
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const proof = signProof(key, { user: 'system:drover:agent:c-m-a', audience: 'drover:hub', now });
  const { sub, aud } = verifyProof(proof, publicKey, at(59));
  assert.deepEqual([sub, aud], ['system:drover:agent:c-m-a', 'drover:hub']);
  assert.throws(() => verifyProof(proof, publicKey, at(61)), /not fresh/);
  assert.throws(() => verifyProof(proof, publicKey, at(-61)), /not fresh/);
  assert.throws(() => verifyProof(proof, createPublicKey(createKey()), now), /not signed/);
  const [head, , signature] = proof.split('.');
  const claims = Buffer.from(JSON.stringify({ sub: 'system:drover:agent:c-m-b' })).toString('base64url');
  assert.throws(() => verifyProof(`${head}.${claims}.${signature}`, publicKey, now), /not signed/);
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  assert.throws(() => verifyProof(`${none}.${claims}.`, publicKey, now), /not signed/);
});
