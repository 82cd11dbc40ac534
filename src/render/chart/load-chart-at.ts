import { readFileSync, statSync } from 'node:fs';
import type { Chart } from './chart.ts';
import { readChartArchive } from './chart-archive.ts';
import { loadChart } from './load-chart.ts';
import { readChartFolder } from './read-chart-folder.ts';

/** The chart in a folder or an archive of this machine. */
export function loadChartAt(path: string): Chart {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new Error(`path ${JSON.stringify(path)} not found`);
  return loadChart(found.isDirectory() ? readChartFolder(path) : readChartArchive(readFileSync(path)));
}
