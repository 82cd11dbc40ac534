import { LRUCache } from 'lru-cache';
import { Content, contentName } from '../../api/content.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { digestOf } from '../../sources/digest.ts';
import { SingleFlight } from '../../sources/single-flight.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { maxContentBytes } from './content-bounds.ts';

/** There is no such Content on the hub, though something names it. */
export class ContentMissingError extends Error {
  override name = 'ContentMissingError';
}

interface Reads {
  readonly kept: LRUCache<string, Buffer>;
  readonly underWay: SingleFlight<Buffer>;
}

const keptBytes = 32 * 1024 * 1024;
const partsAtOnce = 4;
const readsOf = new WeakMap<KubeClient, Reads>();

/**
 * The bytes that have this digest, checked. What was read lately is kept, and many who ask at once ask the hub once; the bytes are shared and must not
 * be changed. Throws ContentMissingError when the hub has no such Content.
 */
export async function readContent(hub: KubeClient, digest: string, { signal }: { signal?: AbortSignal } = {}): Promise<Buffer> {
  const { kept, underWay } = readsFor(hub);
  const known = kept.get(digest);
  if (known) return known;
  return underWay.run(digest, signal, async signal => {
    const bytes = await fetchBytes(hub, contentName(digest), signal, true);
    kept.set(digest, bytes);
    return bytes;
  });
}

function readsFor(hub: KubeClient): Reads {
  const present = readsOf.get(hub);
  if (present) return present;
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: bytes => bytes.length + 256 });
  const made = { kept, underWay: new SingleFlight<Buffer>() };
  readsOf.set(hub, made);
  return made;
}

async function fetchBytes(hub: KubeClient, name: string, signal: AbortSignal, mayHaveParts: boolean): Promise<Buffer> {
  const content = await hub.get(Content, { name }, { signal });
  if (!content) throw new ContentMissingError(`the hub has no Content "${name}"`);
  const { sizeBytes, data, parts } = content.spec;
  if (sizeBytes > maxContentBytes) throw new Error(`content "${name}" is larger than the ${maxContentBytes} bytes that are allowed`);
  const bytes = data !== undefined ? Buffer.from(data, 'base64') : await joinParts();
  if (contentName(digestOf(bytes)) !== name) throw new Error(`content "${name}" is damaged: its bytes have another digest`);
  return bytes;

  async function joinParts(): Promise<Buffer> {
    // A part of parts could name itself.
    if (!mayHaveParts) throw new Error(`content "${name}" is a part and has parts`);
    const pieces = await mapBounded(parts ?? [], partsAtOnce, part => fetchBytes(hub, part, signal, false));
    return Buffer.concat(pieces);
  }
}
