import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { TransportRequest } from '../../client/transport.ts';
import { readDiscovery } from './read-discovery.ts';

const never = new AbortController().signal;

/** A member that answers these documents and nothing else. */
function serving(documents: Record<string, unknown>): { client: KubeClient; asked: string[] } {
  const asked: string[] = [];
  const request = async ({ path }: TransportRequest) => {
    asked.push(path);
    const document = documents[path];
    const text = JSON.stringify(document ?? { kind: 'Status', code: 503, message: 'the server is down' });
    return { status: document ? 200 : 503, headers: {}, body: Readable.from([Buffer.from(text)]) };
  };
  return { client: { request } as unknown as KubeClient, asked };
}

test('what a server serves is read in two requests, and not again while it stays the same', async t => {
  const { client } = await startMemoryServer(t);
  const first = await readDiscovery(client, undefined, never);
  const core = first.apiResources.find(one => one.groupVersion === 'v1');
  assert.ok(core?.resources.some(one => one.name === 'pods' && one.kind === 'Pod'));
  assert.ok(first.apiResources.some(one => one.groupVersion === 'apps/v1'));
  assert.equal(await readDiscovery(client, first, never), first);
});

test('servers before 1.26 are asked version by version, and one that is down hides no other', async () => {
  const { client } = serving({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [{ versions: [{ groupVersion: 'apps/v1' }] }, { versions: [{ groupVersion: 'metrics.k8s.io/v1beta1' }] }],
    },
    '/api/v1': {
      resources: [
        { name: 'pods', kind: 'Pod' },
        { name: 'pods/log', kind: 'Pod' },
      ],
    },
    '/apis/apps/v1': { resources: [{ name: 'deployments', kind: 'Deployment' }] },
  });
  const { apiResources } = await readDiscovery(client, undefined, never);
  assert.deepEqual(apiResources, [
    { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    { groupVersion: 'v1', resources: [{ name: 'pods', kind: 'Pod' }] },
  ]);
});
