import { posix } from 'node:path';
import { ConfigMap } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readCredentials } from '../../../core/sources/read-credentials.ts';
import { readFolderArchive } from '../../../render/archive.ts';
import type { Egress } from '../../../sources/egress.ts';
import { fetchFolder } from '../../../sources/fetch-folder.ts';
import { withGitTree } from '../../../sources/git.ts';
import type { SourceCaches } from '../../../sources/source-caches.ts';
import type { SourceContext } from '../../../sources/source-context.ts';
import type { ManifestSource, ValuesSource } from '../kinds/service-definition.ts';
import { InputError, inputReasons } from './input-error.ts';

export type Files = ReadonlyMap<string, Buffer>;
export interface FetchedFiles {
  readonly files: Files;
  readonly commit?: string;
}

export interface FetchDeps {
  readonly hub: KubeClient;
  readonly egress: Egress;
  readonly caches: SourceCaches;
  /** Of ConfigMaps and Secrets. */
  readonly namespace: string;
  /** Renders the expressions of a field. */
  render(text: string): string;
  /** What was read of git so far, for whoever else wants the same. */
  readonly repositories: GitRepositories;
  readonly signal: AbortSignal;
}

type ReadRepository = FetchedFiles & { readonly commit: string };
export type GitRepositories = Map<string, Promise<ReadRepository>>;
type Git = NonNullable<ManifestSource['git']>;
type Oci = NonNullable<ManifestSource['oci']>;

/** Gets files from where they are, for one run: a branch means the same commit each time. Throws InputError and SourceError. */
export interface FileFetcher {
  /** Of an inline text, a ConfigMap or git. The path of git is gone from the names. */
  files(source: ValuesSource, inlineName: string): Promise<FetchedFiles>;
  oci(source: Oci): Promise<FetchedFiles>;
  /** All files of the commit. */
  repository(git: Git): Promise<ReadRepository>;
  context(secretName: string | undefined, repository: string): Promise<SourceContext>;
}

const yamlFile = /\.ya?ml$/;

export function fileFetcher({ hub, egress, caches, namespace, render, repositories, signal }: FetchDeps): FileFetcher {
  return { files, oci, repository, context };

  async function files({ inline, configMapRef, git }: ValuesSource, inlineName: string): Promise<FetchedFiles> {
    if (inline !== undefined) return { files: new Map([[inlineName, Buffer.from(inline)]]) };
    if (configMapRef) return { files: await configMap(configMapRef) };
    if (!git) throw new InputError(inputReasons.notFound, 'It names no source');
    const { files: all, commit } = await repository(git);
    return { files: below(all, git.path, git.repo), commit };
  }

  async function configMap({ name, keys = [] }: NonNullable<ManifestSource['configMapRef']>): Promise<Files> {
    const found = await hub.get(ConfigMap, { namespace, name }, { signal });
    if (!found) throw missing(`There is no ConfigMap "${name}" in namespace "${namespace}"`);
    const { data = {} } = found;
    const wanted =
      keys.length > 0
        ? keys
        : Object.keys(data)
            .filter(key => yamlFile.test(key))
            .sort();
    const lacking = wanted.find(key => !Object.hasOwn(data, key));
    if (lacking !== undefined) throw missing(`ConfigMap "${name}" has no key "${lacking}"`);
    return new Map(wanted.map(key => [key, Buffer.from(data[key]!)]));
  }

  async function oci({ image, tag, digest, path, insecure = false, secretRef }: Oci): Promise<FetchedFiles> {
    const repository = `oci://${image.replace(/^oci:\/\//, '')}`;
    const version = digest ?? (tag === undefined ? undefined : render(tag));
    const { bytes } = await fetchFolder({ repository, version, plainHttp: insecure }, await context(secretRef?.name, repository));
    return { files: below(readFolderArchive(bytes), path, image) };
  }

  function repository({ repo, ref, secretRef }: Git): Promise<ReadRepository> {
    const version = ref === undefined ? undefined : render(ref);
    const key = JSON.stringify([repo, version, secretRef?.name]);
    const known = repositories.get(key) ?? readRepository(gitAddress(repo), version, secretRef?.name);
    repositories.set(key, known);
    return known;
  }

  async function readRepository(address: string, version: string | undefined, secretName: string | undefined) {
    const ctx = await context(secretName, address);
    return withGitTree({ repository: address, version }, ctx, async tree => ({
      files: await tree.read('', { badLinks: 'skip' }),
      commit: tree.commit,
    }));
  }

  async function context(secretName: string | undefined, repository: string): Promise<SourceContext> {
    return { egress, caches, credentials: await readCredentials(hub, { namespace, secretName, repository }, signal), signal };
  }
}

/** As people write it: an address of the web or of SSH, or the form `git@host:path`. */
export function gitAddress(repo: string): string {
  if (repo.startsWith('git+')) return repo;
  const [, user, host, path] = /^([\w.-]+)@([\w.-]+):(?!\/\/)(.+)$/.exec(repo) ?? [];
  return host === undefined ? `git+${repo}` : `git+ssh://${user}@${host}/${path!.replace(/^\//, '')}`;
}

/** The files below a folder, named from there; or the one file that the path names. Throws InputError when there is nothing. */
export function below(files: Files, path: string | undefined, place: string): Files {
  const folder = posix.normalize(`./${path ?? ''}`).replace(/^\.\/|\/$/g, '');
  if (folder === '' || folder === '.') return files;
  const single = files.get(folder);
  if (single) return new Map([[posix.basename(folder), single]]);
  const prefix = `${folder}/`;
  const found = [...files].filter(([name]) => name.startsWith(prefix)).map(([name, data]) => [name.slice(prefix.length), data] as const);
  if (found.length === 0) throw missing(`There is no "${path}" in "${place.replace(/\/\/[^/]*@/, '//')}"`);
  return new Map(found);
}

const missing = (message: string) => new InputError(inputReasons.notFound, message);
