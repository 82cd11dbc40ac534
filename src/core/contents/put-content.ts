import { Content, contentName, type ContentType } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import { StatusError } from '../../api/status.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { digestOf } from '../../sources/digest.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { maxContentBytes, maxPartBytes } from './content-bounds.ts';
import { lastPut, putAnnotation } from './last-put.ts';

export interface ContentFacts {
  readonly type: ContentType;
  /** What the chart says of itself, for charts. */
  readonly chart?: NonNullable<Content['spec']['chart']>;
  readonly labels?: Readonly<Record<string, string>>;
}

const partsAtOnce = 4;
/** Well below the age at which a Content that nobody names is collected. */
const freshMs = 10 * 60_000;

/** Stores bytes on the hub under their digest, which it gives back. Bytes that are there already are left as they are, and count as young again. */
export async function putContent(hub: KubeClient, bytes: Uint8Array, facts: ContentFacts, call: CallOptions = {}): Promise<string> {
  if (bytes.length > maxContentBytes)
    throw new Error(`content has ${bytes.length} bytes, more than the ${maxContentBytes} that are allowed`);
  const digest = digestOf(bytes);
  const { type, chart, labels } = facts;
  const spec = { type, digest, sizeBytes: bytes.length, ...(chart && { chart }), ...(await holdBytes(hub, bytes, facts, call)) };
  const metadata = { name: contentName(digest), ...(labels && { labels: { ...labels } }) };
  await createOrTouch(hub, newObject(Content, metadata, spec), call);
  return digest;
}

/** The field that holds the bytes. Parts are stored first, so that whoever sees the whole finds them. */
async function holdBytes(
  hub: KubeClient,
  bytes: Uint8Array,
  { type }: ContentFacts,
  call: CallOptions,
): Promise<Pick<Content['spec'], 'data' | 'parts'>> {
  // No bytes are no parts: the API takes an empty text for wrong base64.
  if (bytes.length > 0 && bytes.length <= maxPartBytes) return { data: base64(bytes) };
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += maxPartBytes) parts.push(bytes.subarray(at, at + maxPartBytes));
  const digests = await mapBounded(parts, partsAtOnce, part => putContent(hub, part, { type }, call));
  return { parts: digests.map(contentName) };
}

async function createOrTouch(hub: KubeClient, content: Content, call: CallOptions): Promise<void> {
  try {
    await hub.create(Content, content, call);
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
    await touch(hub, content, call);
  }
}

/** Nobody may name it yet, and it must not be collected before the caller does. */
async function touch(hub: KubeClient, content: Content, call: CallOptions): Promise<void> {
  const name = content.metadata.name!;
  const present = await hub.get(Content, { name }, call);
  if (!present) return void (await hub.create(Content, content, call));
  const now = new Date();
  if (now.getTime() - lastPut(present).getTime() < freshMs) return;
  const body = { metadata: { annotations: { [putAnnotation]: now.toISOString() } } };
  await hub.patch(Content, { name }, { type: 'merge', body }, call);
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
