import type { KubeObject } from '../../api/object.ts';
import type { Change, ClusterApi } from '../cluster-api.ts';
import type { Resource, WriteContext } from '../resource.ts';

export interface TestCluster {
  readonly api: ClusterApi;
  emit(change: Change): void;
  context(options?: { dryRun?: boolean; subresource?: string; group?: string; version?: string }): WriteContext;
}

/** As much of a server as a strategy sees, for tests of strategies. */
export function testCluster(objects: readonly KubeObject[] = []): TestCluster {
  const listeners = new Set<(change: Change) => void>();
  const api = {
    peek: (_: unknown, namespace: string, name: string) =>
      objects.find(obj => obj.metadata.name === name && (obj.metadata.namespace ?? '') === namespace),
    peekAll: () => [...objects],
    subscribe(listener: (change: Change) => void) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
  } as unknown as ClusterApi;
  return {
    api,
    emit: change => listeners.forEach(listener => listener(change)),
    context: ({ dryRun = false, subresource = '', group = '', version = 'v1' } = {}) => ({
      user: { name: 'admin', groups: ['system:masters', 'system:authenticated'], uid: 'admin', extra: {} },
      now: new Date('2026-01-02T03:04:05.678Z'),
      dryRun,
      subresource,
      resource: { group, version } as Resource,
      api,
      warn: () => undefined,
    }),
  };
}
