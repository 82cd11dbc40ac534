import { hubRepository } from '../../core/sources/fetch-content.ts';
import { parseVersion } from '../../render/semver/semver.ts';
import { defaultBucketTimeoutMs, printBucketAddress } from '../../sources/bucket-address.ts';
import { SignatureError } from '../../sources/cosign.ts';
import { rangeOfTags } from '../../sources/newest-tag.ts';
import { SourceError } from '../../sources/source-error.ts';
import { durationMs, isDuration } from '../../util/duration.ts';
import { refuseFields, refuseProvider, signersSecret } from './flux-fields.ts';
import type { Bucket, GitRepository, HelmChart, HelmRepository, OCIRepository } from './kinds/flux-source.ts';
import { defaultRepository } from './kinds/group.ts';
import type { ValuesFiles } from './values-files.ts';

/** Where the bytes of a source of Flux are. */
export interface FluxAddress {
  readonly form: 'chart' | 'kustomization';
  /** As `src/sources` writes it. */
  readonly repository: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly secretName: string | undefined;
  readonly certSecretName: string | undefined;
  readonly plainHttp: boolean;
  /** Of charts that have their values elsewhere than in values.yaml. */
  readonly valuesFiles?: ValuesFiles;
  /** What to leave out. */
  readonly ignore?: string;
  /** The layer of an artifact that is meant. */
  readonly layerType?: string;
  /** The Secret with the keys of those who may have signed it. */
  readonly signersSecretName?: string;
  /** What people call the version. */
  readonly label?: string;
  /** Whether it may come to mean other bytes, so that one has to look again. */
  readonly isMoving: boolean;
  /** Whether whoever holds it stays with what is there. */
  readonly isSuspended?: boolean;
  /** Whether a chart of the version that is there counts as the same, whatever is in it. */
  readonly isNewByVersion?: boolean;
}

/** What a chart can be taken from: undefined when there is no such object. */
export type ChartHolder =
  | { readonly kind: 'HelmRepository'; readonly object: HelmRepository | undefined }
  | { readonly kind: 'GitRepository'; readonly object: GitRepository | undefined }
  | { readonly kind: 'Bucket'; readonly object: Bucket | undefined };

const isFinal = { isFinal: true } as const;

/** Where a chart is. Throws SourceError in words for its status. */
export function addressOfChart(chart: HelmChart, holder: ChartHolder): FluxAddress {
  checkSource(chart.spec);
  const valuesFiles = valuesFilesOf(chart.spec, holder);
  const signersSecretName = signersSecret(chart.spec);
  const address = addressIn(chart, holder);
  if (signersSecretName !== undefined && !address.repository.startsWith('oci:'))
    throw new SignatureError('signatures are checked of charts in registries only: a HelmRepository of type "oci"', isFinal);
  return {
    ...address,
    ...(valuesFiles && { valuesFiles }),
    ...(signersSecretName !== undefined && { signersSecretName }),
    isSuspended: holder.object?.spec.suspend === true,
    isNewByVersion: holder.kind !== 'HelmRepository' && chart.spec.reconcileStrategy !== 'Revision',
  };
}

function addressIn({ metadata, spec }: HelmChart, holder: ChartHolder): FluxAddress {
  const { kind, name } = spec.sourceRef;
  if (holder.object) {
    if (holder.kind === 'HelmRepository') return addressInRepository(spec, holder.object!);
    const folders = holder.kind === 'GitRepository' ? addressOfGit(holder.object!) : addressOfBucket(holder.object!);
    return { ...folders, form: 'chart', name: spec.chart };
  }
  // Drover's own store stands in for the repository that comes with k0rdent.
  if (kind === 'HelmRepository' && name === defaultRepository) return addressInStore(spec);
  throw new SourceError(`there is no ${kind} "${name}" in namespace "${metadata.namespace}"`, isFinal);
}

/** In git and in buckets Flux names the files from the root; only those of the chart's own folder come along. */
function valuesFilesOf(spec: HelmChart['spec'], { kind }: ChartHolder): ValuesFiles | undefined {
  const { valuesFiles = [], ignoreMissingValuesFiles = false } = spec;
  if (valuesFiles.length === 0) return undefined;
  const folder = `${spec.chart.replace(/^\.?\//, '').replace(/\/$/, '')}/`;
  const inside = (path: string) => {
    const clean = path.replace(/^\.?\//, '');
    if (kind === 'HelmRepository') return clean;
    if (!clean.startsWith(folder)) throw new SourceError(`the file "${path}" of values is not in the folder of the chart`, isFinal);
    return clean.slice(folder.length);
  };
  return { paths: valuesFiles.map(inside), mayBeMissing: ignoreMissingValuesFiles };
}

function checkSource({ sourceRef }: HelmChart['spec']): void {
  if (!['HelmRepository', 'GitRepository', 'Bucket'].includes(sourceRef.kind))
    throw new SourceError(`charts come from a HelmRepository, a GitRepository or a Bucket, not from a ${sourceRef.kind}`, isFinal);
}

/** Throws when charts of a repository cannot be had as it says. */
export function checkHelmRepository({ spec }: HelmRepository): void {
  refuseProvider('HelmRepository', spec);
  refuseFields('HelmRepository', spec, ['proxySecretRef', 'serviceAccountName']);
}

function addressInRepository(spec: HelmChart['spec'], holder: HelmRepository): FluxAddress {
  const { spec: repository } = holder;
  checkHelmRepository(holder);
  if (repository.url === hubRepository) return addressInStore(spec);
  return {
    form: 'chart',
    repository: repository.url,
    name: spec.chart,
    version: versionIn(spec),
    ...secretsOf(repository),
    isMoving: !isOneVersion(spec.version),
  };
}

/** Whoever pushes a chart to the store does not replace one, but may add a newer one. */
function addressInStore(spec: HelmChart['spec']): FluxAddress {
  const version = versionIn(spec);
  const isMoving = !isOneVersion(version);
  return { form: 'chart', repository: hubRepository, name: spec.chart, version, ...secretsOf({}), isMoving };
}

const versionIn = ({ version }: HelmChart['spec']): string | undefined => (version === '' || version === '*' ? undefined : version);

/** A version that is written whole, and so means the same chart for ever. */
function isOneVersion(version: string | undefined): boolean {
  if (version === undefined || !/^v?[0-9]+\.[0-9]+\.[0-9]+/.test(version)) return false;
  try {
    return parseVersion(version).original === version;
  } catch {
    return false;
  }
}

/** Where the files of a repository of git are. */
export function addressOfGit({ spec: { url, ref = {}, ...spec } }: GitRepository): FluxAddress {
  if (!/^(https?|ssh):\/\//.test(url)) throw new SourceError(`${JSON.stringify(url)} is no address of git`, isFinal);
  refuseProvider('GitRepository', spec);
  refuseFields('GitRepository', spec, ['verify', 'include', 'recurseSubmodules', 'sparseCheckout', 'proxySecretRef', 'serviceAccountName']);
  const version = revisionOf(ref);
  const label = version.replace(/^(refs\/(heads|tags)\/|semver:)/, '');
  const what = { version, label, ignore: spec.ignore ?? '', isMoving: !ref.commit };
  return { form: 'kustomization', repository: `git+${url}`, name: undefined, ...secretsOf(spec), ...what };
}

/** Whole references: a branch may be called like a tag. */
function revisionOf({ commit, name, semver, tag, branch }: NonNullable<GitRepository['spec']['ref']>): string {
  if (commit) return commit;
  if (name) return name;
  if (semver) return rangeOfTags(semver);
  return tag ? `refs/tags/${tag}` : `refs/heads/${branch || 'master'}`;
}

/** Where the files of an artifact of a registry are. */
export function addressOfOci({ spec: { url, ref = {}, layerSelector = {}, ...spec } }: OCIRepository): FluxAddress {
  refuseProvider('OCIRepository', spec);
  refuseFields('OCIRepository', spec, ['proxySecretRef', 'serviceAccountName']);
  refuseFields('reference to an OCIRepository', ref, ['semverFilter']);
  const { mediaType, operation = 'extract' } = layerSelector;
  if (operation !== 'extract')
    throw new SourceError(`layers cannot be had by the operation ${JSON.stringify(operation)}: only by "extract"`, isFinal);
  const signersSecretName = signersSecret(spec);
  // A tag stands in the address: there "1.2" is no range.
  const tag = ref.tag || 'latest';
  const [repository, version] = ref.digest || ref.semver ? [url, ref.digest || rangeOfTags(ref.semver!)] : [`${url}:${tag}`, undefined];
  return {
    form: 'kustomization',
    repository,
    name: undefined,
    version,
    label: ref.digest || ref.semver || tag,
    ...secretsOf(spec),
    ignore: spec.ignore ?? '',
    ...(mediaType && { layerType: mediaType }),
    ...(signersSecretName !== undefined && { signersSecretName }),
    isMoving: !ref.digest,
  };
}

/** Where the files of a bucket are. */
export function addressOfBucket({ spec }: Bucket): FluxAddress {
  const { provider = 'generic', endpoint, bucketName, region = '', prefix = '', ignore = '', timeout } = spec;
  if (provider !== 'generic' && provider !== 'aws')
    throw new SourceError(`buckets of the provider ${JSON.stringify(provider)} cannot be read here: "generic" and "aws" can`, isFinal);
  refuseFields('Bucket', spec, ['sts', 'proxySecretRef', 'serviceAccountName']);
  const timeoutMs = isDuration(timeout) ? durationMs(timeout) : defaultBucketTimeoutMs;
  const isPlainHttp = spec.insecure === true;
  const repository = printBucketAddress({ endpoint, bucket: bucketName, isPlainHttp, provider, region, prefix, ignore, timeoutMs });
  return { form: 'kustomization', repository, name: undefined, version: undefined, ...secretsOf(spec), isMoving: true };
}

interface Secrets {
  readonly secretRef?: { readonly name: string } | undefined;
  readonly certSecretRef?: { readonly name: string } | undefined;
  readonly insecure?: boolean | undefined;
}

const secretsOf = ({ secretRef, certSecretRef, insecure = false }: Secrets) => ({
  secretName: secretRef?.name,
  certSecretName: certSecretRef?.name,
  plainHttp: insecure,
});

/** Whether a chart that was fetched is none that is new, by the versions of the one that is there and of itself. */
export const countsAsSame = ({ isNewByVersion = false }: FluxAddress, present: string | undefined, fetched: string | undefined): boolean =>
  isNewByVersion && present !== undefined && present === fetched;

const defaultIntervalMs = 600_000;
const minIntervalMs = 30_000;

/** How long to wait between looks, as Go writes durations: "10m", "1h30m". */
export function intervalMs(text: string | undefined): number {
  return Math.min(Math.max(isDuration(text) ? durationMs(text) : defaultIntervalMs, minIntervalMs), 86_400_000);
}
