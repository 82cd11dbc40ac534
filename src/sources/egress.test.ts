import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { startPlainServer, startSourceServer } from '../../test/helpers/source-server.ts';
import { errorText } from '../util/error-text.ts';
import { createEgress, type EgressRequest } from './egress.ts';
import { SourceError } from './source-error.ts';
import { withoutCredentials } from './without-credentials.ts';

const local = ['127.0.0.1/32'];
const never = new AbortController().signal;
const ask = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({ url, maxBytes: 1000, signal: never, ...more });
const says =
  (text: string): RequestListener =>
  (_req, res) =>
    void res.end(text);
const redirecting =
  (to: () => string): RequestListener =>
  (_req, res) =>
    void res.writeHead(302, { location: to() }).end();

async function refused(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof SourceError, String(error));
  return errorText(error);
}

test('an answer comes with its status, head and body', async t => {
  const { url, ca } = await startSourceServer(t, (_req, res) => void res.writeHead(404, { 'x-a': 'b' }).end('no'));
  const answer = await createEgress({ allow: local }).fetch(ask(`${url}/x?y=z`, { tls: { ca: ca.certificate } }));
  assert.deepEqual([answer.status, answer.headers['x-a'], answer.body.toString(), answer.url], [404, 'b', 'no', `${url}/x?y=z`]);
});

for (const host of [
  '127.0.0.1',
  'localhost',
  'localhost.',
  '0177.0.0.1',
  '2130706433',
  '0x7f.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '0.0.0.0',
]) {
  test(`nothing is sent to ${host}`, async t => {
    const { port, requests } = await startPlainServer(t, says('secret'));
    for (const scheme of ['http', 'https'])
      assert.match(await refused(createEgress().fetch(ask(`${scheme}://${host}:${port}/`))), /refused to ask .* address|there is no host/);
    assert.equal(requests.length, 0);
  });
}

test('plain http needs an address that the operator named', async t => {
  const { url } = await startPlainServer(t, says('ok'));
  assert.equal((await createEgress({ allow: local }).fetch(ask(url))).body.toString(), 'ok');
  const words = await refused(createEgress({ lookup: async () => ['1.1.1.1'] }).fetch(ask('http://charts.example.com/')));
  assert.match(words, /refused to ask "http:\/\/charts.example.com\/": 1.1.1.1 \(charts.example.com\) is reached by plain http/);
});

for (const url of ['file:///etc/passwd', 'ftp://example.com/', 'https://', 'nonsense', 'data:text/plain,x', 'https:///x\n']) {
  test(`${JSON.stringify(url)} is no address`, async () => {
    assert.match(await refused(createEgress({ allow: local }).fetch(ask(url))), /is no address of the form https|there is no host/);
  });
}

test('a redirect to a forbidden address is not followed', async t => {
  const inner = await startPlainServer(t, says('secret'), '127.0.0.2');
  const targets = [
    `http://127.0.0.2:${inner.port}/`,
    `https://2130706434:${inner.port}/`,
    'http://169.254.169.254/latest/meta-data',
    'https://[::1]/',
  ];
  for (const target of targets) {
    const { url, ca } = await startSourceServer(
      t,
      redirecting(() => target),
    );
    const call = createEgress({ allow: local }).fetch(ask(url, { tls: { ca: ca.certificate } }));
    assert.match(await refused(call), /refused to ask .* is a (link-local|loopback) address/);
  }
  assert.equal(inner.requests.length, 0);
});

test('a redirect leads to the web and nowhere else', async t => {
  const { url, ca } = await startSourceServer(
    t,
    redirecting(() => 'file:///etc/passwd'),
  );
  const call = createEgress({ allow: local }).fetch(ask(url, { tls: { ca: ca.certificate } }));
  assert.match(await refused(call), /redirects to "file:\/\/\/etc\/passwd", which is not https/);
});

test('redirects end', async t => {
  const { url, ca, requests } = await startSourceServer(
    t,
    redirecting(() => '/again?token=secret'),
  );
  const words = await refused(createEgress({ allow: local }).fetch(ask(url, { tls: { ca: ca.certificate } })));
  assert.match(words, /redirects more than 5 times/);
  assert.equal(requests.length, 6);
});

test('credentials stay with the host they are for', async t => {
  const other = await startSourceServer(t, says('from the other'));
  const first = await startSourceServer(t, (req, res) => {
    const isFirst = req.url === '/';
    res.writeHead(302, { location: isFirst ? '/here' : `https://user:pass@127.0.0.1:${other.port}/there` }).end();
  });
  const tls = { ca: first.ca.certificate };
  const answer = await createEgress({ allow: local }).fetch(ask(first.url, { tls, authorization: 'Basic c2VjcmV0' }));
  assert.equal(answer.body.toString(), 'from the other');
  assert.deepEqual(
    first.requests.map(req => req.headers.authorization),
    ['Basic c2VjcmV0', 'Basic c2VjcmV0'],
  );
  assert.equal(other.requests[0]?.headers.authorization, undefined);
});

test('a certificate is shown to those who ask for it, and to the first host only', async t => {
  const shown: RequestListener = (req, res) => void res.end((req.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody');
  const other = await startSourceServer(t, shown, { certificates: 'asked for' });
  const first = await startSourceServer(
    t,
    (req, res) => (req.url === '/' ? shown(req, res) : res.writeHead(302, { location: `https://127.0.0.1:${other.port}/` }).end()),
    { certificates: 'needed' },
  );
  const { certificate, key } = await first.ca.issue('me');
  const ca = first.ca.certificate;
  const egress = createEgress({ allow: local });
  assert.match(await refused(egress.fetch(ask(first.url, { tls: { ca } }))), /cannot reach/);
  const tls = { ca, certificate, key };
  assert.equal((await egress.fetch(ask(first.url, { tls }))).body.toString(), 'me');
  assert.equal((await egress.fetch(ask(`${first.url}/away`, { tls }))).body.toString(), 'nobody');
});

test('a name whose answer changes is connected to where it was first', async t => {
  const { port, ca, requests } = await startSourceServer(t, says('ok'));
  const answers = [['127.0.0.1'], ['169.254.169.254'], ['169.254.169.254']];
  const egress = createEgress({ allow: local, lookup: async () => answers.shift()! });
  await egress.fetch(ask(`https://charts.example.com:${port}/`, { tls: { ca: ca.certificate } }));
  assert.equal(requests.length, 1);
  assert.match(
    await refused(egress.fetch(ask(`https://charts.example.com:${port}/`))),
    /169.254.169.254 \(charts.example.com\) is a link-local address/,
  );
});

test('of several addresses only those that are allowed are tried', async t => {
  const { port, ca } = await startSourceServer(t, says('ok'));
  const egress = createEgress({ allow: local, lookup: async () => ['10.0.0.1', '127.0.0.1'] });
  const answer = await egress.fetch(ask(`https://charts.example.com:${port}/`, { tls: { ca: ca.certificate } }));
  assert.equal(answer.body.toString(), 'ok');
});

test('long answers, long waits and zipped bombs end', async t => {
  const { url, ca } = await startSourceServer(t, (req, res) => {
    if (req.url === '/long') res.end(Buffer.alloc(1001));
    else if (req.url === '/bomb') res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)));
    else if (req.url === '/zip') res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unzipped'));
  });
  const egress = createEgress({ allow: local });
  const tls = { ca: ca.certificate };
  assert.match(await refused(egress.fetch(ask(`${url}/long`, { tls }))), /sends more than the 1000 bytes/);
  assert.match(await refused(egress.fetch(ask(`${url}/bomb`, { tls, mayBeZipped: true }))), /sends more than the 1000 bytes/);
  assert.equal((await egress.fetch(ask(`${url}/zip`, { tls, mayBeZipped: true }))).body.toString(), 'unzipped');
  assert.match(await refused(egress.fetch(ask(`${url}/silence`, { tls, timeoutMs: 200 }))), /did not answer within 0.2 s/);
  const stop = new AbortController();
  const call = egress.fetch(ask(`${url}/silence`, { tls, signal: stop.signal }));
  stop.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
});

test('whom nobody vouches for is not trusted', async t => {
  const { url } = await startSourceServer(t, says('ok'));
  const egress = createEgress({ allow: local });
  assert.match(await refused(egress.fetch(ask(url))), /its certificate is signed by an unknown authority/);
  assert.equal((await egress.fetch(ask(url, { tls: { insecureSkipVerify: true } }))).body.toString(), 'ok');
});

test('a host that is not there is said by its name', async () => {
  const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const egress = createEgress({ lookup: () => Promise.reject(missing) });
  assert.match(
    await refused(egress.fetch(ask('https://user:secret@charts.example.com/?token=secret'))),
    /^there is no host "charts.example.com"$/,
  );
});

test('nobody reads credentials out of an error', async t => {
  const { port } = await startPlainServer(t, says('x'));
  const egress = createEgress({ allow: local });
  for (const url of [
    `https://me:hunter2@localhost:${port}/x?sig=hunter2#hunter2`,
    'https://me:hunter2@10.0.0.1/?x=hunter2',
    'ftp://me:hunter2@x/',
    'https://me:hunter2@@x/',
  ])
    assert.doesNotMatch(await refused(egress.fetch(ask(url, { authorization: 'Basic hunter2' }))), /hunter2/);
});

test('an address is shown without what may be secret', () => {
  assert.equal(withoutCredentials('https://me:p@ss@host/a?b=c#d'), 'https://host/a');
  assert.equal(withoutCredentials('git+ssh://git@host:22/a.git'), 'git+ssh://host:22/a.git');
  assert.equal(withoutCredentials('git@host:a/b.git'), 'host:a/b.git');
  assert.equal(withoutCredentials('hub'), 'hub');
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.stringMatching(/^[A-Za-z0-9:@%!$]{1,12}$/),
      (url, secret) => {
        const mark = `Zq${secret}qZ`;
        assert.ok(!withoutCredentials(url.replace('://', `://me:${mark}@`)).includes('Zq'));
      },
    ),
  );
});

test('a certificate that is none is said to be none, without its key', async t => {
  const { url, ca } = await startSourceServer(t, says('ok'));
  const tls = { ca: ca.certificate, certificate: 'hunter2', key: 'hunter2' };
  const words = await refused(createEgress({ allow: local }).fetch(ask(url, { tls })));
  assert.match(words, /^the certificate, key or authority for the source cannot be read/);
  assert.doesNotMatch(words, /hunter/);
});

test('what is posted goes to the address it is for, and is not sent on by a redirect', async t => {
  const bodies: string[] = [];
  const answer = (status: number): RequestListener => {
    return (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        bodies.push(`${req.method} ${req.headers['content-length']} ${Buffer.concat(chunks).toString()}`);
        res.writeHead(status, { location: '/elsewhere' }).end();
      });
    };
  };
  for (const status of [200, 302, 307, 308]) {
    const { url, ca } = await startSourceServer(t, answer(status));
    const req = ask(url, { method: 'POST', body: 'secret=x', tls: { ca: ca.certificate }, authorization: 'Basic x' });
    assert.equal((await createEgress({ allow: local }).fetch(req)).status, status);
  }
  assert.deepEqual(
    bodies,
    Array.from({ length: 4 }, () => 'POST 8 secret=x'),
  );
});
