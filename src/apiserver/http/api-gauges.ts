import { Gauge, Registry } from 'prom-client';
import { priorityLevels } from '../bootstrap/flow-control.ts';
import type { Cluster } from '../cluster.ts';
import { nominalSeats } from './flow-control.ts';
import { defaultInFlightLimits } from './in-flight.ts';

/** What is true of the cluster at the moment somebody asks. */
export function apiGauges(cluster: Cluster): Registry {
  const registry = new Registry();
  const registers = [registry];
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
    name: 'apiserver_flowcontrol_nominal_limit_seats',
    help: 'Requests that a priority level may have under way by its share.',
    labelNames: ['priority_level'],
    registers,
    collect() {
      this.reset();
      const { reads, writes } = defaultInFlightLimits;
      for (const [level, seats] of nominalSeats(cluster.peekAll(priorityLevels), reads + writes))
        this.set({ priority_level: level }, seats);
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
  return registry;
}
