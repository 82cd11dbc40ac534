import { Content, contentName, contentTypes, storedChartLabel } from '../../api/content.ts';
import type { ObjectMeta } from '../../api/object.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import type { FetchedChart } from '../../sources/inspect-chart.ts';
import { listContentMetadata } from './list-content-metadata.ts';
import { putContent } from './put-content.ts';

/** A chart that somebody pushed to the store of the hub. */
export interface StoredChart {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  readonly description: string;
  readonly digest: string;
  readonly pushedAt: string;
}

/** On Contents of the store: what the chart says of itself, so that lists need not carry the bytes. */
export const chartFactsAnnotation = 'drover.io/chart-facts';

const labelForm = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const tagForm = /^[A-Za-z0-9][A-Za-z0-9.+_-]{0,255}$/;

/** The charts of the store: all, or those of one name. Sorted by name; of the same name the last pushed is last. */
export async function listStoredCharts(hub: KubeClient, { name, signal }: { name?: string; signal: AbortSignal }): Promise<StoredChart[]> {
  return (await listStored(hub, name, signal)).map(({ chart }) => chart);
}

interface Stored {
  readonly chart: StoredChart;
  readonly metadata: ObjectMeta;
}

async function listStored(hub: KubeClient, name: string | undefined, signal: AbortSignal): Promise<Stored[]> {
  if (name !== undefined && !labelForm.test(name)) return [];
  const labelSelector = name === undefined ? storedChartLabel : `${storedChartLabel}=${name}`;
  const found = (await listContentMetadata(hub, { labelSelector, signal })).flatMap(storedOf);
  return found.sort((a, b) => compare(a.chart.name, b.chart.name) || compare(a.chart.pushedAt, b.chart.pushedAt));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function storedOf(metadata: ObjectMeta): Stored[] {
  const name = metadata.labels?.[storedChartLabel] ?? '';
  let facts: Partial<Record<keyof StoredChart, unknown>>;
  try {
    facts = JSON.parse(metadata.annotations?.[chartFactsAnnotation] ?? '') as typeof facts;
  } catch {
    return [];
  }
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const chart = {
    name,
    version: text(facts.version),
    appVersion: text(facts.appVersion),
    description: text(facts.description),
    digest: (metadata.name ?? '').replace('-', ':'),
    pushedAt: text(facts.pushedAt),
  };
  return chart.version === '' ? [] : [{ chart, metadata }];
}

/** Another chart of this name and version is in the store. */
export class ChartTakenError extends Error {
  override name = 'ChartTakenError';
}

/**
 * Puts a chart into the store. False when it was there already. What was pushed once is never replaced: throws ChartTakenError when other bytes have its name and
 * version. Of two that come at the same moment one is refused.
 */
export async function pushChart(hub: KubeClient, chart: FetchedChart, call: CallOptions & { signal: AbortSignal }): Promise<boolean> {
  const { bytes, digest, name, version, appVersion, description } = chart;
  if (!labelForm.test(name) || !tagForm.test(version)) throw new Error(`a chart cannot be stored as "${name}" ${version}`);
  const present = await find(hub, { name, version }, call.signal);
  if (present.some(one => one.chart.digest !== digest)) throw taken(chart);
  if (present.length > 0) return false;

  const facts = {
    name,
    version,
    ...(appVersion !== '' && { appVersion }),
    ...(description !== '' && { description: description.slice(0, 1024) }),
  };
  const stored = await putContent(hub, bytes, { type: contentTypes.chart, chart: facts }, call);
  const label = {
    metadata: marks(
      name,
      JSON.stringify({ version, appVersion, description: facts.description ?? '', pushedAt: new Date().toISOString() }),
    ),
  };
  await hub.patch(Content, { name: contentName(stored) }, { type: 'merge', body: label }, call);

  // Whoever was written first is the one that others may have seen.
  const rivals = (await find(hub, { name, version }, call.signal)).sort((a, b) => versionOf(a) - versionOf(b));
  if (rivals[0] !== undefined && rivals[0].chart.digest !== digest) {
    await hub.patch(Content, { name: contentName(digest) }, { type: 'merge', body: { metadata: marks(null, null) } }, call);
    throw taken(chart);
  }
  return true;
}

const marks = (name: string | null, facts: string | null) => ({
  labels: { [storedChartLabel]: name },
  annotations: { [chartFactsAnnotation]: facts },
});
const versionOf = ({ metadata }: Stored): number => Number(metadata.resourceVersion ?? 0);
const taken = ({ name, version }: FetchedChart) =>
  new ChartTakenError(`chart "${name}" ${version} is in the store already, with other content`);

async function find(hub: KubeClient, { name, version }: { name: string; version: string }, signal: AbortSignal): Promise<Stored[]> {
  return (await listStored(hub, name, signal)).filter(({ chart }) => chart.version === version);
}

/** Takes a chart out of the store. Works that name its bytes keep them. False when it was not there. */
export async function deleteChart(
  hub: KubeClient,
  wanted: { name: string; version: string },
  call: CallOptions & { signal: AbortSignal },
): Promise<boolean> {
  const found = await find(hub, wanted, call.signal);
  for (const { metadata } of found) {
    await hub.patch(Content, { name: metadata.name! }, { type: 'merge', body: { metadata: marks(null, null) } }, call);
  }
  return found.length > 0;
}
