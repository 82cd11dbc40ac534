import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startPlainServer } from '../../../../test/helpers/source-server.ts';
import { rancherClient } from './rancher-client.ts';
import { RancherError } from './rancher-error.ts';

const { signal } = new AbortController();
const token = 'token-admin:very-secret-part';
const page = (ids: readonly string[], next?: string) =>
  JSON.stringify({ data: ids.map(id => ({ id, name: id })), pagination: next === undefined ? {} : { next } });
const isSecondPage = ({ url = '' }: IncomingMessage) => url.includes('marker=');

type Answer = (req: IncomingMessage, res: ServerResponse) => void;
const troubles: Readonly<Record<string, readonly [answer: Answer, reason: string, words: RegExp]>> = {
  'a page for people': [
    (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
    'RancherError',
    /^Rancher error: the answer is no JSON$/,
  ],
  'half of a list': [(_, res) => void res.end(page(['c-aaaaa']).slice(0, 20)), 'RancherError', /the answer is no JSON/],
  'a list that breaks off': [
    (_, res) => {
      res.writeHead(200, { 'content-length': '1000' }).write(page(['c-aaaaa']));
      setTimeout(() => res.destroy(), 20);
    },
    'ConnectionFailed',
    /broke off/,
  ],
  'a list that never ends': [
    (_, res) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const more = (): void => {
        while (!res.destroyed && res.write(chunk));
        if (!res.destroyed) res.once('drain', more);
      };
      more();
    },
    'RancherError',
    /^Rancher error: the answer is larger than \d+ bytes$/,
  ],
  'one sign at a time': [
    (_, res) => {
      const drip = setInterval(() => res.write(' '), 50);
      res.on('close', () => clearInterval(drip));
    },
    'ConnectionFailed',
    /did not answer within 2 s/,
  ],
  'a second page that fails': [
    (req, res) =>
      void (isSecondPage(req) ? res.writeHead(500).end('{"message":"boom"}') : res.end(page(['c-aaaaa'], '/v3/clusters?marker=1'))),
    'RancherError',
    /^Rancher error: boom$/,
  ],
  'pages that go round': [(_, res) => void res.end(page(['c-aaaaa'], '/v3/clusters?marker=1')), 'RancherError', /do not end/],
  'a next page elsewhere': [
    (_, res) => void res.end(page(['c-aaaaa'], 'https://elsewhere.example/x')),
    'RancherError',
    /no page of clusters/,
  ],
  'too many requests': [(_, res) => void res.writeHead(429, { 'retry-after': '1' }).end('slow down'), 'RancherError', /it answered 429/],
  'no list': [(_, res) => void res.end('{"data":{}}'), 'RancherError', /no list of clusters/],
  'a refusal that tells the token': [
    (_, res) => void res.writeHead(403).end(JSON.stringify({ message: `no: ${token}` })),
    'InsufficientPermissions',
    /^not allowed \(403\): no: \*+$/,
  ],
  'a refusal': [(_, res) => void res.writeHead(401).end('{'), 'InvalidToken', /401/],
};

test('whatever a server does instead of telling its clusters, it is told in words, and never as fewer clusters', async t => {
  let answer: Answer = () => {};
  const server = await startPlainServer(t, (req, res) => answer(req, res));
  await using client = rancherClient({ url: `http://localhost:${server.port}`, timeoutMs: 2000 }, { token });
  for (const [what, [trouble, reason, words]] of Object.entries(troubles)) {
    answer = trouble;
    await assert.rejects(client.clusters(signal), (error: unknown) => {
      assert.ok(error instanceof RancherError, `${what}: ${String(error)}`);
      assert.deepEqual([error.reason, words.test(error.message)], [reason, true], `${what}: ${error.message}`);
      assert.ok(!error.message.includes('very-secret'));
      return true;
    });
  }
  answer = (req, res) => void res.end(isSecondPage(req) ? page(['c-bbbbb', 'c-aaaaa']) : page(['c-aaaaa'], '?marker=1'));
  await assert.rejects(client.clusters(signal), RancherError);
  answer = (req, res) => void res.end(isSecondPage(req) ? page(['c-bbbbb', 'c-aaaaa']) : page(['c-aaaaa'], '/v3/clusters?marker=1'));
  assert.deepEqual(
    (await client.clusters(signal)).map(one => one.id),
    ['c-aaaaa', 'c-bbbbb'],
  );
});

test('a server that sends people elsewhere is not followed: the token stays with the server that was named', async t => {
  const asked: string[] = [];
  const other = await startPlainServer(t, (req, res) => {
    asked.push(req.headers.authorization ?? '');
    res.end(page(['c-other']));
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await startPlainServer(
      t,
      (_, res) => void res.writeHead(status, { location: `http://localhost:${other.port}/v3/clusters` }).end(),
    );
    await using client = rancherClient({ url: `http://localhost:${server.port}`, timeoutMs: 2000 }, { token });
    const message = `Rancher error: it answered ${status} and sends to http://localhost:${other.port}`;
    await assert.rejects(client.clusters(signal), { reason: 'RancherError', message });
  }
  assert.deepEqual(asked, []);
});
