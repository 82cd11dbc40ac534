import { isJsonObject, type Json, type JsonObject } from '../util/json.ts';
import { digestOf } from './digest.ts';
import { digestForm } from './oci-reference.ts';
import type { OciRepository } from './oci-registry.ts';
import { SourceError } from './source-error.ts';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations: JsonObject;
}

export interface Manifest {
  /** Of the manifest itself. */
  readonly digest: string;
  readonly layers: readonly Descriptor[];
  readonly manifests: readonly Descriptor[];
}

const manifestTypes = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.oci.image.index.v1+json'];
export const maxManifestBytes = 4 * 1024 * 1024;

/** What a tag or digest of a repository stands for, checked against the digest where there is one. */
export async function readManifest(repository: OciRepository, reference: string, place: string): Promise<Manifest> {
  const { body, headers } = await repository.get({
    path: `manifests/${reference}`,
    accept: manifestTypes.join(', '),
    maxBytes: maxManifestBytes,
  });
  const said = headers['docker-content-digest'];
  const wanted = digestForm.test(reference) ? reference : typeof said === 'string' && digestForm.test(said) ? said : undefined;
  if (wanted !== undefined && digestOf(body) !== wanted)
    throw new SourceError(`the manifest that the registry gives for "${place}" has another digest`);
  const manifest = readJson(body);
  if (!isJsonObject(manifest)) throw new SourceError(`"${place}" has no manifest`, { isFinal: true });
  return { digest: digestOf(body), layers: descriptorsOf(manifest['layers']), manifests: descriptorsOf(manifest['manifests']) };
}

function descriptorsOf(list: Json | undefined): Descriptor[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap(item => {
    if (!isJsonObject(item)) return [];
    const { mediaType, digest, size, annotations } = item;
    const isDescriptor =
      typeof mediaType === 'string' &&
      typeof digest === 'string' &&
      digestForm.test(digest) &&
      Number.isSafeInteger(size) &&
      (size as number) >= 0;
    return isDescriptor ? [{ mediaType, digest, size: size as number, annotations: isJsonObject(annotations) ? annotations : {} }] : [];
  });
}

export function readJson(body: Buffer): Json {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    return null;
  }
}
