import { contentTypes } from '../../api/content.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { chooseVersion, versionsInWords } from '../../sources/choose-version.ts';
import { fetchChart } from '../../sources/fetch-chart.ts';
import { fetchFolder, type FolderSource } from '../../sources/fetch-folder.ts';
import type { SourceContext } from '../../sources/source-context.ts';
import { SourceError } from '../../sources/source-error.ts';
import { putContent } from '../contents/put-content.ts';
import { listStoredCharts } from '../contents/stored-charts.ts';
import type { WorkSource } from './wanted-content.ts';

/** The repository that is the chart store of the hub itself. */
export const hubRepository = 'hub';

/** What only some who fetch have to say: see `ChartSource` and `FolderSource`. */
export type ContentSource = WorkSource & Pick<FolderSource, 'plainHttp' | 'ignore' | 'layerType' | 'signers'>;

/** Sees to it that the bytes of a source are on the hub, and answers their digest. Throws SourceError when the source is to blame. */
export async function fetchContent(hub: KubeClient, source: ContentSource, ctx: SourceContext): Promise<string> {
  if (source.signers && source.repository === hubRepository)
    throw new SourceError('signatures of charts of the store of the hub cannot be checked', { isFinal: true });
  if (source.repository === hubRepository) return findStoredChart(hub, source, ctx.signal);
  if (source.form === 'kustomization') {
    const { bytes } = await fetchFolder(source, ctx);
    return putContent(hub, bytes, { type: contentTypes.kustomization }, { signal: ctx.signal });
  }
  const { bytes, name, version, appVersion, description } = await fetchChart(source, ctx);
  const chart = {
    name,
    version,
    ...(appVersion !== '' && { appVersion }),
    ...(description !== '' && { description: description.slice(0, 1024) }),
  };
  return putContent(hub, bytes, { type: contentTypes.chart, chart }, { signal: ctx.signal });
}

async function findStoredChart(hub: KubeClient, { form, name = '', version }: WorkSource, signal: AbortSignal): Promise<string> {
  if (form !== 'chart') throw new SourceError('the store of the hub holds charts and no folders', { isFinal: true });
  if (name === '') throw new SourceError('a chart of the store of the hub needs its name', { isFinal: true });
  const charts = await listStoredCharts(hub, { name, signal });
  if (charts.length === 0)
    throw new SourceError(`chart "${name}" not found in the store of the hub; "drover chart push" puts charts there`, { isFinal: true });
  const versions = charts.map(one => one.version);
  const chosen = charts.find(one => one.version === chosenOf(versions, version, name));
  if (chosen) return chosen.digest;
  throw new SourceError(`version "${version ?? '*'}" of chart "${name}" not found in the store of the hub; ${versionsInWords(versions)}`, {
    isFinal: true,
  });
}

function chosenOf(versions: readonly string[], version: string | undefined, name: string): string | undefined {
  try {
    return chooseVersion(versions, version);
  } catch (cause) {
    throw new SourceError(`version "${version}" of chart "${name}" is no version and no range`, { cause, isFinal: true });
  }
}
