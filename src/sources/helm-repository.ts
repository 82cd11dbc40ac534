import { chooseVersion, versionsInWords } from './choose-version.ts';
import { entriesOf, type IndexEntry } from './chart-index.ts';
import { checkStatus } from './check-status.ts';
import { basicAuthorization } from './credentials.ts';
import { digestOf } from './digest.ts';
import { fetchArchive } from './fetch-archive.ts';
import { inspectChart, type FetchedChart } from './inspect-chart.ts';
import { fetchOciChart } from './oci-chart.ts';
import type { KeptIndex } from './source-caches.ts';
import { cacheKey, type SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { withoutCredentials } from './without-credentials.ts';

export interface RepositoryChart {
  /** `https://…` of the folder that holds index.yaml. */
  readonly repository: string;
  readonly name: string;
  /** A version or a range. The newest when absent. */
  readonly version?: string | undefined;
}

const maxIndexBytes = 64 * 1024 * 1024;
/** Many Works that come at once look at one index; a version that is missing in it is looked for in a new one. */
const freshMs = 30_000;

/** A chart from a repository as Helm knows them. */
export async function fetchRepositoryChart(wanted: RepositoryChart, ctx: SourceContext): Promise<FetchedChart> {
  const entry = await findEntry(wanted, ctx);
  const url = chartUrl(wanted.repository, entry.urls[0]!);
  if (url.protocol === 'oci:') return fetchOciChart({ repository: url.href, version: entry.version }, ctx);
  const bytes = await fetchArchive(url, new URL(wanted.repository), ctx);
  checkDigest(entry, bytes, url);
  return inspectChart(bytes, withoutCredentials(url.href));
}

/** All versions of a chart that a repository has now. */
export async function listChartVersions(
  { repository, name }: Pick<RepositoryChart, 'repository' | 'name'>,
  ctx: SourceContext,
): Promise<string[]> {
  const { text } = await readIndex(repository, ctx, freshMs);
  return (entriesOf(text, name) ?? []).map(entry => entry.version);
}

async function findEntry(wanted: RepositoryChart, ctx: SourceContext): Promise<IndexEntry> {
  const index = await readIndex(wanted.repository, ctx, freshMs);
  try {
    return entryIn(index, wanted);
  } catch (error) {
    const isNew = Date.now() - index.fetchedAtMs < 1000;
    if (isNew || !(error instanceof SourceError)) throw error;
    return entryIn(await readIndex(wanted.repository, ctx, 0), wanted);
  }
}

function entryIn({ text }: KeptIndex, { repository, name, version }: RepositoryChart): IndexEntry {
  const place = JSON.stringify(withoutCredentials(repository));
  const entries = inContext(`cannot use the repository ${place}`, () => entriesOf(text, name));
  if (!entries) throw new SourceError(`chart "${name}" not found: the repository ${place} has no chart of this name`, { isFinal: true });
  const versions = entries.map(entry => entry.version);
  const chosen = inContext(`version "${version}" of chart "${name}" is no version and no range`, () => chooseVersion(versions, version));
  const entry = entries.find(one => one.version === chosen);
  if (entry) return entry;
  const asked =
    version === undefined || version === ''
      ? `a version of chart "${name}" that is no pre-release`
      : `version "${version}" of chart "${name}"`;
  throw new SourceError(`${asked} not found in the repository ${place}; ${versionsInWords(versions)}`, { isFinal: true });
}

async function readIndex(repository: string, ctx: SourceContext, maxAgeMs: number): Promise<KeptIndex> {
  const key = cacheKey(ctx, repository);
  const kept = ctx.caches.indexes.get(key);
  if (kept && Date.now() - kept.fetchedAtMs < maxAgeMs) return kept;
  return ctx.caches.indexFlights.run(key, ctx.signal, async signal => {
    const fetched = await fetchIndex(repository, { ...ctx, signal }, kept);
    ctx.caches.indexes.set(key, fetched);
    return fetched;
  });
}

async function fetchIndex(
  repository: string,
  { egress, credentials, signal }: SourceContext,
  kept: KeptIndex | undefined,
): Promise<KeptIndex> {
  const url = inFolder(repository, 'index.yaml');
  const authorization = basicAuthorization(credentials, url);
  const answer = await egress.fetch({
    url: url.href,
    headers: { accept: 'application/yaml, text/yaml, */*', ...kept?.validators },
    authorization,
    tls: credentials.tls,
    maxBytes: maxIndexBytes,
    timeoutMs: 120_000,
    mayBeZipped: true,
    signal,
  });
  if (answer.status === 304 && kept) return { ...kept, fetchedAtMs: Date.now() };
  checkStatus(answer.status, withoutCredentials(url.href), authorization !== undefined);
  const { etag, 'last-modified': lastModified } = answer.headers;
  const validators = {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
  return { text: answer.body.toString(), fetchedAtMs: Date.now(), validators };
}

/** A file beside the index. The query of the repository goes with it: some carry their right there. */
function inFolder(repository: string, file: string): URL {
  const url = new URL(repository);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${file}`;
  return url;
}

/** As Helm resolves: relative to the repository as a folder, and with its query. */
function chartUrl(repository: string, text: string): URL {
  const base = inFolder(repository, '');
  const url = URL.canParse(text, base.href) ? new URL(text, base.href) : undefined;
  if (!url)
    throw new SourceError(`the repository ${JSON.stringify(withoutCredentials(repository))} names a place that is none for the chart`, {
      isFinal: true,
    });
  if (!URL.canParse(text) && url.search === '') url.search = base.search;
  return url;
}

function checkDigest({ digest, version }: IndexEntry, bytes: Buffer, url: URL): void {
  const wanted = digest.replace(/^sha256:/, '').toLowerCase();
  if (wanted === '' || digestOf(bytes) === `sha256:${wanted}`) return;
  throw new SourceError(
    `${JSON.stringify(withoutCredentials(url.href))} is not what the index says of version ${version}: its digest differs`,
    { isFinal: true },
  );
}

function inContext<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new SourceError(what, { cause, isFinal: true });
  }
}
