import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions, type DiscoveredResource } from './discovery.ts';
import { builtinResources } from './facts/facts.ts';
import { compareKubeVersions } from './kube-version.ts';

const builtins: DiscoveredResource[] = builtinResources().map(fact => ({
  ...fact,
  isCustom: false,
  storeKey: `${fact.group}/${fact.resource}`,
  codec: { isStorageVersion: () => true },
}));

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const widgets = (version: string): DiscoveredResource => ({
  group: 'ex.io',
  version,
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  namespaced: true,
  verbs: allVerbs,
  shortNames: ['wi'],
  categories: ['all'],
  isCustom: true,
  storeKey: 'ex.io/widgets',
  codec: { isStorageVersion: ({ apiVersion }) => apiVersion === 'ex.io/v1' },
  subresources:
    version === 'v1'
      ? [
          { name: 'status', kind: { group: 'ex.io', version: 'v1', kind: 'Widget' }, verbs: ['get', 'patch', 'update'] },
          { name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get', 'patch', 'update'] },
        ]
      : [],
});
const everything = [widgets('v1beta1'), ...builtins.toReversed(), widgets('v1')];

test('versions sort by maturity, then by number', () => {
  const sorted = ['v1alpha1', 'foo', 'v1', 'v10', 'v2', 'v1beta2', 'bar', 'v11alpha2', 'v3beta1'].sort(compareKubeVersions);
  assert.deepEqual(sorted, ['v10', 'v2', 'v1', 'v3beta1', 'v1beta2', 'v11alpha2', 'v1alpha1', 'bar', 'foo']);
});

test('groups come in the order of the real server, custom ones last', () => {
  const { groups } = apiGroupList(everything) as { groups: { name: string }[] };
  assert.equal(
    groups.map(g => g.name).join(' '),
    'apiregistration.k8s.io apps events.k8s.io authentication.k8s.io authorization.k8s.io autoscaling batch certificates.k8s.io networking.k8s.io policy rbac.authorization.k8s.io storage.k8s.io admissionregistration.k8s.io apiextensions.k8s.io scheduling.k8s.io coordination.k8s.io node.k8s.io discovery.k8s.io resource.k8s.io flowcontrol.apiserver.k8s.io ex.io',
  );
});

test('a group prefers its most mature version', () => {
  assert.deepEqual(apiGroup(everything, 'ex.io'), {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'ex.io',
    versions: [
      { groupVersion: 'ex.io/v1', version: 'v1' },
      { groupVersion: 'ex.io/v1beta1', version: 'v1beta1' },
    ],
    preferredVersion: { groupVersion: 'ex.io/v1', version: 'v1' },
  });
  assert.equal(apiGroup(everything, 'nowhere.io'), undefined);
});

// The answers of a kube-apiserver 1.36.3 with the same definition.
test('a custom resource is described as the real server describes it', () => {
  const list = apiResourceList(everything, { group: 'ex.io', version: 'v1' });
  assert.deepEqual(list, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'ex.io/v1',
    resources: [
      {
        name: 'widgets',
        singularName: 'widget',
        namespaced: true,
        kind: 'Widget',
        verbs: allVerbs,
        shortNames: ['wi'],
        categories: ['all'],
        storageVersionHash: 'RDFwhYKgK0s=',
      },
      { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get', 'patch', 'update'] },
      {
        name: 'widgets/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get', 'patch', 'update'],
      },
    ],
  });
  const { items } = aggregatedDiscovery(everything, 'apis') as { items: { versions: { version: string; resources: unknown[] }[] }[] };
  assert.deepEqual(items.at(-1), {
    metadata: { name: 'ex.io' },
    versions: [
      {
        version: 'v1',
        resources: [
          {
            resource: 'widgets',
            responseKind: { group: 'ex.io', version: 'v1', kind: 'Widget' },
            scope: 'Namespaced',
            singularResource: 'widget',
            verbs: allVerbs,
            shortNames: ['wi'],
            categories: ['all'],
            subresources: [
              { subresource: 'status', responseKind: { group: 'ex.io', version: 'v1', kind: 'Widget' }, verbs: ['get', 'patch', 'update'] },
              {
                subresource: 'scale',
                responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                verbs: ['get', 'patch', 'update'],
              },
            ],
          },
        ],
        freshness: 'Current',
      },
      {
        version: 'v1beta1',
        resources: [
          {
            resource: 'widgets',
            responseKind: { group: 'ex.io', version: 'v1beta1', kind: 'Widget' },
            scope: 'Namespaced',
            singularResource: 'widget',
            verbs: allVerbs,
            shortNames: ['wi'],
            categories: ['all'],
          },
        ],
        freshness: 'Current',
      },
    ],
  });
});

test('the core group has no name, no apiVersion, and evictions of another group', () => {
  const { items } = aggregatedDiscovery(everything, 'api') as { items: { metadata: object }[] };
  assert.deepEqual(
    items.map(item => item.metadata),
    [{}],
  );
  const list = apiResourceList(everything, { group: '', version: 'v1' }) as { apiVersion?: string; resources: { name: string }[] };
  assert.equal(list.apiVersion, undefined);
  assert.deepEqual(
    list.resources.find(r => r.name === 'pods/eviction'),
    {
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    },
  );
  assert.deepEqual(apiVersions(everything, 'host:6443'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'host:6443' }],
  });
});

test('an autoscaler keeps the hash of the version it is stored in', () => {
  const hashOf = (version: string) => {
    const list = apiResourceList(everything, { group: 'autoscaling', version }) as { resources: { storageVersionHash?: string }[] };
    return list.resources[0]!.storageVersionHash;
  };
  assert.equal(hashOf('v1'), 'qwQve8ut294=');
  assert.equal(hashOf('v2'), 'qwQve8ut294=');
});
