import { isJsonObject } from '../util/json.ts';
import { chooseVersion, versionsInWords, checkRange } from './choose-version.ts';
import { checkSignature } from './cosign.ts';
import { digestOf } from './digest.ts';
import { maxArchiveBytes } from './fetch-archive.ts';
import { newestTag, rangeIn } from './newest-tag.ts';
import { digestForm, isTag, parseOciReference, tagOf, versionOf, type OciReference } from './oci-reference.ts';
import { maxManifestBytes, readJson, readManifest, type Descriptor, type Manifest } from './oci-manifest.ts';
import { openRepository, type OciRepository } from './oci-registry.ts';
import type { SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { parseVersion } from '../render/semver/semver.ts';

export interface OciArtifact {
  /** `oci://…`. */
  readonly repository: string;
  /** Further path below the repository. */
  readonly name?: string | undefined;
  /** A tag, a digest, a version, a range of versions, or `semver:RANGE` for the tag of that name. The newest when absent. */
  readonly version?: string | undefined;
  /** Without TLS, where the rules of egress allow it. */
  readonly plainHttp?: boolean;
  /** The public keys, as PEM, of which one must have signed it. Nobody need have when absent. */
  readonly signers?: readonly string[] | undefined;
}

const maxTagPages = 100;

/** The bytes of the first layer of an artifact that has one of the media types, checked against their digest. */
export async function fetchOciLayer(
  artifact: OciArtifact,
  mediaTypes: readonly string[],
  ctx: SourceContext,
): Promise<{ bytes: Buffer; place: string }> {
  const ref = parseOciReference(artifact.repository, artifact.name, artifact);
  const repository = openRepository(ref, ctx);
  const wanted = await chooseReference(ref, artifact.version, repository);
  const place = `oci://${new URL(ref.registry).host}/${ref.repository}${wanted.startsWith('sha256:') ? '@' : ':'}${wanted}`;
  const manifest = await readManifest(repository, wanted, place);
  // Checked before anything that it names is asked for, and then nothing is asked for but by digest.
  if (artifact.signers) await checkSignature(repository, { digest: manifest.digest, place, signers: artifact.signers });
  const layer = await findLayer(repository, manifest, mediaTypes, place);
  if (layer.size > maxArchiveBytes)
    throw new SourceError(`"${place}" is larger than the ${maxArchiveBytes} bytes that are allowed`, { isFinal: true });
  const { body } = await repository.get({ path: `blobs/${layer.digest}`, maxBytes: layer.size, timeoutMs: 300_000 });
  if (digestOf(body) !== layer.digest)
    throw new SourceError(`what the registry gives for "${place}" has another digest than its manifest says`);
  return { bytes: body, place };
}

/** All tags of a repository, as the registry lists them. */
export const listOciTags = (artifact: OciArtifact, ctx: SourceContext): Promise<string[]> =>
  listTags(openRepository(parseOciReference(artifact.repository, artifact.name, artifact), ctx));

/** The digest that a tag stands for now. */
export async function readOciDigest(artifact: OciArtifact & { readonly version: string }, ctx: SourceContext): Promise<string> {
  const ref = parseOciReference(artifact.repository, artifact.name, artifact);
  const place = `oci://${new URL(ref.registry).host}/${ref.repository}:${artifact.version}`;
  return (await readManifest(openRepository(ref, ctx), tagOf(artifact.version), place)).digest;
}

/** The tag or digest that is meant. */
async function chooseReference(ref: OciReference, version: string | undefined, repository: OciRepository): Promise<string> {
  if (version !== undefined && digestForm.test(version)) return version;
  const place = `oci://${new URL(ref.registry).host}/${ref.repository}`;
  const range = rangeIn(version ?? '');
  if (range !== undefined) return newestTag(await listTags(repository), range, place);
  if (version === undefined || version === '') {
    const given = ref.digest ?? ref.tag;
    if (given !== undefined) return given;
  } else if (isPlainVersion(version) || !isRange(version)) {
    const tag = tagOf(version);
    if (!isTag(tag)) throw new SourceError(`${JSON.stringify(version)} is no version, no range and no tag`, { isFinal: true });
    return tag;
  }
  const tags = await listTags(repository);
  const versions = tags.map(versionOf);
  const chosen = chooseVersion(versions, version);
  if (chosen === undefined)
    throw new SourceError(`version "${version ?? '*'}" not found in "${place}"; ${versionsInWords(versions)}`, { isFinal: true });
  return tagOf(chosen);
}

function isPlainVersion(text: string): boolean {
  try {
    // Parts that are left out make a range.
    return /^v?[0-9]+\.[0-9]+\.[0-9]+/.test(text) && parseVersion(text).original === text;
  } catch {
    return false;
  }
}

function isRange(text: string): boolean {
  try {
    checkRange(text);
    return true;
  } catch {
    return false;
  }
}

async function listTags(repository: OciRepository): Promise<string[]> {
  const tags: string[] = [];
  let path: string | undefined = 'tags/list?n=1000';
  for (let page = 0; path !== undefined && page < maxTagPages; page++) {
    const answer = await repository.get({ path, maxBytes: maxManifestBytes });
    const body = readJson(answer.body);
    const listed = isJsonObject(body) && Array.isArray(body['tags']) ? body['tags'] : [];
    tags.push(...listed.filter(tag => typeof tag === 'string'));
    path = nextPage(answer.headers.link);
  }
  return tags;
}

/** Of the link to the next page only its query is believed. */
function nextPage(link: string | string[] | undefined): string | undefined {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(String(link ?? '')) ?? [];
  const query = target?.includes('?') ? target.slice(target.indexOf('?') + 1) : undefined;
  return query === undefined ? undefined : `tags/list?${new URLSearchParams(query).toString()}`;
}

async function findLayer(repository: OciRepository, manifest: Manifest, mediaTypes: readonly string[], place: string): Promise<Descriptor> {
  // An index may hold other things beside what is looked for, such as signatures.
  const inner = manifest.layers.length === 0 ? manifest.manifests.slice(0, 8) : [];
  const layers = [...manifest.layers];
  for (const { digest } of inner) layers.push(...(await readManifest(repository, digest, place)).layers);
  const layer = mediaTypes.map(type => layers.find(one => one.mediaType === type)).find(Boolean);
  if (!layer)
    throw new SourceError(
      `"${place}" holds something else: ${
        layers
          .map(one => one.mediaType)
          .join(', ')
          .slice(0, 200) || 'nothing'
      }`,
      { isFinal: true },
    );
  return layer;
}
