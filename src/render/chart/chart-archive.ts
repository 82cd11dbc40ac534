import { unpackArchive } from '../archive.ts';
import { cleanPath } from '../sprig/paths.ts';
import type { ChartFile } from './chart.ts';

/**
 * The files of a packed chart, named relative to its folder. Nothing touches the disk; links, devices and paths that lead out are refused, and so are two
 * files with one name: who reads the first and who reads the last would see different charts.
 */
export function readChartArchive(archive: Uint8Array): ChartFile[] {
  const files = new Map<string, Buffer>();
  for (const { name, data } of unpackArchive(archive, 'chart')) {
    const path = insidePath(name);
    if (path === undefined) continue;
    const present = files.get(path);
    if (present && !present.equals(data)) throw new Error(`chart contains two different files ${JSON.stringify(path)}`);
    files.set(path, data);
  }
  if (files.size === 0) throw new Error('no files in chart archive');
  return [...files].map(([name, data]) => ({ name, data }));
}

/** The part of a path below the chart's own folder. */
function insidePath(name: string): string | undefined {
  const parts = name.replaceAll('\\', '/').split('/');
  if (parts.length < 2 && parts[0] !== 'Chart.yaml') return undefined;
  if (parts[0] === 'Chart.yaml') throw new Error('chart yaml not in base directory');
  const inside = parts.slice(1).join('/');
  if (inside === '') return undefined;
  const clean = cleanPath(inside);
  if (inside.startsWith('/')) throw new Error('chart illegally contains absolute paths');
  if (/^[A-Za-z]:/.test(clean)) throw new Error('chart contains illegally named files');
  if (clean === '..' || clean.startsWith('../')) throw new Error('chart illegally references parent directory');
  if (clean === '.') throw new Error(`chart illegally contains content outside the base directory: ${JSON.stringify(name)}`);
  return clean;
}
