import { apply, del, get, jsonPatch, merge, post, put, table, until, watch, events, type Case } from '../case.ts';
import { minimalObjects, named, titleOf, type MinimalObject } from '../minimal-objects.ts';

// The background writer of these kinds' status makes their versions race with ours.
const statusWriters = new Set(['APIService', 'FlowSchema', 'ResourceQuota']);

export const cases: readonly Case[] = minimalObjects.flatMap(entry => [...casesOf(entry)]);

function* casesOf(entry: MinimalObject): Generator<Case> {
  const title = titleOf(entry);
  const { path, name } = entry;
  const item = `${path}/${name}`;
  // These two orphan their pods by default, and the collector that removes the orphan finalizer races with the next request.
  const deletion = ['ReplicationController', 'Job'].includes(entry.kind) ? { propagationPolicy: 'Background' } : undefined;
  const racing = statusWriters.has(entry.kind);
  const ignore = racing ? ['status.*', 'metadata\\.managedFields.*', 'metadata\\.resourceVersion', 'rows.*'] : [];

  yield {
    name: `${title} is created, read, listed, and not created twice`,
    steps: [
      post(path, named(entry), { ignore }),
      get(item, { ignore }),
      get(`${path}?fieldSelector=metadata.name%3D${name}`, { ignore: racing ? ['items.*'] : [] }),
      post(path, named(entry)),
      del(item, deletion, { ignore }),
      get(item, { codeOnly: entry.kind === 'Namespace' }),
    ],
  };
  yield {
    name: `${title} is shown in a table`,
    steps: [
      post(path, named(entry), { codeOnly: true }),
      get(item, { headers: table, ignore }),
      get(`${path}?fieldSelector=metadata.name%3D${name}&includeObject=Object`, { headers: table, ignore }),
    ],
  };
  if (racing) return;
  yield {
    name: `${title} takes a label by merge patch, and an update without version`,
    steps: [
      post(path, named(entry), { capture: { rv: 'metadata.resourceVersion' } }),
      merge(item, { metadata: { labels: { x: 'y' } } }),
      merge(item, { metadata: { labels: { x: 'y' } } }),
      put(item, named(entry, { resourceVersion: '{{rv}}' })),
      put(item, named(entry)),
      put(item, named(entry, { name: 'other' })),
      jsonPatch(item, [{ op: 'test', path: '/metadata/labels/x', value: 'z' }]),
    ],
  };
  yield {
    name: `${title} is applied, watched and deleted with a finalizer`,
    steps: [
      watch('w', `${path}?watch=true&fieldSelector=metadata.name%3D${name}`),
      apply(item, named(entry, { finalizers: ['example.com/f'] })),
      apply(item, named(entry, { finalizers: ['example.com/f'] })),
      apply(item, named(entry, { finalizers: ['example.com/f'], labels: { by: 'm2' } }), { manager: 'm2' }),
      del(item, deletion),
      del(item, deletion),
      merge(item, { metadata: { finalizers: null } }),
      ...(entry.kind === 'Namespace' || entry.kind.startsWith('PersistentVolume') ? [] : [until(item, (_, code) => code === 404)]),
      events('w', 4),
    ],
  };
  if (entry.change)
    yield {
      name: `${title} changes by merge patch, and generation follows`,
      steps: [post(path, named(entry)), merge(item, entry.change), merge(item, entry.change), get(item)],
    };
  if (entry.hasStatus)
    yield {
      name: `${title} keeps spec and status apart`,
      steps: [
        post(path, named(entry), { codeOnly: true }),
        get(`${item}/status`),
        merge(`${item}/status`, {
          metadata: { labels: { via: 'status' }, annotations: { via: 'status' } },
          spec: entry.change?.['spec'] ?? {},
        }),
        merge(item, { status: { conditions: [{ type: 'X', status: 'True' }] } }),
        put(`${item}/status`, named(entry)),
      ],
    };
  if (entry.hasScale)
    yield {
      name: `${title} is scaled`,
      steps: [
        post(path, named(entry), { codeOnly: true }),
        get(`${item}/scale`),
        merge(`${item}/scale`, { spec: { replicas: 7 } }),
        merge(`${item}/scale`, { spec: { replicas: -1 } }),
        put(`${item}/scale`, {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'a', namespace: '{{ns}}' },
          spec: { replicas: 4 },
        }),
        apply(
          `${item}/scale`,
          { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a', namespace: '{{ns}}' }, spec: { replicas: 5 } },
          { force: true },
        ),
        get(item),
      ],
    };
  yield {
    name: `${title} refuses unknown fields when strict, and a dry run stores nothing`,
    steps: [
      post(`${path}?fieldValidation=Strict`, { ...named(entry), surprise: 1 }),
      post(`${path}?dryRun=All`, { ...named(entry), surprise: 1 }),
      get(item),
      post(path, { kind: entry.kind, apiVersion: entry.object['apiVersion'], metadata: { name } }),
      post(path, { ...named(entry), metadata: { labels: { 'bad key': 'bad value!' } } }),
    ],
  };
}
