import { createHash } from 'node:crypto';
import { ConfigMap } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readCredentials } from '../../../core/sources/read-credentials.ts';
import { chooseVersion } from '../../../sources/choose-version.ts';
import type { Egress } from '../../../sources/egress.ts';
import { findGitCommit } from '../../../sources/git.ts';
import { listChartVersions } from '../../../sources/helm-repository.ts';
import { listOciTags, readOciDigest } from '../../../sources/oci-artifact.ts';
import { versionOf } from '../../../sources/oci-reference.ts';
import type { SourceCaches } from '../../../sources/source-caches.ts';
import type { SourceContext } from '../../../sources/source-context.ts';
import { SourceError } from '../../../sources/source-error.ts';
import { hasExpressions } from '../expressions/render-text.ts';
import { gitAddress } from '../inputs/fetch-files.ts';
import type { ManifestSource, ServiceDefinition } from '../kinds/service-definition.ts';
import type { ManifestLook } from './decide-manifest.ts';
import { inOrder, type ListedVersion } from './merge-versions.ts';
import { isOneTag, versionTest } from './version-filter.ts';

export interface LookDeps {
  readonly hub: KubeClient;
  readonly egress: Egress;
  readonly caches: SourceCaches;
  readonly signal: AbortSignal;
}

type Artifact = NonNullable<ServiceDefinition['spec']['artifacts']>[number];

/** Of many tags the digests of the newest are asked for. */
const maxDigests = 3;

async function contextFor(
  { hub, egress, caches, signal }: LookDeps,
  namespace: string,
  secretName: string | undefined,
  repository: string,
): Promise<SourceContext> {
  return { egress, caches, signal, credentials: await readCredentials(hub, { namespace, secretName, repository }, signal) };
}

const ociAddress = (image: string): string => `oci://${image.replace(/^oci:\/\//, '')}`;

/** The versions of an artifact that there are now. */
export async function lookAtArtifact(deps: LookDeps, namespace: string, artifact: Artifact): Promise<ListedVersion[]> {
  const { type, image = '', chart, tagFilter, insecure = false, secretRef } = artifact;
  if (image === '' || type === 'Custom') return [];
  if (type === 'Git') {
    const repository = gitAddress(image);
    const ctx = await contextFor(deps, namespace, secretRef?.name, repository);
    const digest = await findGitCommit({ repository, version: tagFilter }, ctx);
    return [{ tag: tagFilter ?? 'HEAD', digest }];
  }
  if (type === 'HelmChart' && chart !== undefined && /^https?:/.test(image)) {
    const ctx = await contextFor(deps, namespace, secretRef?.name, image);
    return fitting(await listChartVersions({ repository: image, name: chart }, ctx), tagFilter);
  }
  const source = { repository: ociAddress(image), ...(chart !== undefined && { name: chart }), plainHttp: insecure };
  const ctx = await contextFor(deps, namespace, secretRef?.name, source.repository);
  const listed = inOrder(fitting(await listOciTags(source, ctx), tagFilter));
  // A tag that is named by itself may come to mean something else.
  const asksFor = isOneTag(tagFilter) || listed.length <= maxDigests ? listed.slice(0, maxDigests) : [];
  const digests = await Promise.all(asksFor.map(({ tag }) => digestOf({ ...source, version: tag }, ctx)));
  return listed.map((one, index) => ({ ...one, ...(digests[index] !== undefined && { digest: digests[index] }) }));
}

/** Undefined where the registry has it in a form that is not ours to read. */
async function digestOf(artifact: Parameters<typeof readOciDigest>[0], ctx: SourceContext): Promise<string | undefined> {
  try {
    return await readOciDigest(artifact, ctx);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

const fitting = (tags: readonly string[], tagFilter: string | undefined): ListedVersion[] =>
  tags.filter(versionTest(tagFilter)).map(tag => ({ tag }));

/** What the manifests of a service are now. What a run decides by expressions counts as it is written. */
export async function lookAtManifests(
  deps: LookDeps,
  { metadata, spec }: ServiceDefinition,
  tagFilter: string | undefined,
): Promise<ManifestLook> {
  const { namespace = '' } = metadata;
  const parts: string[] = [];
  for (const source of spec.manifests ?? []) parts.push(await revisionOf(deps, namespace, source, tagFilter));
  const revision = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  return { revision, version: parts.find(part => part.length <= 128) ?? revision };
}

async function revisionOf(deps: LookDeps, namespace: string, source: ManifestSource, tagFilter: string | undefined): Promise<string> {
  const { inline, configMapRef, oci, helm, kustomize } = source;
  const git = source.git ?? kustomize?.git;
  if (git) {
    if (hasExpressions(git.ref ?? '')) return git.ref!;
    const repository = gitAddress(git.repo);
    return findGitCommit({ repository, version: git.ref }, await contextFor(deps, namespace, git.secretRef?.name, repository));
  }
  if (helm) return chartVersion(deps, namespace, helm, tagFilter);
  if (oci) {
    if (oci.digest !== undefined || hasExpressions(oci.tag ?? '')) return oci.digest ?? oci.tag!;
    const ctx = await contextFor(deps, namespace, oci.secretRef?.name, ociAddress(oci.image));
    return readOciDigest({ repository: ociAddress(oci.image), version: oci.tag ?? 'latest', plainHttp: oci.insecure ?? false }, ctx);
  }
  if (configMapRef)
    return JSON.stringify((await deps.hub.get(ConfigMap, { namespace, name: configMapRef.name }, { signal: deps.signal }))?.data ?? {});
  return inline ?? '';
}

async function chartVersion(
  deps: LookDeps,
  namespace: string,
  helm: NonNullable<ManifestSource['helm']>,
  tagFilter: string | undefined,
): Promise<string> {
  const { chart, repo, version, insecure = false, secretRef } = helm;
  if (hasExpressions(version ?? '')) return version!;
  const isOci = /^oci:/.test(chart) || repo === undefined || /^oci:/.test(repo);
  // Those of the store of the hub are not followed.
  if (isOci && !/^oci:/.test(chart) && repo === undefined) return version ?? '';
  const place = isOci ? { repository: repo ?? chart, ...(repo !== undefined && { name: chart }), plainHttp: insecure } : undefined;
  const ctx = await contextFor(deps, namespace, secretRef?.name, place?.repository ?? repo ?? '');
  const versions = place
    ? (await listOciTags(place, ctx)).map(versionOf)
    : await listChartVersions({ repository: repo!, name: chart }, ctx);
  return chooseVersion(versions.filter(versionTest(tagFilter)), version) ?? '';
}
