import { posix } from 'node:path';
import { readChartArchive } from '../../render/chart/chart-archive.ts';
import { mergeMaps, readValues } from '../../render/chart/load-chart.ts';
import { toJson } from '../../render/go/go-json.ts';
import type { GoMap } from '../../render/go/go-value.ts';
import type { FetchedChart } from '../../sources/inspect-chart.ts';
import { packChart } from '../../sources/pack-chart.ts';
import { SourceError } from '../../sources/source-error.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';

/** Which files of a chart hold its values. */
export interface ValuesFiles {
  /** In the folder of the chart. Later ones win; values.yaml counts only when it is among them. */
  readonly paths: readonly string[];
  readonly mayBeMissing: boolean;
}

/** The chart with its values taken from other files than values.yaml, as Flux packs it. Throws SourceError. */
export function withValuesFiles(archive: Buffer, { paths, mayBeMissing }: ValuesFiles): FetchedChart {
  const files = new Map(readChartArchive(archive).map(({ name, data }) => [name, data]));
  let values: GoMap = new Map();
  for (const path of paths) {
    const data = files.get(posix.normalize(path).replace(/^\.?\//, ''));
    if (!data && !mayBeMissing) throw new SourceError(`the chart has no file "${path}" of values`, { isFinal: true });
    if (data) values = mergeMaps(values, readFile(path, data));
  }
  files.set('values.yaml', Buffer.from(writeYaml(toJson(values))));
  return packChart(
    [...files].map(([name, data]) => ({ name, data })),
    'the chart',
  );
}

function readFile(path: string, data: Buffer): GoMap {
  try {
    return readValues(data.toString());
  } catch (cause) {
    throw new SourceError(`the file "${path}" of values cannot be read`, { cause, isFinal: true });
  }
}
