import { posix } from 'node:path';
import { fetchArchive } from './fetch-archive.ts';
import { withGitTree } from './git.ts';
import { fetchRepositoryChart } from './helm-repository.ts';
import { inspectChart, type FetchedChart } from './inspect-chart.ts';
import { fetchOciChart } from './oci-chart.ts';
import { packChart, withoutIgnored } from './pack-chart.ts';
import { readBucket } from './read-bucket.ts';
import { cacheKey, type SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { ignoreFile, sourceIgnore } from './source-ignore.ts';
import { withoutCredentials } from './without-credentials.ts';

export interface ChartSource {
  /** `https://…` a repository, or an archive when no name is given; `oci://…`; `git+https://…`, `git+ssh://…`; `s3+https://…`. */
  readonly repository: string;
  /** Of the chart in its repository, or its folder in git or in a bucket. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** For registries without TLS, where the rules of egress allow it. */
  readonly plainHttp?: boolean;
  /** For git: what to leave out, as .gitignore writes it, besides what the repository's own .sourceignore does. Neither counts when absent. */
  readonly ignore?: string | undefined;
  /** For registries: the public keys, as PEM, of which one must have signed the chart. Nobody need have when absent. */
  readonly signers?: readonly string[] | undefined;
}

/** Gets a chart from where it is, packed and checked. Many who ask for the same at once ask once. Throws SourceError. */
export function fetchChart(source: ChartSource, ctx: SourceContext): Promise<FetchedChart> {
  const { repository, name, version, ignore, signers } = source;
  const key = cacheKey(ctx, repository, name, version, ignore, signers?.join('\n'));
  return ctx.caches.chartFlights.run(key, ctx.signal, signal => fetchFrom(source, { ...ctx, signal }));
}

function fetchFrom(source: ChartSource, ctx: SourceContext): Promise<FetchedChart> {
  const { repository, name = '', version, signers } = source;
  if (signers && !repository.startsWith('oci:'))
    throw new SourceError('signatures are checked of charts in registries only: oci://', { isFinal: true });
  if (repository.startsWith('oci:')) return fetchOciChart(source, ctx);
  if (repository.startsWith('git+')) return fetchGitChart(source, ctx);
  if (repository.startsWith('s3+')) return fetchBucketChart(source, ctx);
  if (!URL.canParse(repository) || !/^https?:$/.test(new URL(repository).protocol))
    throw new SourceError(
      `${JSON.stringify(withoutCredentials(repository))} is no source: https://, oci://, git+https:// and git+ssh:// are`,
      { isFinal: true },
    );
  return name === '' ? fetchPackedChart(repository, ctx) : fetchRepositoryChart({ repository, name, version }, ctx);
}

async function fetchPackedChart(address: string, ctx: SourceContext): Promise<FetchedChart> {
  const url = new URL(address);
  return inspectChart(await fetchArchive(url, url, ctx), withoutCredentials(address));
}

function fetchGitChart({ repository, name = '', version, ignore }: ChartSource, ctx: SourceContext): Promise<FetchedChart> {
  const folder = folderIn(name);
  return withGitTree({ repository, version }, ctx, async (tree, place) => {
    const isIgnored = ignore === undefined ? () => false : sourceIgnore(await tree.file(ignoreFile), ignore);
    const all = await tree.read(folder, { badLinks: 'refuse' });
    const files = new Map([...all].filter(([path]) => !isIgnored(posix.join(folder, path))));
    const where = folder === '' ? place : `${place}//${folder}`;
    if (files.size === 0) throw new SourceError(`there is no folder "${folder}" in "${place}"`, { isFinal: true });
    return packChart(withoutIgnored(files), where);
  });
}

/** A folder of a bucket, or a packed chart in it. */
async function fetchBucketChart({ repository, name = '' }: ChartSource, ctx: SourceContext): Promise<FetchedChart> {
  const folder = folderIn(name);
  const { files, place } = await readBucket(repository, ctx, folder);
  const where = folder === '' ? place : `${place}//${folder}`;
  const archive = files.get(folder);
  if (archive) return inspectChart(archive, where);
  if (files.size === 0) throw new SourceError(`there is no folder "${folder}" in "${place}"`, { isFinal: true });
  const below = folder === '' ? files : new Map([...files].map(([key, data]) => [key.slice(folder.length + 1), data]));
  return packChart(withoutIgnored(below), where);
}

/** A folder of a repository in the one form that its paths begin with. */
function folderIn(name: string): string {
  const clean = posix.normalize(`./${name}`).replace(/^\.\/|\/$/g, '');
  if (clean === '..' || clean.startsWith('../'))
    throw new SourceError(`${JSON.stringify(name)} is no folder of a repository`, { isFinal: true });
  return clean === '.' ? '' : clean;
}
