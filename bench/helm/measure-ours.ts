import { readChartArchive } from '../../src/render/chart/chart-archive.ts';
import type { Chart } from '../../src/render/chart/chart.ts';
import { loadChart } from '../../src/render/chart/load-chart.ts';
import type { GoMap } from '../../src/render/go/go-value.ts';
import { toGoValue } from '../../src/render/go/to-go-value.ts';
import { manifestText, renderChart } from '../../src/render/helm/render-chart.ts';
import { parseJson } from '../../src/util/json.ts';

export interface Measured {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly bytes: number;
}

/** The whole way from the text of values to sorted manifests; the size of what came out. */
export function renderOnce(chart: Chart, values: string): number {
  const rendered = renderChart(chart, toGoValue(parseJson(values)) as GoMap, { release: { name: 'r', namespace: 'default' } });
  return manifestText(rendered.manifests).length + rendered.hooks.reduce((sum, { content }) => sum + content.length, 0);
}

export const loadPacked = (bytes: Uint8Array): Chart => loadChart(readChartArchive(bytes));

/** One chart under all values, after it was loaded and rendered some times to warm up. */
export function measureWarm(bytes: Uint8Array, values: readonly string[]): { warmMs: number; bytes: number } {
  const chart = loadPacked(bytes);
  let size = 0;
  for (const one of values.slice(0, 20)) size = renderOnce(chart, one);
  const startedAt = performance.now();
  for (const one of values) size = renderOnce(chart, one);
  return { warmMs: (performance.now() - startedAt) / values.length, bytes: size };
}
