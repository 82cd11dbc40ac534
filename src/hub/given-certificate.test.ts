import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { httpsServer } from '../apiserver/http/https-server.ts';
import { createAuthority, issueLeaf } from '../pki/certificate-authority.ts';
import { createPki } from '../pki/ensure-pki.ts';
import { givenCertificate } from './given-certificate.ts';

const now = new Date();
const authority = createAuthority('people', now);
const issue = (...hosts: string[]) => issueLeaf(authority, { commonName: hosts[0]!, usage: 'server', hosts, now });

/** As kubelet replaces what is in a volume: the new file takes the place of the old one. */
function put(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

test('a given certificate is shown for its names, is read again when it was renewed, and client certificates still count', async t => {
  using scratch = tempDir('given');
  const files = { certificate: path.join(scratch.dir, 'tls.crt'), key: path.join(scratch.dir, 'tls.key') };
  const write = ({ certificate, key }: { certificate: string; key: string }) => {
    put(files.key, key);
    put(files.certificate, certificate);
  };
  const first = issue('hub.example.com', '*.page.example.com');
  write(first);
  let clock = 0;
  const given = givenCertificate(files, () => clock);
  const pki = createPki();
  const seen: boolean[] = [];
  const handler = {
    handle: (req: { socket: object }, res: { end(): void }) => {
      seen.push((req.socket as TLSSocket).authorized);
      res.end();
    },
    wantsUpgrade: () => false,
    upgrade: () => {},
  };
  const server = httpsServer(pki, handler, { certificateFor: given.contextFor });
  const { port } = await server.listen('127.0.0.1', 0);
  t.after(() => server.close());
  const shown = async (servername: string) => {
    const { certificate: cert, key } = pki.admin;
    const socket = connect({ port, host: '127.0.0.1', servername, ca: [authority.certificate, pki.authority.certificate], cert, key });
    await once(socket, 'secureConnect');
    socket.write(`GET / HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`);
    const certificate = new X509Certificate(socket.getPeerCertificate().raw);
    socket.resume();
    await once(socket, 'close');
    return certificate.fingerprint256;
  };
  const fingerprint = ({ certificate }: { certificate: string }) => new X509Certificate(certificate).fingerprint256;

  assert.equal(await shown('hub.example.com'), fingerprint(first));
  assert.equal(await shown('a.page.example.com'), fingerprint(first));
  assert.equal(await shown('localhost'), fingerprint(pki.server), 'members go on to see the one of the hub');
  const renewed = issue('hub.example.com');
  write(renewed);
  assert.equal(await shown('hub.example.com'), fingerprint(first), 'files are not looked at for every connection');
  clock = 10_000;
  assert.equal(await shown('hub.example.com'), fingerprint(renewed));
  put(files.key, 'broken');
  clock = 20_000;
  assert.equal(await shown('hub.example.com'), fingerprint(renewed), 'what cannot be used is not used');
  assert.deepEqual([...new Set(seen)], [true]);
});

test('files that do not fit are refused at once, in words', () => {
  using scratch = tempDir('given');
  const files = { certificate: path.join(scratch.dir, 'tls.crt'), key: path.join(scratch.dir, 'tls.key') };
  assert.throws(() => givenCertificate(files), /ENOENT/);
  writeFileSync(files.certificate, issue('a.example.com').certificate);
  writeFileSync(files.key, issue('b.example.com').key);
  assert.throws(() => givenCertificate(files), /the key is not the one of the certificate/);
});
