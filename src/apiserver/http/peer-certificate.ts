import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

const certificates = new WeakMap<Socket, { certificate: X509Certificate | undefined }>();

/** The certificate a client showed when it connected. Parsing it is dear, so each connection does it once. */
export function peerCertificateOf(socket: Socket): X509Certificate | undefined {
  let known = certificates.get(socket);
  if (!known) {
    const { getPeerX509Certificate } = socket as Partial<TLSSocket>;
    known = { certificate: getPeerX509Certificate?.call(socket) };
    certificates.set(socket, known);
  }
  return known.certificate;
}
