import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Why a PEM certificate and a PEM key are no pair, in the words of Go's TLS library; undefined when they are. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificateProblem = blockProblem(
    certificate,
    type => type === 'CERTIFICATE',
    '"CERTIFICATE" PEM block in certificate input',
    'certificate',
  );
  if (certificateProblem) return certificateProblem;
  const isKeyType = (type: string) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
  const keyTypes = pemTypes(key);
  if (keyTypes.length === 0) return 'tls: failed to find any PEM data in key input';
  if (!keyTypes.some(isKeyType)) {
    if (keyTypes.length === 1 && keyTypes[0] === 'CERTIFICATE')
      return 'tls: found a certificate rather than a key in the PEM for the private key';
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${keyTypes.join(' ')}]`;
  }
  return matchProblem(certificate, key);
}

const pemTypes = (text: string) => [...text.matchAll(/-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/g)].map(match => match[1] ?? '');

function blockProblem(text: string, fits: (type: string) => boolean, wanted: string, input: string): string | undefined {
  const types = pemTypes(text);
  if (types.some(fits)) return undefined;
  if (types.length === 0) return `tls: failed to find any PEM data in ${input} input`;
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find ${wanted} after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function matchProblem(certificate: string, key: string): string | undefined {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    return parsed.checkPrivateKey(createPrivateKey(key)) ? undefined : 'tls: private key does not match public key';
  } catch {
    return 'tls: failed to parse private key';
  }
}
