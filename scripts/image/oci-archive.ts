import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { writeTar, type TarEntry } from './tar.ts';

export type Architecture = 'amd64' | 'arm64';
export const ownArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

type Layer = readonly TarEntry[];

export interface ImageOptions {
  /** Such as `drover.io/drover:0.1.0`. */
  readonly name: string;
  /** Lower layers first. */
  readonly layers: readonly Layer[];
  /** Layers below those, for more processors than this one, each of which gets an image under the same name. Without it the image is for this one. */
  readonly systems?: Readonly<Partial<Record<Architecture, Layer>>>;
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

const indexType = 'application/vnd.oci.image.index.v1+json';

/** An image as an OCI archive, made without a container engine. The same input gives the same bytes. */
export function writeImage({ name, layers, systems, config }: ImageOptions): { archive: Buffer; digest: string } {
  const shared = layers.map(packLayer);
  const images = Object.entries(systems ?? { [ownArchitecture]: undefined }).map(([architecture, system]) =>
    oneImage(architecture, [...(system ? [packLayer(system)] : []), ...shared], config),
  );
  const manifests = images.map(({ manifest, architecture }) => ({ ...describe(manifest), platform: { architecture, os: 'linux' } }));
  const all = json(indexType, { schemaVersion: 2, mediaType: indexType, manifests });
  // An image for one processor needs no list of them.
  const top = systems ? all : images[0]!.manifest;
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1) };
  const index = { schemaVersion: 2, mediaType: indexType, manifests: [{ ...describe(top), annotations }] };
  const file = (path: string, data: Buffer): TarEntry => ({ path, type: 'file', data });
  const blobs = new Map([...images.flatMap(one => one.blobs), top].map(one => [one.digest, one]));
  const archive = writeTar([
    file('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')),
    file('index.json', Buffer.from(JSON.stringify(index))),
    ...[...blobs.values()].map(one => file(`blobs/${one.digest.replace(':', '/')}`, one.data)),
  ]);
  return { archive, digest: top.digest };
}

interface PackedLayer {
  readonly id: string;
  readonly packed: Blob;
}

function packLayer(entries: Layer): PackedLayer {
  const tar = writeTar(entries);
  return { id: sha256(tar), packed: blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar, { level: 1 })) };
}

function oneImage(architecture: string, layers: readonly PackedLayer[], config: ImageOptions['config']) {
  const settings = json('application/vnd.oci.image.config.v1+json', {
    created: '1970-01-01T00:00:00Z',
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ id }) => id) },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'scripts/write-image.ts' })),
  });
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe(settings),
    layers: layers.map(({ packed }) => describe(packed)),
  });
  return { architecture, manifest, blobs: [settings, manifest, ...layers.map(({ packed }) => packed)] };
}
