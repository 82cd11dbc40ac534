import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readChartArchive } from '../../render/chart/chart-archive.ts';
import type { Chart } from '../../render/chart/chart.ts';
import { loadChartAt } from '../../render/chart/load-chart-at.ts';
import { loadChart } from '../../render/chart/load-chart.ts';
import type { ChartSource } from '../../sources/fetch-chart.ts';
import type { Terminal } from '../terminal.ts';

/** Where a chart is that is not on this machine: the options of Helm's commands. */
export interface LocateOptions {
  readonly repo?: string;
  readonly version?: string;
  readonly username?: string;
  readonly password?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly plainHttp?: boolean;
}

export function addLocateOptions(command: Command): Command {
  return command
    .option('--repo <url>', 'repository in which the chart is')
    .option('--version <range>', 'version or range of versions of the chart; the newest when absent')
    .option('--username <name>', 'user for the repository')
    .option('--password <word>', 'password for the repository')
    .option('--ca-file <file>', 'authorities that vouch for the repository')
    .option('--cert-file <file>', 'certificate to show to the repository')
    .option('--key-file <file>', 'key of that certificate')
    .option('--insecure-skip-tls-verify', 'do not check who the repository is')
    .option('--plain-http', 'ask the registry without TLS');
}

/** The chart at a path of this machine, or else from where the options and the address say. */
export async function locateChart(chart: string, options: LocateOptions, { signal }: Terminal): Promise<Chart> {
  const source = sourceOf(chart, options);
  if (!source) return loadChartAt(chart);
  // Only those who fetch pay for what it takes.
  const [{ fetchChart }, { createEgress }, { createSourceCaches }] = await Promise.all([
    import('../../sources/fetch-chart.ts'),
    import('../../sources/egress.ts'),
    import('../../sources/source-caches.ts'),
  ]);
  const { username, password, caFile, certFile, keyFile, insecureSkipTlsVerify } = options;
  const credentials = {
    username,
    password,
    tls: { ca: textOf(caFile), certificate: textOf(certFile), key: textOf(keyFile), insecureSkipVerify: insecureSkipTlsVerify },
  };
  // People may ask from their own machine whom they like.
  const egress = createEgress({ allow: ['0.0.0.0/0', '::/0'] });
  const { bytes } = await fetchChart(source, { egress, credentials, caches: createSourceCaches(), signal });
  return loadChart(readChartArchive(bytes));
}

/** Undefined for charts of this machine, as Helm decides it. */
function sourceOf(chart: string, { repo, version, plainHttp = false }: LocateOptions): ChartSource | undefined {
  const common = { ...(version !== undefined && { version }), plainHttp };
  if (repo !== undefined && repo !== '') return { repository: repo, name: chart, ...common };
  if (existsSync(chart) || !/^(?:https?|oci|git\+https?|git\+ssh):\/\//.test(chart)) return undefined;
  return { repository: chart, ...common };
}

const textOf = (file: string | undefined): string | undefined => (file === undefined ? undefined : readFileSync(file, 'utf8'));
