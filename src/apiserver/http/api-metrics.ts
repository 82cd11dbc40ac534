import { Gauge, Registry } from 'prom-client';
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
  const registry = new Registry();
  const registers = [registry];
  const requests = new RequestCounts();
  void new Gauge({
    name: 'apiserver_registered_watchers',
    help: 'Number of currently registered watchers.',
    registers,
    collect() {
      this.set(cluster.watches.count);
    },
  });
  void new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Number of stored objects, split by kind.',
    labelNames: ['resource'],
    registers,
    collect() {
      this.reset();
      for (const resource of cluster.store.resources()) this.set({ resource }, cluster.store.count(resource));
    },
  });
  void new Gauge({
    name: 'drover_store_revision',
    help: 'Revision of the newest committed change.',
    registers,
    collect() {
      this.set(cluster.store.revision);
    },
  });
  void new Gauge({
    name: 'drover_store_compacted_revision',
    help: 'Revision up to which history has been forgotten.',
    registers,
    collect() {
      this.set(cluster.store.history.compactedRevision);
    },
  });
  void new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });

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
    print: async () => `${requests.print()}${await registry.metrics()}`,
  };
}
