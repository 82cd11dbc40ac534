import { X509Certificate } from 'node:crypto';
import { subjectOf, extendedKeyUsages } from './certificate-authority.ts';
import { readName, type DistinguishedName } from './distinguished-name.ts';

const anyExtendedKeyUsage = '2.5.29.37.0';
const longestChain = 5;

/**
 * Checks that a certificate a client showed leads to one of the authorities, is valid now and may be used by clients. Returns its subject;
 * throws an Error that says what is wrong.
 */
export function verifyClientCertificate(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  { intermediates = [], now = new Date() }: { intermediates?: readonly X509Certificate[]; now?: Date } = {},
): DistinguishedName {
  let current = certificate;
  for (let depth = 0; depth < longestChain; depth++) {
    checkTime(current, now);
    checkUsage(current);
    const root = authorities.find(authority => isIssuedBy(current, authority));
    if (root) {
      checkTime(root, now);
      return readName(subjectOf(certificate.raw));
    }
    const issuer = intermediates.find(candidate => candidate.ca && isIssuedBy(current, candidate));
    if (!issuer) break;
    current = issuer;
  }
  throw new Error('x509: certificate signed by unknown authority');
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function checkTime(certificate: X509Certificate, now: Date): void {
  if (now.getTime() < Date.parse(certificate.validFrom)) throw new Error('x509: certificate is not yet valid');
  if (now.getTime() > Date.parse(certificate.validTo)) throw new Error('x509: certificate has expired');
}

function checkUsage(certificate: X509Certificate): void {
  // Absent means any, as in Go.
  const usages = certificate.keyUsage as readonly string[] | undefined;
  if (!usages || usages.length === 0) return;
  if (!usages.includes(extendedKeyUsages.clientAuth) && !usages.includes(anyExtendedKeyUsage))
    throw new Error('x509: certificate specifies an incompatible key usage');
}
