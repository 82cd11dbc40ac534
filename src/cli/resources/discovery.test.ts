import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { httpClient } from '../../client/http-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { withResources } from './api-source.ts';
import { discoveryCache } from './discovery-cache.ts';
import { fetchApiResources } from '../../client/api-resources.ts';
import { UnknownTypeError } from './resource-arguments.ts';

const signal = new AbortController().signal;

/** A server that answers paths with JSON, and everything else with 404. */
function serving(answers: Record<string, object>, asked: string[] = []): KubeClient {
  return httpClient({
    async request({ path }) {
      asked.push(path);
      const body = answers[path];
      return { status: body ? 200 : 404, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body ?? {}))]) };
    },
    upgrade: () => Promise.reject(new Error('not here')),
    [Symbol.asyncDispose]: async () => {},
  });
}

const pod = { verbs: ['get', 'list'], shortNames: ['po'], categories: ['all'] };
const aggregated = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'pods',
                singularResource: 'pod',
                scope: 'Namespaced',
                responseKind: { group: '', version: 'v1', kind: 'Pod' },
                ...pod,
              },
            ],
          },
        ],
      },
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'x.io' },
        versions: [
          {
            version: 'v2',
            resources: [
              { resource: 'widgets', singularResource: 'widget', scope: 'Cluster', responseKind: { kind: 'Widget' }, verbs: ['list'] },
            ],
          },
        ],
      },
    ],
  },
};
const legacy = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'x.io', versions: [{ groupVersion: 'x.io/v2' }], preferredVersion: { groupVersion: 'x.io/v2' } },
      { name: 'down.io', versions: [{ groupVersion: 'down.io/v1' }], preferredVersion: { groupVersion: 'down.io/v1' } },
    ],
  },
  '/api/v1': {
    groupVersion: 'v1',
    resources: [
      { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', ...pod },
      { name: 'pods/log', namespaced: true, kind: 'Pod', verbs: ['get'] },
    ],
  },
  '/apis/x.io/v2': {
    groupVersion: 'x.io/v2',
    resources: [{ name: 'widgets', singularName: '', namespaced: false, kind: 'Widget', verbs: ['list'] }],
  },
};

test('both kinds of discovery say the same, and a group that is down hides no other', async () => {
  const expected = [
    { group: '', version: 'v1', resource: 'pods', singular: 'pod', kind: 'Pod', scope: 'Namespaced', ...pod },
    {
      group: 'x.io',
      version: 'v2',
      resource: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      scope: 'Cluster',
      verbs: ['list'],
      shortNames: [],
      categories: [],
    },
  ];
  assert.deepEqual(await fetchApiResources(serving(aggregated), signal), expected);
  assert.deepEqual(await fetchApiResources(serving(legacy), signal), expected);
});

function withCacheDir(use: (env: Record<string, string>, dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'drover-cache-'));
  return use({ DROVER_CACHE_DIR: dir }, dir).finally(() => rmSync(dir, { recursive: true, force: true }));
}

test('what a server serves is remembered, and asked again when a type is unknown', () =>
  withCacheDir(async env => {
    const asked: string[] = [];
    const source = { cluster: undefined, client: serving(aggregated, asked), cache: discoveryCache('https://h:1/k8s', env) };
    const names = await withResources(source, signal, async all => all.map(one => one.resource));
    assert.deepEqual(names, ['pods', 'widgets']);
    assert.deepEqual(await withResources(source, signal, async all => all.map(one => one.resource)), names);
    assert.equal(asked.length, 2);
    const freshness: boolean[] = [];
    await assert.rejects(
      withResources(source, signal, async (_, isFresh) => {
        freshness.push(isFresh);
        throw new UnknownTypeError('gadgets');
      }),
    );
    assert.deepEqual(freshness, [false, true]);
    assert.equal(asked.length, 4);
  }));

test('a cache that is old, broken or of another version is as good as none', () =>
  withCacheDir(async (env, dir) => {
    const cache = discoveryCache('https://h:1', env);
    cache.write([]);
    assert.deepEqual(cache.read(), []);
    const [file] = readdirSync(join(dir, 'discovery')).map(name => join(dir, 'discovery', name));
    utimesSync(file!, new Date(), new Date(Date.now() - 11 * 60_000));
    assert.equal(cache.read(), undefined);
    for (const text of ['', '{', '{"format":99,"resources":[]}', '[]', 'null']) {
      writeFileSync(file!, text);
      assert.equal(cache.read(), undefined, text);
    }
    discoveryCache('https://h:1', { DROVER_CACHE_DIR: join(file!, 'under-a-file') }).write([]);
  }));
