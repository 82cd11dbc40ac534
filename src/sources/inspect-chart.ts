import { readChartArchive } from '../render/chart/chart-archive.ts';
import { loadChart } from '../render/chart/load-chart.ts';
import { digestOf } from './digest.ts';
import { SourceError } from './source-error.ts';

/** A packed chart and what it says of itself. */
export interface FetchedChart {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  readonly description: string;
}

/** Opens a packed chart, whole: what comes out can be rendered. `place` is where it came from, for the error. */
export function inspectChart(bytes: Buffer, place: string): FetchedChart {
  try {
    const { name, version, appVersion, description } = loadChart(readChartArchive(bytes)).metadata;
    return { bytes, digest: digestOf(bytes), name, version, appVersion, description };
  } catch (cause) {
    throw new SourceError(`what ${JSON.stringify(place)} holds is no chart`, { cause, isFinal: true });
  }
}
