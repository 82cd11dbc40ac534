import type { TestContext } from 'node:test';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { openMember, type Member } from './member.ts';

export interface MemoryMember extends Member {
  /** The calls so far, such as `apply configmaps` and `request GET /api/v1/…`. */
  readonly calls: string[];
  readonly signal: AbortSignal;
}

/** A member in memory with the namespace "shop". */
export async function startMemoryMember(
  t: TestContext,
  change: (client: KubeClient) => KubeClient = client => client,
): Promise<MemoryMember> {
  const server = await startMemoryServer(t);
  const calls: string[] = [];
  const client = change(noting(server.client, calls));
  const stop = new AbortController();
  const member = openMember('east', client, { signal: stop.signal });
  t.after(() => stop.abort());
  await server.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  return { ...member, calls, signal: stop.signal };
}

function noting(client: KubeClient, calls: string[]): KubeClient {
  return new Proxy(client, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function' || typeof name === 'symbol') return method;
      return (...args: unknown[]) => {
        const what = args[0] as { resource?: string; method?: string; path?: string };
        calls.push(`${name} ${what.resource ?? `${what.method} ${what.path}`}`);
        return (method as (...args: unknown[]) => unknown)(...args);
      };
    },
  });
}

export const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', ...metadata },
  data,
});

export const widgetDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

export const widget = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'shop' },
  spec,
});

export const deployment = (name: string, app = name): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
});
