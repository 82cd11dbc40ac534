import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import * as x509 from '@peculiar/x509';
import fc from 'fast-check';
import type { KubeObject } from '../api/object.ts';
import { startMemoryCluster } from '../../test/helpers/memory-cluster.ts';
import type { AdmissionRequest } from '../apiserver/admission/admission.ts';
import { createAuthority, createKey } from '../pki/certificate-authority.ts';
import { parseCertificateRequest } from '../pki/certificate-request.ts';
import { bitString, explicit, implicit, octetString, oid, sequence, set, tags, writeDer } from '../pki/der.ts';
import { writeName } from '../pki/distinguished-name.ts';
import { printPem } from '../pki/pem.ts';
import { certificateAdmission } from './certificate-admission.ts';
import { refusalOf, signers, signRequest } from './certificate-signers.ts';
import { approvalFor, certificateSigningController, timeLeftMs } from './certificate-signing.ts';
import type { Authorizer, UserInfo } from './user.ts';

const csrs = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests' };
const key = createKey();
const now = new Date();
const nodeUsages = ['digital signature', 'client auth'];

interface RequestParts {
  commonName: string;
  organizations: string[];
  dnsNames?: string[];
  emails?: string[];
  isAuthority?: boolean;
  privateKey?: KeyObject;
}

function writeRequest({
  commonName,
  organizations,
  dnsNames = [],
  emails = [],
  isAuthority = false,
  privateKey = key,
}: RequestParts): string {
  const names = [...dnsNames.map(n => implicit(2, Buffer.from(n))), ...emails.map(e => implicit(1, Buffer.from(e)))];
  const extensions = [
    ...(names.length > 0 ? [sequence(oid('2.5.29.17'), octetString(sequence(...names)))] : []),
    ...(isAuthority ? [sequence(oid('2.5.29.19'), octetString(sequence(writeDer(tags.boolean, Buffer.from([0xff])))))] : []),
  ];
  const attributes = extensions.length > 0 ? [sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions)))] : [];
  const info = sequence(
    writeDer(tags.integer, Buffer.from([0])),
    writeName({ commonName, organizations }),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    explicit(0, ...attributes),
  );
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const algorithm = isRsa ? sequence(oid('1.2.840.113549.1.1.11'), writeDer(tags.null)) : sequence(oid('1.2.840.10045.4.3.2'));
  return printPem('CERTIFICATE REQUEST', sequence(info, algorithm, bitString(sign('sha256', info, privateKey))));
}

const csrObject = (pem: string, spec: object = {}) =>
  ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'c', creationTimestamp: now.toISOString() },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: signers.kubeletClient,
      usages: nodeUsages,
      username: 'system:node:n1',
      groups: ['system:nodes'],
      ...spec,
    },
  }) as KubeObject & { spec: { request: string; signerName: string } };
const granting = (...subresources: string[]): Authorizer => ({
  authorize: (_user, a) => ({ allowed: a.isResource && subresources.includes(a.subresource || a.name), reason: '' }),
});
const node = { commonName: 'system:node:n1', organizations: ['system:nodes'] };

test('a request of another program is read as that program meant it', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=alice, O=dev, O=ops',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'a.example' },
        { type: 'ip', value: '10.0.0.1' },
        { type: 'email', value: 'a@b.c' },
      ]),
    ],
  });
  const parsed = parseCertificateRequest(request.toString('pem'));
  assert.equal(parsed.subject.commonName, 'alice');
  assert.deepEqual(parsed.subject.organizations, ['dev', 'ops']);
  assert.deepEqual([parsed.dnsNames, parsed.ipAddresses, parsed.emailAddresses, parsed.uris], [['a.example'], ['10.0.0.1'], ['a@b.c'], []]);
  assert.ok(parsed.hasValidSignature);

  const authority = createAuthority('ca', now);
  const certificate = new x509.X509Certificate(
    signRequest(authority, parsed, { usages: ['client auth', 'digital signature'], expirationSeconds: 3600, now }),
  );
  assert.equal(certificate.subject, request.subject);
  assert.equal(certificate.getExtension(x509.BasicConstraintsExtension)?.ca, false);
  assert.deepEqual([...(certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? [])], ['1.3.6.1.5.5.7.3.2']);
  assert.equal(certificate.notAfter.getTime(), Math.floor((now.getTime() + 3_600_000) / 1000) * 1000);
  assert.ok(new X509Certificate(certificate.toString('pem')).verify(authority.x509.publicKey));
});

test('what a signer refuses', async t => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const table: [string, string, RequestParts, string[], string | undefined][] = [
    ['a node', signers.kubeletClient, node, nodeUsages, undefined],
    [
      'an extra organisation',
      signers.kubeletClient,
      { ...node, organizations: ['system:nodes', 'system:masters'] },
      nodeUsages,
      'subject organization is not system:nodes',
    ],
    [
      'another name',
      signers.kubeletClient,
      { ...node, commonName: 'root' },
      nodeUsages,
      'subject common name does not begin with system:node:',
    ],
    ['a DNS name', signers.kubeletClient, { ...node, dnsNames: ['x'] }, nodeUsages, 'DNS subjectAltNames are not allowed'],
    ['an address', signers.kubeletClient, { ...node, emails: ['x@y'] }, nodeUsages, 'Email subjectAltNames are not allowed'],
    ['other usages', signers.kubeletClient, node, ['server auth'], 'usages did not match [client auth digital signature key encipherment]'],
    ['serving without names', signers.kubeletServing, node, ['digital signature', 'server auth'], 'DNS or IP subjectAltName is required'],
    ['serving', signers.kubeletServing, { ...node, dnsNames: ['n1'] }, ['digital signature', 'key encipherment', 'server auth'], undefined],
    ['a client', signers.apiClient, { commonName: 'a', organizations: [] }, ['client auth'], undefined],
    [
      'a client that would serve',
      signers.apiClient,
      { commonName: 'a', organizations: [] },
      ['client auth', 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    [
      'a client without the usage',
      signers.apiClient,
      { commonName: 'a', organizations: [] },
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    [
      'a weak key',
      signers.apiClient,
      { commonName: 'a', organizations: [], privateKey: weak },
      ['client auth'],
      'RSA public keys must have at least 2048 bits',
    ],
    ['a foreign signer', 'example.com/x', node, nodeUsages, 'unrecognized signerName: "example.com/x"'],
  ];
  for (const [name, signer, parts, usages, expected] of table)
    await t.test(name, () => assert.equal(refusalOf(signer, parseCertificateRequest(writeRequest(parts)), usages), expected));
});

function isSound(pem: string): boolean {
  try {
    return parseCertificateRequest(pem).hasValidSignature;
  } catch {
    return false;
  }
}

test('a request whose signature does not fit is refused, and damaged ones never get through', () => {
  const pem = writeRequest(node);
  const der = Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64');
  for (let i = 0; i < der.length; i += 3) {
    const damaged = Buffer.from(der);
    damaged[i] = (damaged[i] ?? 0) ^ 0x01;
    assert.ok(!isSound(printPem('CERTIFICATE REQUEST', damaged)), `byte ${i}`);
  }
  assert.ok(isSound(pem));
  assert.throws(() => parseCertificateRequest(''), /PEM block type must be CERTIFICATE REQUEST/);
});

test('of ten thousand requests only those for the very node that asks are approved', () => {
  const organization = fc.constantFrom('system:nodes', 'system:masters', 'system:nodes ', 'System:nodes', '');
  const parts = fc.record({
    commonName: fc.constantFrom('system:node:n1', 'system:node:n2', 'system:node:n1 ', 'system:admin', 'system:node:', ''),
    organizations: fc.array(organization, { maxLength: 3 }),
    dnsNames: fc.constantFrom<string[]>([], ['kubernetes.default']),
    isAuthority: fc.boolean(),
  });
  const approver = granting('selfnodeclient');
  const written = new Map<string, string>();
  fc.assert(
    fc.property(parts, request => {
      const isAllowed =
        request.commonName === 'system:node:n1' &&
        request.organizations.length === 1 &&
        request.organizations[0] === 'system:nodes' &&
        request.dnsNames.length === 0;
      const pem = written.get(JSON.stringify(request)) ?? writeRequest(request);
      written.set(JSON.stringify(request), pem);
      const approved = approvalFor(csrObject(pem), approver) !== undefined;
      assert.equal(approved, isAllowed);
    }),
    { numRuns: 10_000 },
  );
});

test('the controller approves, signs and cleans', async () => {
  using cluster = await startMemoryCluster();
  const authority = createAuthority('ca', now);
  const clock = { now };
  using controller = certificateSigningController(cluster, { authority, authorizer: granting('selfnodeclient'), now: () => clock.now });
  await cluster.create(csrs, csrObject(writeRequest({ ...node, isAuthority: true })), {
    user: { name: node.commonName, groups: node.organizations },
  });
  await controller.idle();
  const status = cluster.peek(csrs, '', 'c')?.['status'] as { conditions: { type: string; message: string }[]; certificate: string };
  assert.deepEqual(
    status.conditions.map(c => [c.type, c.message]),
    [['Approved', 'Auto approving self kubelet client certificate after SubjectAccessReview.']],
  );
  const certificate = new X509Certificate(Buffer.from(status.certificate, 'base64'));
  assert.equal(certificate.ca, false);
  assert.ok(certificate.verify(authority.x509.publicKey));

  const bad = csrObject(writeRequest({ commonName: 'a', organizations: [] }), { signerName: signers.apiClient, usages: ['server auth'] });
  const created = await cluster.create(csrs, { ...bad, metadata: { name: 'bad' } });
  const conditions = [{ type: 'Approved', status: 'True' }];
  await cluster.update(csrs, { ...created, status: { conditions } }, { subresource: 'approval' });
  await controller.idle();
  const failed = cluster.peek(csrs, '', 'bad')?.['status'] as {
    conditions: { type: string; message: string; reason: string }[];
    certificate?: string;
  };
  assert.equal(failed.certificate, undefined);
  assert.equal(failed.conditions[1]?.message, 'invalid usage for client certificate: server auth');

  clock.now = new Date(now.getTime() + 2 * 3_600_000);
  const old = cluster.peek(csrs, '', 'bad');
  assert.ok(old);
  await cluster.update(csrs, { ...old, metadata: { ...old.metadata, labels: { touched: 'true' } } });
  await controller.idle();
  assert.equal(cluster.peek(csrs, '', 'bad'), undefined);
});

test('how long requests stay', () => {
  const hours = (status: object | undefined) => timeLeftMs({ ...csrObject(''), ...(status && { status }) }, now) / 3_600_000;
  const at = now.toISOString();
  assert.equal(hours(undefined), 24);
  assert.equal(hours({ conditions: [{ type: 'Denied', lastUpdateTime: at }] }), 1);
  assert.equal(hours({ conditions: [{ type: 'Approved', lastUpdateTime: at }] }), 24);
  assert.equal(hours({ conditions: [{ type: 'Approved', lastUpdateTime: at }], certificate: 'eA==' }), 1);
});

test('admission: who may approve and sign, and what nobody may ask for', () => {
  const alice: UserInfo = { name: 'alice', groups: [] };
  const run = (name: string, authorizer: Authorizer, subresource: string, object: KubeObject, oldObject?: KubeObject) => {
    const plugin = certificateAdmission(authorizer).find(p => p.name === name);
    const request = {
      operation: oldObject ? 'UPDATE' : 'CREATE',
      resource: csrs,
      subresource,
      name: 'c',
      object,
      oldObject,
      user: alice,
    } as unknown as AdmissionRequest;
    assert.ok(plugin);
    assert.ok(plugin.handles(request));
    return plugin.validate?.(request);
  };
  const prefix = 'certificatesigningrequests.certificates.k8s.io "c" is forbidden: ';
  const obj = csrObject(writeRequest(node));
  const signed = { ...obj, status: { certificate: 'x' } };
  assert.throws(() => run('CertificateApproval', granting(), 'approval', obj, obj), {
    message: `${prefix}user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client-kubelet"`,
  });
  run('CertificateApproval', granting('kubernetes.io/*'), 'approval', obj, obj);
  assert.throws(() => run('CertificateSigning', granting(), 'status', signed, obj), {
    message: `${prefix}user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client-kubelet"`,
  });
  run('CertificateSigning', granting(), 'status', obj, obj);
  const masters = csrObject(writeRequest({ commonName: 'a', organizations: ['x', 'system:masters'] }), { signerName: signers.apiClient });
  assert.throws(() => run('CertificateSubjectRestriction', granting(), '', masters), {
    message: `${prefix}use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed`,
  });
});
