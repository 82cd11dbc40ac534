import { posix } from 'node:path';
import { Content, contentName, contentTypes } from '../../../api/content.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { holdContent } from '../../../core/contents/hold-contents.ts';
import { putContent } from '../../../core/contents/put-content.ts';
import { fetchContent } from '../../../core/sources/fetch-content.ts';
import { writeArchive } from '../../../render/write-archive.ts';
import { withoutCredentials } from '../../../sources/without-credentials.ts';
import type { Environment, ManifestSource as SourceSpec, ServiceDefinition, ValuesSource } from '../kinds/service-definition.ts';
import type { FetchedFiles, FileFetcher, Files } from './fetch-files.ts';
import { at, InputError, inputReasons } from './input-error.ts';
import type { ArtifactSnapshot, ManifestSource, ServiceSnapshot, VariableSnapshot } from './run-snapshot.ts';

export interface TakeServiceDeps {
  readonly hub: KubeClient;
  readonly fetcher: FileFetcher;
  render(text: string): string;
  readonly signal: AbortSignal;
}

/** Under which name the bytes of runs are held. */
export const contentHolder = 'workflows';

const isValuesFile = (name: string): boolean => /^values\.ya?ml$/.test(posix.basename(name));
/** What can be a manifest. */
export const isManifestFile = (name: string): boolean => /\.ya?ml$/.test(name) && !isValuesFile(name);

/** Fetches everything that a service is made of and keeps it. Throws InputError, SourceError. */
export async function takeService(
  service: ServiceDefinition,
  { environment, artifact }: { readonly environment: Environment; readonly artifact: ArtifactSnapshot | undefined },
  deps: TakeServiceDeps,
): Promise<ServiceSnapshot> {
  const name = service.metadata.name!;
  const overrides = overridesFor(environment, name);
  const gathered = await gather(service, overrides, deps);
  const { manifests = [], skipVersioningForAllK8sObjects = false, description = '' } = service.spec;
  const ordered = [...gathered.files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, data]) => ({ name: path, data }));
  const bundle = await putContent(deps.hub, writeArchive(ordered), { type: contentTypes.kustomization }, { signal: deps.signal });
  for (const digest of [bundle, ...gathered.sources.flatMap(one => (one.form === 'files' ? [] : [one.content]))])
    await holdContent(deps.hub, contentHolder, digest, deps.signal);
  const helmChart = await firstChart(manifests, gathered.sources, deps);
  return {
    name,
    description,
    variables: serviceVariablesIn(environment, service),
    skipVersioning: skipVersioningForAllK8sObjects,
    bundle,
    sources: gathered.sources,
    ...(artifact && { artifact }),
    ...(helmChart && { helmChart }),
  };
}

/** Those for all services first: what is said of this one wins. */
function overridesFor({ spec: { serviceOverrides = [] } }: Environment, name: string) {
  return ['*', name].flatMap(wanted => serviceOverrides.filter(({ service }) => service === wanted));
}

/** Those of a service, and after them what the environment puts over them. */
export function serviceVariablesIn(environment: Environment, { metadata, spec }: ServiceDefinition): VariableSnapshot[] {
  const overrides = overridesFor(environment, metadata.name!).flatMap(one => one.variables ?? []);
  return [...(spec.variables ?? []), ...overrides].map(variableSnapshot);
}

export function variableSnapshot({ name, value, secretRef }: VariableSnapshot): VariableSnapshot {
  return { name, ...(secretRef ? { secretRef } : { value: value ?? '' }) };
}

interface Gathered {
  /** Of the bundle: `manifests/<index>/…`, and `values/<order>.yaml`, later ones winning. */
  readonly files: Map<string, Buffer>;
  readonly sources: ManifestSource[];
}

async function gather(
  { spec }: ServiceDefinition,
  overrides: readonly { readonly values?: readonly ValuesSource[] }[],
  deps: TakeServiceDeps,
): Promise<Gathered> {
  const files = new Map<string, Buffer>();
  const sources: ManifestSource[] = [];
  let order = 0;
  const addValues = (data: Buffer) => files.set(`values/${String(order++).padStart(4, '0')}.yaml`, data);
  for (const [index, source] of (spec.manifests ?? []).entries()) {
    const taken = await at(`spec.manifests[${index}]`, () => takeManifests(source, index, deps));
    sources.push(taken.source);
    for (const [path, data] of taken.files) {
      if (isManifestFile(path)) files.set(`manifests/${index}/${path}`, data);
      else if (isValuesFile(path) && posix.dirname(path) === '.') addValues(data);
    }
  }
  const lists = [spec.values, ...overrides.map(one => one.values)];
  for (const source of lists.flatMap(list => list ?? [])) {
    for (const data of await at('values', () => takeValues(source, deps))) addValues(data);
  }
  return { files, sources };
}

async function takeManifests(
  source: SourceSpec,
  index: number,
  { hub, fetcher, render, signal }: TakeServiceDeps,
): Promise<{ readonly source: ManifestSource; readonly files: Files }> {
  const { oci, helm, kustomize } = source;
  const none: Files = new Map();
  if (helm) {
    const { repository, name } = chartAddress(helm);
    const version = helm.version === undefined ? undefined : render(helm.version);
    const secretName = helm.secretRef?.name;
    const context = await fetcher.context(secretName, repository);
    const plainHttp = helm.insecure ?? false;
    const place = withoutCredentials(repository);
    return {
      source: {
        form: 'chart',
        from: name === undefined ? place : `${name} of ${place}`,
        content: await fetchContent(hub, { form: 'chart', repository, name, version, secretName, plainHttp }, context),
      },
      files: none,
    };
  }
  if (kustomize) {
    if (!kustomize.git) throw new InputError(inputReasons.notFound, 'kustomize names no git repository');
    const { files, commit } = await fetcher.repository(kustomize.git);
    const ordered = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, data]) => ({ name, data }));
    const content = await putContent(hub, writeArchive(ordered), { type: contentTypes.kustomization }, { signal });
    const path = posix.join(kustomize.git.path ?? '', kustomize.path ?? '').replace(/^\.?\/?$/, '');
    const from = withoutCredentials(kustomize.git.repo);
    return { source: { form: 'kustomization', from, content, path, commit }, files: none };
  }
  const { files, commit }: FetchedFiles = oci ? await fetcher.oci(oci) : await fetcher.files(source, `manifest-${index + 1}.yaml`);
  const place = oci?.image ?? source.git?.repo;
  const from = place === undefined ? {} : { from: withoutCredentials(place) };
  return { source: { form: 'files', ...from, folder: `manifests/${index}`, ...(commit !== undefined && { commit }) }, files };
}

/** A chart of a repository, of a registry, or of the store of the hub. */
function chartAddress({ chart, repo }: NonNullable<SourceSpec['helm']>): {
  readonly repository: string;
  readonly name: string | undefined;
} {
  if (chart.startsWith('oci://')) return { repository: chart, name: undefined };
  return { repository: repo ?? 'hub', name: chart };
}

/** One file, or the values.yaml of a folder; of a ConfigMap all its keys. */
async function takeValues(source: ValuesSource, { fetcher }: TakeServiceDeps): Promise<Buffer[]> {
  const { files } = await fetcher.files(source, 'values.yaml');
  if (!source.git || files.size === 1) return [...files.values()];
  const found = files.get('values.yaml') ?? files.get('values.yml');
  if (!found) throw new InputError(inputReasons.notFound, `There is no values.yaml in "${source.git.path ?? ''}"`);
  return [found];
}

async function firstChart(
  specs: readonly SourceSpec[],
  sources: readonly ManifestSource[],
  { hub, signal }: TakeServiceDeps,
): Promise<ServiceSnapshot['helmChart']> {
  const index = sources.findIndex(({ form }) => form === 'chart');
  const source = sources[index];
  if (source?.form !== 'chart') return undefined;
  const content = await hub.get(Content, { name: contentName(source.content) }, { signal });
  const { name = '', version = '' } = content?.spec.chart ?? {};
  return { name, version, url: chartAddress(specs[index]!.helm!).repository.replace(/\/\/[^/]*@/, '//') };
}
