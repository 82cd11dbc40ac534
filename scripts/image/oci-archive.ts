import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { writeTar, type TarEntry } from './tar.ts';

export interface ImageOptions {
  /** Such as `drover.io/drover:0.1.0`. */
  readonly name: string;
  /** Lower layers first. */
  readonly layers: readonly (readonly TarEntry[])[];
  readonly config: {
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly Env?: readonly string[];
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly Labels?: Readonly<Record<string, string>>;
  };
}

interface Blob {
  readonly mediaType: string;
  readonly data: Buffer;
  readonly digest: string;
}

const sha256 = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const blob = (mediaType: string, data: Buffer): Blob => ({ mediaType, data, digest: sha256(data) });
const json = (mediaType: string, value: unknown): Blob => blob(mediaType, Buffer.from(JSON.stringify(value)));
const describe = ({ mediaType, data, digest }: Blob) => ({ mediaType, digest, size: data.length });

/** An image as an OCI archive, made without a container engine. The same input gives the same bytes. */
export function writeImage({ name, layers, config }: ImageOptions): { archive: Buffer; digest: string } {
  const tars = layers.map(writeTar);
  const packed = tars.map(tar => blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar, { level: 1 })));
  const settings = json('application/vnd.oci.image.config.v1+json', {
    created: '1970-01-01T00:00:00Z',
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: tars.map(sha256) },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'scripts/write-image.ts' })),
  });
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe(settings),
    layers: packed.map(describe),
  });
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...describe(manifest),
        annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1) },
      },
    ],
  };
  const file = (path: string, data: Buffer): TarEntry => ({ path, type: 'file', data });
  const blobs = new Map([settings, manifest, ...packed].map(one => [one.digest, one]));
  const archive = writeTar([
    file('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')),
    file('index.json', Buffer.from(JSON.stringify(index))),
    ...[...blobs.values()].map(one => file(`blobs/${one.digest.replace(':', '/')}`, one.data)),
  ]);
  return { archive, digest: manifest.digest };
}
