import { createPublicKey, verify } from 'node:crypto';

interface DerNode {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole node, header included. */
  readonly whole: Buffer;
  readonly rest: Buffer;
}

function readNode(data: Buffer): DerNode | undefined {
  if (data.length < 2) return undefined;
  let length = data[1] ?? 0;
  let start = 2;
  if (length & 0x80) {
    const size = length & 0x7f;
    if (size === 0 || size > 4 || data.length < 2 + size) return undefined;
    length = data.readUIntBE(2, size);
    start += size;
  }
  const end = start + length;
  if (data.length < end) return undefined;
  return { tag: data[0] ?? 0, content: data.subarray(start, end), whole: data.subarray(0, end), rest: data.subarray(end) };
}

function children(node: DerNode | undefined): DerNode[] {
  const nodes: DerNode[] = [];
  let rest = node?.content ?? Buffer.alloc(0);
  while (rest.length > 0) {
    const child = readNode(rest);
    if (!child) break;
    nodes.push(child);
    rest = child.rest;
  }
  return nodes;
}

// Object identifiers of signature algorithms, in hex, and the digest each uses (none for Ed25519).
const digests: Readonly<Record<string, string | null>> = {
  '2a864886f70d010105': 'sha1',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
};

/** Why a PEM text is no certificate request that its own key has signed, in the words of the API; undefined when it is. */
export function certificateRequestProblem(pem: string): string | undefined {
  const block = /-----BEGIN ([^-]+)-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END \1-----/.exec(pem);
  if (block?.[1] !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  const root = readNode(Buffer.from(block[2] ?? '', 'base64'));
  const [info, algorithm, signature] = children(root);
  const [, , publicKey] = children(info);
  if (root?.tag !== 0x30 || !info || !algorithm || !publicKey || signature?.tag !== 0x03) return "asn1: structure error: tags don't match";
  if (root.rest.length > 0) return 'asn1: syntax error: trailing data';
  const digest = digests[children(algorithm)[0]?.content.toString('hex') ?? ''];
  if (digest === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  try {
    const key = createPublicKey({ key: publicKey.whole, format: 'der', type: 'spki' });
    const isSigned = verify(digest, info.whole, key, signature.content.subarray(1));
    return isSigned ? undefined : key.asymmetricKeyType === 'rsa' ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure';
  } catch {
    return 'x509: unsupported elliptic curve';
  }
}
