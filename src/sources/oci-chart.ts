import { contentTypes } from '../api/content.ts';
import { inspectChart, type FetchedChart } from './inspect-chart.ts';
import { fetchOciLayer, type OciArtifact } from './oci-artifact.ts';
import type { SourceContext } from './source-context.ts';

/** The second is what Helm wrote while this was an experiment. */
const chartTypes = [contentTypes.chart, 'application/tar+gzip'];

/** A chart from a registry, as `helm push` puts it there. */
export async function fetchOciChart(artifact: OciArtifact, ctx: SourceContext): Promise<FetchedChart> {
  const { bytes, place } = await fetchOciLayer(artifact, chartTypes, ctx);
  return inspectChart(bytes, place);
}
