import type { KeyObject } from 'node:crypto';
import { issue, type CertificateAuthority } from '../pki/certificate-authority.ts';
import type { CertificateRequest } from '../pki/certificate-request.ts';
import { goQuoteList } from '../util/go-quote.ts';

/** The signers of Kubernetes that this server plays itself. */
export const signers = {
  apiClient: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
  legacyUnknown: 'kubernetes.io/legacy-unknown',
} as const;

const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};
const extendedUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};
const backdateMs = 300_000;
const shortLivedMs = 8 * 3_600_000;
const shortestMs = 600_000;
const longestCertificateMs = 365 * 86_400_000;

/** Why a signer will not sign a request; undefined when it will. */
export function refusalOf(signer: string, request: CertificateRequest, usages: readonly string[]): string | undefined {
  const problem = signerProblem(signer, request, usages) ?? keyProblem(request.publicKey);
  if (problem !== undefined) return problem;
  return request.hasValidSignature ? undefined : 'unable to verify certificate request signature';
}

function signerProblem(signer: string, request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (signer === signers.apiClient) return apiClientProblem(usages);
  if (signer === signers.kubeletClient) return kubeletClientProblem(request, usages);
  if (signer === signers.kubeletServing) return kubeletServingProblem(request, usages);
  return signer === signers.legacyUnknown ? undefined : `unrecognized signerName: ${JSON.stringify(signer)}`;
}

function apiClientProblem(usages: readonly string[]): string | undefined {
  const foreign = usages.find(usage => usage !== 'digital signature' && usage !== 'key encipherment' && usage !== 'client auth');
  if (foreign !== undefined) return `invalid usage for client certificate: ${foreign}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOnlySystemNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (!request.subject.commonName.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  return usageProblem(usages, 'client auth');
}

function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOnlySystemNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const problem = usageProblem(usages, 'server auth');
  if (problem !== undefined) return problem;
  return request.subject.commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

function isOnlySystemNodes({ subject }: CertificateRequest): boolean {
  return subject.organizations.length === 1 && subject.organizations[0] === 'system:nodes';
}

function usageProblem(usages: readonly string[], purpose: 'client auth' | 'server auth'): string | undefined {
  const wanted = new Set(usages);
  wanted.delete('key encipherment');
  if (wanted.size === 2 && wanted.has('digital signature') && wanted.has(purpose)) return undefined;
  return `usages did not match [${['digital signature', 'key encipherment', purpose].sort().join(' ')}]`;
}

/** Keys that could be guessed are not worth a signature. Stricter than the real signer, which takes RSA from 1024 bits on. */
function keyProblem(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ec') return undefined;
  if (key.asymmetricKeyType !== 'rsa') return `public keys of type "${key.asymmetricKeyType}" are not supported`;
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048 ? undefined : 'RSA public keys must have at least 2048 bits';
}

/**
 * Signs a request that passed `refusalOf`: its subject and alternative names are taken over, everything else it asks for (being an authority,
 * other extensions) is not. Never valid for longer than the signer's limit or the authority itself.
 */
export function signRequest(
  authority: CertificateAuthority,
  request: CertificateRequest,
  { usages, expirationSeconds, now }: { usages: readonly string[]; expirationSeconds?: number | undefined; now: Date },
): string {
  const unknown = usages.filter(usage => keyUsages[usage] === undefined && extendedUsages[usage] === undefined);
  if (unknown.length > 0) throw new Error(`unrecognized usage values: ${goQuoteList(unknown)}`);
  const wantedMs = expirationSeconds === undefined ? longestCertificateMs : expirationSeconds * 1000;
  const lifetimeMs = Math.min(Math.max(wantedMs, shortestMs), longestCertificateMs);
  const endsAt = now.getTime() + (lifetimeMs < shortLivedMs ? lifetimeMs : lifetimeMs - backdateMs);
  const { rawSubject, publicKey, dnsNames, ipAddresses, emailAddresses, uris } = request;
  return issue(authority, publicKey, {
    subject: rawSubject,
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: new Date(Math.min(endsAt, Date.parse(authority.x509.validTo))),
    keyUsage: [...new Set(usages.flatMap(usage => keyUsages[usage] ?? []))],
    extendedKeyUsage: [...new Set(usages.flatMap(usage => extendedUsages[usage] ?? []))],
    dnsNames,
    ipAddresses,
    emailAddresses,
    uris,
  });
}
