import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readChartArchive } from '../../src/render/chart/chart-archive.ts';
import type { Chart } from '../../src/render/chart/chart.ts';
import { loadChart } from '../../src/render/chart/load-chart.ts';
import type { GoMap } from '../../src/render/go/go-value.ts';
import { toGoValue } from '../../src/render/go/to-go-value.ts';
import { clearCompiled } from '../../src/render/helm/engine.ts';
import { manifestText, renderChart } from '../../src/render/helm/render-chart.ts';
import { parseJson } from '../../src/util/json.ts';
import type { Measured } from './measured.ts';

/** The whole way from the text of values to sorted manifests; the size of what came out. */
export function renderOnce(chart: Chart, values: string): number {
  const rendered = renderChart(chart, toGoValue(parseJson(values)) as GoMap, { release: { name: 'r', namespace: 'default' } });
  return manifestText(rendered.manifests).length + rendered.hooks.reduce((sum, { content }) => sum + content.length, 0);
}

export const loadPacked = (bytes: Uint8Array): Chart => loadChart(readChartArchive(bytes));

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;

function measure(bytes: Buffer, values: readonly string[], cold: number): Measured {
  let size = 0;
  const renderAnew = (i: number): void => {
    clearCompiled();
    size = renderOnce(loadPacked(bytes), values[i % values.length]!);
  };
  // A thread that renders has rendered other charts before; the first rounds only let the engine itself become warm.
  for (let i = 0; i < cold; i++) renderAnew(i);
  const times = Array.from({ length: cold }, (_, i) => cpuMs(() => renderAnew(i)));
  const chart = loadPacked(bytes);
  const all = cpuMs(() => {
    for (const one of values) size = renderOnce(chart, one);
  });
  return { coldMs: median(times), warmMs: all / values.length, bytes: size };
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: process.argv.slice(2).map(arg => arg.replace(/^-(?=[a-z])/, '--')),
    options: { bench: { type: 'string' }, values: { type: 'string' }, cold: { type: 'string' } },
  });
  const lines = readFileSync(values.values!, 'utf8').trim().split('\n');
  process.stdout.write(`${JSON.stringify(measure(readFileSync(values.bench!), lines, Number(values.cold)))}\n`);
}
