import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { AddressInfo } from 'node:net';
import {
  createAuthority,
  createKey,
  extendedKeyUsages,
  issue,
  issueLeaf,
  keyUsageBits,
  readAuthority,
  subjectOf,
} from './certificate-authority.ts';
import { parseCertificateRequest } from './certificate-request.ts';
import { oid, readDer, readOid, time, unsignedInteger } from './der.ts';
import { createPki, ensurePki } from './ensure-pki.ts';
import { ipBytes, printIp } from './ip-bytes.ts';
import { verifyClientCertificate } from './verify-client-certificate.ts';
import { writeCertificateRequest } from './write-certificate-request.ts';

const day = 86_400_000;

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'drover-pki-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('a fresh folder gets a whole PKI, readable by its owner only', t => {
  const dir = folder(t);
  ensurePki(dir);
  const names = readdirSync(dir).sort();
  assert.deepEqual(names, [
    'admin.crt',
    'admin.key',
    'ca.crt',
    'ca.key',
    'front-proxy-ca.crt',
    'front-proxy-ca.key',
    'front-proxy-client.crt',
    'front-proxy-client.key',
    'sa.key',
    'sa.pub',
    'server.crt',
    'server.key',
  ]);
  for (const name of names) assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name);
});

test('a second start changes nothing', t => {
  const dir = folder(t);
  ensurePki(dir, { hosts: ['hub.example.com', '10.1.2.3'] });
  const before = readdirSync(dir).map(name => readFileSync(join(dir, name), 'utf8'));
  ensurePki(dir, { hosts: ['10.1.2.3'] });
  assert.deepEqual(
    readdirSync(dir).map(name => readFileSync(join(dir, name), 'utf8')),
    before,
  );
});

test('a new host gives a new serving certificate from the same authority', t => {
  const dir = folder(t);
  const first = ensurePki(dir);
  const second = ensurePki(dir, { hosts: ['hub.example.com', 'fd00::1'] });
  assert.equal(second.authority.certificate, first.authority.certificate);
  assert.equal(second.admin.certificate, first.admin.certificate);
  const server = new X509Certificate(second.server.certificate);
  for (const name of ['hub.example.com', 'localhost', 'kubernetes.default.svc']) assert.ok(server.checkHost(name), name);
  for (const ip of ['127.0.0.1', '::1', 'fd00::1']) assert.ok(server.checkIP(ip), ip);
});

test('certificates near their end, damaged ones and those of another authority are issued again', t => {
  const dir = folder(t);
  const first = ensurePki(dir);
  const later = ensurePki(dir, { now: new Date(Date.now() + 340 * day) });
  assert.notEqual(later.server.certificate, first.server.certificate);
  assert.equal(later.authority.certificate, first.authority.certificate);

  writeFileSync(join(dir, 'admin.crt'), 'damaged');
  const repaired = ensurePki(dir);
  assert.ok(new X509Certificate(repaired.admin.certificate).verify(createPublicKey(first.authority.certificate)));

  const foreign = issueLeaf(createAuthority('kubernetes', new Date()), { commonName: 'x', usage: 'client', now: new Date() });
  writeFileSync(join(dir, 'admin.crt'), foreign.certificate);
  writeFileSync(join(dir, 'admin.key'), foreign.key);
  assert.notEqual(ensurePki(dir).admin.certificate, foreign.certificate);
});

test('a clock that was far ahead for a while, or far behind, leaves nothing that nobody can use', t => {
  const dir = folder(t);
  const now = new Date();
  const { publicKey } = ensurePki(dir, { now }).authority.x509;
  for (const years of [20, 0, -20, 0]) {
    const at = new Date(now.getTime() + years * 365 * day);
    const pki = ensurePki(dir, { now: at });
    assert.ok(pki.authority.x509.publicKey.equals(publicKey), 'who trusts the authority goes on trusting it');
    for (const certificate of [pki.authority.x509, new X509Certificate(pki.server.certificate), new X509Certificate(pki.admin.certificate)])
      assert.ok(Date.parse(certificate.validFrom) <= at.getTime() && Date.parse(certificate.validTo) > at.getTime(), `${years} years off`);
  }
});

test('an authority without its key is never replaced', t => {
  const dir = folder(t);
  ensurePki(dir);
  rmSync(join(dir, 'ca.key'));
  assert.throws(() => ensurePki(dir), { message: 'certificate authority "ca.crt" has no key "ca.key"' });
  writeFileSync(join(dir, 'ca.key'), 'damaged');
  assert.throws(() => ensurePki(dir), { message: 'cannot read certificate authority "ca"' });
});

test('OpenSSL accepts both sides of a connection', async t => {
  const pki = createPki();
  const server = createServer(
    { cert: pki.server.certificate, key: pki.server.key, ca: pki.authority.certificate, requestCert: true, rejectUnauthorized: true },
    (_req, res) => res.end('hello'),
  ).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const status = await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key, agent: false }, res => {
      res.resume();
      resolve(res.statusCode);
    }).on('error', reject);
  });
  assert.equal(status, 200);
});

test('the subject of a client certificate is read from its bytes, not from its printed form', () => {
  const authority = createAuthority('ca', new Date());
  const name = 'alice\nO=system:masters, O=x + CN=root "quoted" äöü';
  const leaf = issueLeaf(authority, { commonName: name, organizations: ['a,O=b', 'system:x'], usage: 'client', now: new Date() });
  const subject = verifyClientCertificate(new X509Certificate(leaf.certificate), [authority.x509]);
  assert.equal(subject.commonName, name);
  assert.deepEqual([...subject.organizations].sort(), ['a,O=b', 'system:x']);
});

test('client certificates that prove nothing are refused', async t => {
  const now = new Date();
  const authority = createAuthority('ca', now);
  const twin = createAuthority('ca', now);
  const leaf = issueLeaf(authority, { commonName: 'a', usage: 'client', now });
  const cases: [string, string, Date][] = [
    ['x509: certificate signed by unknown authority', issueLeaf(twin, { commonName: 'a', usage: 'client', now }).certificate, now],
    [
      'x509: certificate specifies an incompatible key usage',
      issueLeaf(authority, { commonName: 'a', usage: 'server', now }).certificate,
      now,
    ],
    ['x509: certificate has expired', leaf.certificate, new Date(now.getTime() + 366 * day)],
    ['x509: certificate is not yet valid', leaf.certificate, new Date(now.getTime() - day)],
    // A leaf must not act as an authority, even when its own key signed.
    ['x509: certificate signed by unknown authority', signedByLeaf(leaf.certificate, now), now],
  ];
  for (const [message, certificate, at] of cases)
    await t.test(message, () => {
      const intermediates = [new X509Certificate(leaf.certificate)];
      assert.throws(() => verifyClientCertificate(new X509Certificate(certificate), [authority.x509], { now: at, intermediates }), {
        message,
      });
    });

  function signedByLeaf(certificate: string, at: Date): string {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const x509 = new X509Certificate(certificate);
    const issuer = { rawSubject: subjectOf(x509.raw).raw, privateKey: keys.privateKey, keyId: Buffer.alloc(20) };
    return issue(issuer, keys.publicKey, {
      subject: { commonName: 'root', organizations: ['system:masters'] },
      notBefore: at,
      notAfter: new Date(at.getTime() + day),
      keyUsage: [keyUsageBits.digitalSignature],
      extendedKeyUsage: [extendedKeyUsages.clientAuth],
    });
  }
});

test('an intermediate authority is followed', () => {
  const now = new Date();
  const root = createAuthority('root', now);
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const middle = issue(root, keys.publicKey, {
    subject: { commonName: 'middle' },
    notBefore: now,
    notAfter: new Date(now.getTime() + day),
    isAuthority: true,
    keyUsage: [keyUsageBits.certSign],
  });
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const x509 = new X509Certificate(middle);
  const leaf = issueLeaf(readAuthority({ certificate: middle, key }), { commonName: 'a', usage: 'client', now });
  const certificate = new X509Certificate(leaf.certificate);
  assert.equal(verifyClientCertificate(certificate, [root.x509], { intermediates: [x509] }).commonName, 'a');
  assert.throws(() => verifyClientCertificate(certificate, [root.x509]));
});

test('DER values come back as they went in', () => {
  for (const id of ['2.5.4.3', '1.2.840.113549.1.1.11', '1.3.6.1.5.5.7.3.2', '0.9.2342.19200300.100.1.1'])
    assert.equal(readOid(readDer(oid(id))), id);
  assert.equal(unsignedInteger(Buffer.from([0, 0, 0x80])).toString('hex'), '02020080');
  assert.equal(time(new Date('2049-12-31T23:59:59Z')).toString('latin1').slice(2), '491231235959Z');
  assert.equal(time(new Date('2050-01-01T00:00:00.123Z')).toString('latin1').slice(2), '20500101000000Z');
  for (const ip of ['1.2.3.4', '::1', 'fd00::12', '2001:db8::1:0:0:1']) assert.equal(printIp(ipBytes(ip)), ip);
});

test('damaged DER is refused and never read beyond its end', () => {
  const good = createAuthority('ca', new Date()).x509.raw;
  for (let i = 1; i < good.length; i += 7) assert.throws(() => readDer(good.subarray(0, i)));
  assert.throws(() => readDer(Buffer.from('3080', 'hex')));
  assert.throws(() => readDer(Buffer.from('308400000001', 'hex')));
  assert.throws(() => readDer(Buffer.from('300000', 'hex')));
});

test('a request for a certificate can be read again, with and without a subject', () => {
  const key = createKey();
  const named = parseCertificateRequest(writeCertificateRequest(key, { commonName: 'a', organizations: ['b', 'c'] }));
  assert.deepEqual([named.subject.commonName, named.subject.organizations, named.extensions], ['a', ['b', 'c'], []]);
  assert.ok(named.hasValidSignature && named.publicKey.equals(createPublicKey(key)));
  const nameless = parseCertificateRequest(writeCertificateRequest(key, { commonName: '' }));
  assert.ok(nameless.hasValidSignature && nameless.subject.attributes.length === 0);
});
