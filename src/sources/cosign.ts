import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { isJsonObject } from '../util/json.ts';
import { digestOf } from './digest.ts';
import { readJson, readManifest, type Descriptor, type Manifest } from './oci-manifest.ts';
import type { OciRepository } from './oci-registry.ts';
import { SourceError } from './source-error.ts';

export interface Signed {
  /** Of the manifest that must be signed. */
  readonly digest: string;
  /** Where it is, for people. */
  readonly place: string;
  /** Public keys as PEM. One of them must have signed it. */
  readonly signers: readonly string[];
}

/** A signature that should be there is not, or is not that of a key that is trusted. */
export class SignatureError extends SourceError {
  override name = 'SignatureError';
}

const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';
const signatureAnnotation = 'dev.cosignproject.cosign/signature';
const maxPayloadBytes = 64 * 1024;
const maxSignatures = 64;
const isFinal = { isFinal: true } as const;

/**
 * Checks a signature as `cosign sign --key` puts it beside what it signs: at the tag `sha256-<digest>.sig` lies a manifest whose layers are statements about
 * the digest, each with a signature over its bytes. Throws SignatureError unless one of the keys has signed such a statement.
 */
export async function checkSignature(repository: OciRepository, { digest, place, signers }: Signed): Promise<void> {
  const keys = signers.map(readKey);
  const { layers } = await readSignatures(repository, digest, place);
  const statements = layers.filter(one => one.mediaType === payloadType && one.size <= maxPayloadBytes).slice(0, maxSignatures);
  for (const statement of statements) {
    const payload = await readPayload(repository, statement, place);
    const signature = Buffer.from(String(statement.annotations[signatureAnnotation] ?? ''), 'base64');
    if (keys.some(key => isSignedBy(key, payload, signature)) && signedDigest(payload) === digest) return;
  }
  throw new SignatureError(`"${place}" is not signed by any of the keys that are trusted`, isFinal);
}

async function readSignatures(repository: OciRepository, digest: string, place: string): Promise<Manifest> {
  const tag = `${digest.replace(':', '-')}.sig`;
  try {
    return await readManifest(repository, tag, place);
  } catch (error) {
    // Whether it is missing or nobody may see it: without it nothing is signed.
    if (error instanceof SourceError && error.isFinal)
      throw new SignatureError(`"${place}" is not signed: there are no signatures of cosign at the tag "${tag}"`, {
        ...isFinal,
        cause: error,
      });
    throw error;
  }
}

async function readPayload(repository: OciRepository, { digest, size }: Descriptor, place: string): Promise<Buffer> {
  const { body } = await repository.get({ path: `blobs/${digest}`, maxBytes: size });
  if (digestOf(body) !== digest) throw new SourceError(`what the registry gives for a signature of "${place}" has another digest`);
  return body;
}

function readKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new SignatureError('a key of those that are trusted is no public key in PEM', { ...isFinal, cause });
  }
}

function isSignedBy(key: KeyObject, payload: Buffer, signature: Buffer): boolean {
  // Keys on Edwards curves bring their own digest.
  const digest = key.asymmetricKeyType === 'ec' || key.asymmetricKeyType === 'rsa' ? 'sha256' : null;
  try {
    return verify(digest, payload, key, signature);
  } catch {
    return false;
  }
}

/** The digest that a statement is about; undefined when it is a statement of another kind. */
function signedDigest(payload: Buffer): string | undefined {
  const statement = readJson(payload);
  const critical = isJsonObject(statement) ? statement['critical'] : undefined;
  if (!isJsonObject(critical) || critical['type'] !== 'cosign container image signature') return undefined;
  const image = critical['image'];
  const digest = isJsonObject(image) ? image['docker-manifest-digest'] : undefined;
  return typeof digest === 'string' ? digest : undefined;
}
