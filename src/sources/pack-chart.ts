import type { ChartFile } from '../render/chart/chart.ts';
import { IgnoreRules } from '../render/chart/ignore-rules.ts';
import { loadChart } from '../render/chart/load-chart.ts';
import { writeArchive } from '../render/write-archive.ts';
import { inspectChart, type FetchedChart } from './inspect-chart.ts';
import { SourceError } from './source-error.ts';

/** Packs the files of a chart's folder, named relative to it. The same files give the same bytes. */
export function packChart(files: readonly ChartFile[], place: string): FetchedChart {
  let name: string;
  try {
    ({ name } = loadChart(files).metadata);
  } catch (cause) {
    throw new SourceError(`what ${JSON.stringify(place)} holds is no chart`, { cause, isFinal: true });
  }
  // Programs that look for the chart's name read no further than Chart.yaml.
  const ordered = files.toSorted((a, b) => Number(b.name === 'Chart.yaml') - Number(a.name === 'Chart.yaml') || (a.name < b.name ? -1 : 1));
  return inspectChart(writeArchive(ordered.map(file => ({ name: `${name}/${file.name}`, data: file.data }))), place);
}

/** The files that .helmignore among them does not leave out. */
export function withoutIgnored(files: ReadonlyMap<string, Buffer>): ChartFile[] {
  const rules = new IgnoreRules(files.get('.helmignore')?.toString() ?? '');
  return [...files].filter(([path]) => !isIgnored(path)).map(([name, data]) => ({ name, data }));

  function isIgnored(path: string): boolean {
    const parts = path.split('/');
    return parts.some((_, i) => rules.ignores(parts.slice(0, i + 1).join('/'), i < parts.length - 1));
  }
}
