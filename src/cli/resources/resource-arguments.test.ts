import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../exit-codes.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { findResource } from './find-resource.ts';
import { parseResourceArguments, resolveRequests, UnknownTypeError } from './resource-arguments.ts';

function served(resource: string, kind: string, group: string, version: string, more: Partial<ApiResource> = {}): ApiResource {
  const names = { singular: kind.toLowerCase(), shortNames: [], categories: [] };
  return { resource, kind, group, version, scope: 'Namespaced', verbs: ['get', 'list'], ...names, ...more };
}

const all = [
  served('pods', 'Pod', '', 'v1', { shortNames: ['po'], categories: ['all'] }),
  served('events', 'Event', '', 'v1', { shortNames: ['ev'] }),
  served('deployments', 'Deployment', 'apps', 'v1', { shortNames: ['deploy'], categories: ['all'] }),
  served('deployments', 'Deployment', 'apps', 'v1beta1', { shortNames: ['deploy'], categories: ['all'] }),
  served('events', 'Event', 'events.k8s.io', 'v1'),
  served('networkpolicies', 'NetworkPolicy', 'networking.k8s.io', 'v1', { shortNames: ['netpol'] }),
  served('clusters', 'Cluster', 'cluster.karmada.io', 'v1alpha1', { scope: 'Cluster' }),
  served('clusters', 'Cluster', 'drover.io', 'v1alpha1', { scope: 'Cluster' }),
];

const found = (argument: string) => {
  const { resource, group, version } = findResource(all, argument) ?? { resource: '', group: '', version: '' };
  return `${resource}/${group}/${version}`;
};

test('a type is known by plural, singular, short name, kind, group and version', () => {
  for (const name of ['pods', 'pod', 'po', 'Pod', 'PODS']) assert.equal(found(name), 'pods//v1', name);
  for (const name of ['deploy', 'deployments.apps', 'deploy.apps', 'deployment.v1.apps'])
    assert.equal(found(name), 'deployments/apps/v1', name);
  assert.equal(found('deployments.v1beta1.apps'), 'deployments/apps/v1beta1');
  assert.equal(found('networkpolicies.networking'), 'networkpolicies/networking.k8s.io/v1');
  assert.equal(found('events'), 'events//v1');
  assert.equal(found('events.events.k8s.io'), 'events/events.k8s.io/v1');
});

test('clusters are ours unless another group is named', () => {
  assert.equal(found('clusters'), 'clusters/drover.io/v1alpha1');
  assert.equal(found('cluster.cluster.karmada.io'), 'clusters/cluster.karmada.io/v1alpha1');
});

test('unknown types, groups and versions are not found', () => {
  for (const name of ['podz', 'pods.apps', 'deployments.v9.apps', '', '.']) assert.equal(findResource(all, name), undefined, name);
});

test('words become types, or types and names', () => {
  assert.deepEqual(parseResourceArguments(['po,svc,po']), { by: 'type', types: ['po', 'svc'] });
  assert.deepEqual(parseResourceArguments(['po', 'a', 'b']), {
    by: 'name',
    pairs: [
      { type: 'po', name: 'a' },
      { type: 'po', name: 'b' },
    ],
  });
  assert.deepEqual(parseResourceArguments(['po/a', 'deploy/b']), {
    by: 'name',
    pairs: [
      { type: 'po', name: 'a' },
      { type: 'deploy', name: 'b' },
    ],
  });
});

test('words that mean nothing are mistakes of usage', () => {
  for (const words of [[], [','], ['po/a', 'b'], ['po', 'svc/a'], ['po/a/b'], ['po/'], ['/a'], ['po,svc/a']])
    assert.throws(
      () => parseResourceArguments(words),
      (error: unknown) => error instanceof CommandError && error.exitCode === 2,
      words.join(' '),
    );
});

test('a category stands for its types, each once', () => {
  const requests = resolveRequests(all, { by: 'type', types: ['all', 'events'] });
  assert.deepEqual(
    requests.map(({ resource }) => `${resource.resource}.${resource.version}`),
    ['pods.v1', 'deployments.v1', 'events.v1'],
  );
});

test('names of one type in a row are one request', () => {
  const requests = resolveRequests(all, parseResourceArguments(['po/a', 'pods/b', 'deploy/c', 'pod/d']));
  assert.deepEqual(
    requests.map(({ names }) => names?.map(({ name }) => name)),
    [['a', 'b'], ['c'], ['d']],
  );
  assert.throws(() => resolveRequests(all, { by: 'type', types: ['podz'] }), UnknownTypeError);
});

test('a type that was mistyped is told as it may have been meant', () => {
  const hintFor = (type: string) => {
    try {
      resolveRequests(all, { by: 'type', types: [type] });
    } catch (error) {
      return (error as UnknownTypeError).hint;
    }
  };
  assert.match(hintFor('podz') ?? '', /^did you mean "pods"\? "kubectl api-resources"/);
  assert.match(hintFor('deploymnet') ?? '', /^did you mean "deployments"\?/);
  assert.match(hintFor('zzz') ?? '', /^"kubectl api-resources"/);
});
