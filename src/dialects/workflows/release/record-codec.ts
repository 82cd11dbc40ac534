import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../../api/object.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import { printJson } from '../../../util/json.ts';
import { manifestText } from './manifest-text.ts';

/** A Secret holds 1 MiB with everything around it. */
export const maxPackedBytes = 900 * 1024;
const maxTextBytes = 32 * 1024 * 1024;

export interface PackedManifest {
  /** Of the text, as records bear it. */
  readonly hash: string;
  /** The gzipped text in base64. Absent when it is too large for a Secret. */
  readonly data?: string;
  readonly digest: string;
  readonly text: string;
}

/** A release is the same on most of its clusters: it is packed, and unpacked, once for all of them. */
const packed = new LRUCache<string, PackedManifest>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (_value, key) => key.length });
const unpacked = new LRUCache<string, readonly KubeObject[]>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (_value, key) => key.length });

export function packManifest(objects: readonly KubeObject[]): PackedManifest {
  const key = printJson(objects);
  const known = packed.get(key);
  if (known) return known;
  const text = manifestText(objects);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const bytes = gzipSync(text, { level: 9 });
  const fits = bytes.length <= maxPackedBytes;
  const fresh = { hash: sha256.slice(0, 16), digest: `sha256:${sha256}`, text, ...(fits && { data: bytes.toString('base64') }) };
  packed.set(key, fresh);
  return fresh;
}

/** Throws when it is no gzip, too large, or no manifests. */
export function unpackManifest(data: string): readonly KubeObject[] {
  const known = unpacked.get(data);
  if (known) return known;
  const fresh = parseManifests(unzipText(Buffer.from(data, 'base64')));
  unpacked.set(data, fresh);
  return fresh;
}

export const unzipText = (bytes: Buffer): string => gunzipSync(bytes, { maxOutputLength: maxTextBytes }).toString('utf8');
