import type { ConfigMap } from '../../src/api/builtin-kinds.ts';

const sizeBytes = 1024;

/** ConfigMaps of 1 KiB, each different. */
export function configMaps(count: number, namespace: string, version = 0): ConfigMap[] {
  return Array.from({ length: count }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `config-${i}`, namespace, labels: { app: 'bench' } },
    data: { version: String(version), text: `${namespace} ${i} `.padEnd(sizeBytes, 'x') },
  }));
}
