import { type KeyObject, X509Certificate } from 'node:crypto';
import { badRequest } from '../api/status.ts';
import { extendedKeyUsages, issue, keyUsageBits, type CertificateAuthority } from '../pki/certificate-authority.ts';
import { parseCertificateRequest } from '../pki/certificate-request.ts';
import type { DistinguishedName } from '../pki/distinguished-name.ts';
import { agentGroup, agentUser } from '../tunnel/protocol.ts';

const lifetimeMs = 90 * 86_400_000;
const backdateMs = 300_000;

const commonNameOid = '2.5.4.3';
const organizationOid = '2.5.4.10';
const idPattern = /^system:drover:agent:(local|c-[a-z0-9]{5}|c-m-[a-z0-9]{8})$/;

/** The cluster whose agent a subject names, when it names nothing else. */
export function clusterIdOf({ attributes }: DistinguishedName): string | undefined {
  const valuesOf = (oid: string) => attributes.filter(one => one.oid === oid).map(one => one.value);
  const [names, groups] = [valuesOf(commonNameOid), valuesOf(organizationOid)];
  if (attributes.length !== 2 || names.length !== 1 || groups[0] !== agentGroup) return undefined;
  return idPattern.exec(names[0]!)?.[1];
}

/**
 * The key of a request that asks for the identity of this cluster's agent and nothing more. An agent that does not know its id yet leaves the
 * subject empty. Throws 400 with what is wrong.
 */
export function requestedKey(csr: string, clusterId: string, { mayBeEmpty }: { mayBeEmpty: boolean }): KeyObject {
  const request = parse(csr);
  const isEmpty = mayBeEmpty && request.subject.attributes.length === 0;
  if (!isEmpty && clusterIdOf(request.subject) !== clusterId)
    throw badRequest(`the subject of the certificate request must be O=${agentGroup}, CN=${agentUser(clusterId)}`);
  if (request.extensions.length > 0) throw badRequest('the certificate request must not ask for extensions or alternative names');
  const { asymmetricKeyType, asymmetricKeyDetails } = request.publicKey;
  if (asymmetricKeyType !== 'ec' || asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw badRequest('the key of the certificate request must be ECDSA on P-256');
  if (!request.hasValidSignature) throw badRequest('the certificate request is not signed with its own key');
  return request.publicKey;
}

function parse(csr: string) {
  try {
    return parseCertificateRequest(csr);
  } catch (cause) {
    throw badRequest(`the certificate request cannot be read: ${(cause as Error).message}`);
  }
}

export interface AgentCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly expiresAt: Date;
}

/** A certificate for the agent of a cluster. Only the key comes from the agent. */
export function issueAgentCertificate(authority: CertificateAuthority, key: KeyObject, clusterId: string, now: Date): AgentCertificate {
  const expiresAt = new Date(Math.min(now.getTime() + lifetimeMs, Date.parse(authority.x509.validTo)));
  const certificate = issue(authority, key, {
    subject: { commonName: agentUser(clusterId), organizations: [agentGroup] },
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: expiresAt,
    keyUsage: [keyUsageBits.digitalSignature],
    extendedKeyUsage: [extendedKeyUsages.clientAuth],
  });
  return { certificate, expiresAt };
}

/** Reads the header in which an agent shows its certificate. Undefined when it is none. */
export function shownCertificate(header: string): X509Certificate | undefined {
  if (header.length > 8192 || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return undefined;
  try {
    return new X509Certificate(Buffer.from(header, 'base64'));
  } catch {
    return undefined;
  }
}
