import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Secret } from '../api/builtin-kinds.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isMissing } from '../client/missing-object.ts';
import { writeFileAtomic } from '../util/write-file-atomic.ts';

export type BlobKind = 'work' | 'content';

/** Where an agent keeps what it needs to go on without its hub. Names are of any form. */
export interface KeptBlobs {
  /** The names of all of a kind. */
  names(kind: BlobKind, signal: AbortSignal): Promise<string[]>;
  get(kind: BlobKind, name: string, signal: AbortSignal): Promise<Buffer | undefined>;
  put(kind: BlobKind, name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  delete(kind: BlobKind, name: string, signal: AbortSignal): Promise<void>;
}

const maxBlobBytes = 80 * 1024 * 1024;

/** In files that only their owner can read, for an agent that runs as a plain process. */
export function fileBlobs(dir: string): KeptBlobs {
  const folder = (kind: BlobKind) => join(dir, `${kind}s`);
  const fileOf = (kind: BlobKind, name: string) => join(folder(kind), `${encodeURIComponent(name)}.gz`);
  return {
    async names(kind) {
      const files = unlessMissing(() => readdirSync(folder(kind))) ?? [];
      return files.filter(file => file.endsWith('.gz')).map(file => decodeURIComponent(file.slice(0, -3)));
    },
    async get(kind, name) {
      const packed = unlessMissing(() => readFileSync(fileOf(kind, name)));
      return packed && unpack(packed);
    },
    async put(kind, name, bytes) {
      mkdirSync(folder(kind), { recursive: true, mode: 0o700 });
      writeFileAtomic(fileOf(kind, name), gzipSync(bytes), 0o600);
    },
    async delete(kind, name) {
      rmSync(fileOf(kind, name), { force: true });
    },
  };
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const kindLabel = 'drover.io/kept';
const nameAnnotation = 'drover.io/kept-name';
const partsAnnotation = 'drover.io/kept-parts';
/** A Secret holds a mebibyte. */
const maxPartBytes = 900 * 1024;

/** In Secrets of the member, beside the agent: they survive the pod. What does not fit into one is in several. */
export function secretBlobs(member: KubeClient, namespace: string): KeptBlobs {
  const nameOf = (kind: BlobKind, name: string, part: number) => {
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 40);
    return `drover-kept-${kind}-${hash}${part === 0 ? '' : `-${part}`}`;
  };
  return { names, get, put, delete: remove };

  async function names(kind: BlobKind, signal: AbortSignal): Promise<string[]> {
    const { items } = await member.list(Secret, { namespace, labelSelector: `${kindLabel}=${kind}`, signal });
    return items.map(({ metadata }) => metadata.annotations?.[nameAnnotation]).filter(name => name !== undefined);
  }

  async function get(kind: BlobKind, name: string, signal: AbortSignal): Promise<Buffer | undefined> {
    const first = await member.get(Secret, { namespace, name: nameOf(kind, name, 0) }, { signal });
    if (first?.metadata.annotations?.[nameAnnotation] !== name) return undefined;
    const secrets = [first];
    for (let part = 1; part < partsOf(first); part++) {
      const next = await member.get(Secret, { namespace, name: nameOf(kind, name, part) }, { signal });
      if (!next) return undefined;
      secrets.push(next);
    }
    return unpack(Buffer.concat(secrets.map(({ data }) => Buffer.from(data?.['data'] ?? '', 'base64'))));
  }

  /** The first part is written last: it says that all are there. */
  async function put(kind: BlobKind, name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const packed = gzipSync(bytes);
    const parts = Math.max(1, Math.ceil(packed.length / maxPartBytes));
    const labels = { 'app.kubernetes.io/managed-by': 'drover' };
    for (let part = parts - 1; part >= 0; part--) {
      const metadata = {
        name: nameOf(kind, name, part),
        namespace,
        labels: part === 0 ? { ...labels, [kindLabel]: kind } : labels,
        ...(part === 0 && { annotations: { [nameAnnotation]: name, [partsAnnotation]: String(parts) } }),
      };
      const data = packed.subarray(part * maxPartBytes, (part + 1) * maxPartBytes).toString('base64');
      await member.apply(Secret, { metadata, type: 'Opaque', data: { data } }, { signal, fieldManager: 'drover-agent' });
    }
  }

  async function remove(kind: BlobKind, name: string, signal: AbortSignal): Promise<void> {
    const first = { namespace, name: nameOf(kind, name, 0) };
    const found = await member.get(Secret, first, { signal });
    await member.delete(Secret, first, { signal }).catch((error: unknown) => {
      if (!isMissing(error, first)) throw error;
    });
    for (let part = 1; found && part < partsOf(found); part++)
      await member.delete(Secret, { namespace, name: nameOf(kind, name, part) }, { signal });
  }
}

const partsOf = ({ metadata }: Secret): number => Math.min(100, Number(metadata.annotations?.[partsAnnotation] ?? 1) || 1);

/** Undefined when whoever wrote it was cut short, or somebody has changed it. */
function unpack(packed: Buffer): Buffer | undefined {
  try {
    return gunzipSync(packed, { maxOutputLength: maxBlobBytes });
  } catch {
    return undefined;
  }
}
