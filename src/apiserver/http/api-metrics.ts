import type { Registry } from 'prom-client';
import type { Cluster } from '../cluster.ts';
import { RequestCounts } from './request-counts.ts';
import type { RequestInfo } from './request-info.ts';

export interface ApiMetrics {
  observe(info: RequestInfo, method: string, code: number, durationMs: number): void;
  internalError(error: unknown): void;
  print(): Promise<string>;
}

/** The numbers that dashboards for kube-apiserver read, under the names they know. */
export function apiMetrics(cluster: Cluster, onInternalError: (error: unknown) => void): ApiMetrics {
  const requests = new RequestCounts();
  // Loaded when somebody asks for the first time, which may be never.
  let gauges: Promise<Registry> | undefined;
  const printGauges = async () => (await (gauges ??= import('./api-gauges.ts').then(m => m.apiGauges(cluster)))).metrics();
  return {
    observe(info, method, code, durationMs) {
      // Whatever a client makes up must not become a label: their number has no end.
      const known = info.resource && cluster.catalog.find(info.resource);
      const { group = '', version = '', resource = '' } = known ?? {};
      const wanted = info.resource?.subresource ?? '';
      const subresource = known?.subresources.some(s => s.name === wanted) ? wanted : '';
      const labels = { verb: (info.resource?.verb ?? method).toUpperCase(), group, version, resource, subresource };
      requests.observe(labels, code, labels.verb === 'WATCH' ? undefined : durationMs);
    },
    internalError: onInternalError,
    print: async () => `${requests.print()}${await printGauges()}`,
  };
}
