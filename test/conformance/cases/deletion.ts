import { del, events, get, merge, post, put, table, until, watch, type Case } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const pods = `${ns}/pods`;
const map = (metadata: object = {}): object => ({ metadata: { name: 'a', ...metadata } });
const gone = (path: string) => until(path, (_, code) => code === 404);
const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

const options: readonly [string, unknown][] = [
  ['an unknown policy', { propagationPolicy: 'Sometimes' }],
  ['orphanDependents', { orphanDependents: true }],
  ['orphanDependents false', { orphanDependents: false }],
  ['both policies', { orphanDependents: true, propagationPolicy: 'Orphan' }],
  ['a negative grace', { gracePeriodSeconds: -1 }],
  ['a grace', { gracePeriodSeconds: 10 }],
  ['another uid', { preconditions: { uid: '11111111-2222-4333-8444-555555555555' } }],
  ['another version', { preconditions: { resourceVersion: '1' } }],
  ['kind and version', { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }],
  ['meta.k8s.io options', { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' }],
  ['another kind', { kind: 'ConfigMap', apiVersion: 'v1' }],
  ['unknown fields', { surprise: 1 }],
  ['a wrong type', { gracePeriodSeconds: 'x' }],
  ['broken json', '{'],
  ['a list', '[]'],
  ['null', 'null'],
  ['ignoreStoreReadError', { ignoreStoreReadErrorWithClusterBreakingPotential: true }],
];
const queries = [
  'propagationPolicy=Orphan',
  'propagationPolicy=Foreground',
  'propagationPolicy=Wrong',
  'gracePeriodSeconds=0',
  'gracePeriodSeconds=x',
  'orphanDependents=true',
  'gracePeriodSeconds=5&propagationPolicy=Background',
];

export const cases: readonly Case[] = [
  ...options.map(([what, body]): Case => ({
    name: `deleting with ${what}`,
    steps: [
      post(maps, map({ finalizers: ['x.io/f'] }), { codeOnly: true }),
      del(`${maps}/a`, body, { headers: { 'Content-Type': 'application/json' } }),
      del(maps, body, { headers: { 'Content-Type': 'application/json' }, codeOnly: true }),
    ],
  })),
  ...queries.map((query): Case => ({
    name: `deleting with ?${query}`,
    steps: [post(maps, map({ finalizers: ['x.io/f'] }), { codeOnly: true }), del(`${maps}/a?${query}`)],
  })),
  {
    name: 'preconditions that hold',
    steps: [
      post(maps, map(), { capture: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } }),
      del(`${maps}/a`, { preconditions: { uid: '{{uid}}', resourceVersion: '{{rv}}' } }),
      get(`${maps}/a`),
    ],
  },
  {
    name: 'deleting what is not there',
    steps: [del(`${maps}/missing`), del('/apis/apps/v1/namespaces/{{ns}}/deployments/missing'), del('/api/v1/nodes/missing-{{id}}')],
  },
  {
    name: 'finalizers hold an object and let it go',
    steps: [
      post(maps, map({ finalizers: ['x.io/f', 'x.io/g'] })),
      watch('w', `${maps}?watch=true&fieldSelector=metadata.name%3Da`),
      del(`${maps}/a`),
      del(`${maps}/a`),
      merge(`${maps}/a`, { metadata: { finalizers: ['x.io/f', 'y.io/new'] } }),
      merge(`${maps}/a`, { metadata: { finalizers: ['x.io/f'] } }),
      put(`${maps}/a`, map({ finalizers: ['x.io/f'], labels: { a: 'b' } })),
      post(maps, map()),
      merge(`${maps}/a`, { metadata: { finalizers: null } }),
      get(`${maps}/a`),
      post(maps, map()),
      events('w', 5),
    ],
  },
  {
    name: 'the deletion time cannot be set or taken back',
    steps: [
      post(maps, map({ finalizers: ['x.io/f'] })),
      merge(`${maps}/a`, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
      del(`${maps}/a`),
      merge(`${maps}/a`, { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } }),
      get(`${maps}/a`),
    ],
  },
  {
    name: 'an object stored with finalizers only of policy',
    steps: [
      post(maps, map({ finalizers: ['foregroundDeletion'] })),
      post(maps, map({ name: 'b', finalizers: ['orphan'] })),
      del(`${maps}/b`, { propagationPolicy: 'Background' }),
      gone(`${maps}/b`),
      get(`${maps}/b`),
    ],
  },
  {
    name: 'pods that run nowhere go at once',
    steps: [post(pods, pod()), watch('w', `${pods}?watch=true`), del(`${pods}/p`), get(`${pods}/p`), events('w', 2)],
  },
  {
    name: 'pods on a node have a grace',
    steps: [
      post(pods, pod({ nodeName: 'n' })),
      watch('w', `${pods}?watch=true`),
      del(`${pods}/p`),
      del(`${pods}/p`, { gracePeriodSeconds: 60 }),
      del(`${pods}/p`, { gracePeriodSeconds: 5 }),
      del(`${pods}/p`),
      del(`${pods}/p`, { gracePeriodSeconds: 0 }),
      get(`${pods}/p`),
      events('w', 4),
    ],
  },
  {
    name: 'pods with a grace of their own',
    steps: [
      post(pods, pod({ nodeName: 'n', terminationGracePeriodSeconds: 7 })),
      del(`${pods}/p`),
      del(`${pods}/p`, { gracePeriodSeconds: 1 }),
      merge(`${pods}/p`, { metadata: { labels: { a: 'b' } } }),
    ],
  },
  {
    name: 'finished pods and pods with finalizers',
    steps: [
      post(pods, pod({ nodeName: 'n' })),
      merge(`${pods}/p/status`, { status: { phase: 'Succeeded' } }),
      del(`${pods}/p`),
      get(`${pods}/p`),
      post(pods, pod({ nodeName: 'n' }, { name: 'q', finalizers: ['x.io/f'] })),
      del(`${pods}/q`),
      del(`${pods}/q`, { gracePeriodSeconds: 0 }),
      merge(`${pods}/q`, { metadata: { finalizers: null } }),
      get(`${pods}/q`),
    ],
  },
  { name: 'a dry run of a pod delete', steps: [post(pods, pod({ nodeName: 'n' })), del(`${pods}/p?dryRun=All`), get(`${pods}/p`)] },
  {
    name: 'collections by selector',
    steps: [
      post(maps, map({ labels: { x: '1' } })),
      post(maps, map({ name: 'b', labels: { x: '2' }, finalizers: ['x.io/f'] })),
      post(maps, map({ name: 'c' })),
      del(`${maps}?labelSelector=x`),
      get(maps, { ignore: ['items.\\d+.data.*'] }),
      del(`${maps}?fieldSelector=metadata.name%3Dc`),
      del(`${maps}?labelSelector=a%20b`),
      del(`${maps}?fieldSelector=spec.x%3Dc`),
      del(`${ns}/secrets`),
      del(`${ns}/services`),
      del(`${maps}?labelSelector=none`, undefined, { headers: table }),
    ],
  },
  { name: 'a dry run of a collection', steps: [post(`${ns}/secrets`, map()), del(`${ns}/secrets?dryRun=All`), get(`${ns}/secrets`)] },
  {
    name: 'dependents follow their owner',
    steps: [
      post(maps, map(), { capture: { uid: 'metadata.uid' } }),
      post(maps, map({ name: 'child', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '{{uid}}' }] })),
      del(`${maps}/a`),
      gone(`${maps}/child`),
      get(`${maps}/child`),
    ],
  },
  {
    name: 'orphans stay',
    steps: [
      post(maps, map(), { capture: { uid: 'metadata.uid' } }),
      post(maps, map({ name: 'child', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '{{uid}}' }] })),
      until(`${maps}/child`, (_, code) => code === 200),
      del(`${maps}/a`, { propagationPolicy: 'Orphan' }),
      gone(`${maps}/a`),
      get(`${maps}/child`, { ignore: ['metadata\\.managedFields.*'] }),
    ],
  },
  {
    name: 'foreground deletion waits for blockers',
    steps: [
      post(maps, map(), { capture: { uid: 'metadata.uid' } }),
      post(
        maps,
        map({
          name: 'child',
          finalizers: ['x.io/f'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '{{uid}}', blockOwnerDeletion: true }],
        }),
      ),
      del(`${maps}/a`, { propagationPolicy: 'Foreground' }),
      until(`${maps}/child`, b => Boolean((b as { metadata?: { deletionTimestamp?: string } }).metadata?.deletionTimestamp)),
      get(`${maps}/a`),
      merge(`${maps}/child`, { metadata: { finalizers: null } }, { codeOnly: true }),
      gone(`${maps}/a`),
      get(`${maps}/child`),
    ],
  },
  {
    name: 'a dependent of a missing owner is collected',
    steps: [
      post(
        maps,
        map({
          name: 'child',
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '11111111-2222-4333-8444-555555555555' }],
        }),
      ),
      gone(`${maps}/child`),
      get(`${maps}/child`),
    ],
  },
  {
    name: 'one live owner keeps a dependent',
    steps: [
      post(maps, map(), { capture: { uid: 'metadata.uid' } }),
      post(
        maps,
        map({
          name: 'child',
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '{{uid}}' },
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '11111111-2222-4333-8444-555555555555' },
          ],
        }),
      ),
      until(`${maps}/child`, b => (b as { metadata?: { ownerReferences?: unknown[] } }).metadata?.ownerReferences?.length === 1),
      get(`${maps}/child`, { ignore: ['metadata\\.managedFields.*'] }),
    ],
  },
  {
    name: 'jobs and replication controllers orphan by default',
    steps: [
      post(
        '/apis/batch/v1/namespaces/{{ns}}/jobs',
        { metadata: { name: 'j' }, spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } },
        { codeOnly: true },
      ),
      del('/apis/batch/v1/namespaces/{{ns}}/jobs/j'),
      post(
        `${ns}/replicationcontrollers`,
        {
          metadata: { name: 'r' },
          spec: { selector: { a: 'b' }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
        },
        { codeOnly: true },
      ),
      del(`${ns}/replicationcontrollers/r`),
    ],
  },
  {
    name: 'a namespace comes with its labels',
    steps: [
      post('/api/v1/namespaces', { metadata: { name: '{{id}}' } }),
      post('/api/v1/namespaces', { metadata: { name: 'Bad_{{id}}' } }),
      post('/api/v1/namespaces', { metadata: { name: '{{id}}-b', labels: { 'kubernetes.io/metadata.name': 'other' } } }),
      merge('/api/v1/namespaces/{{id}}', { metadata: { labels: { 'kubernetes.io/metadata.name': null, x: 'y' } } }),
      merge('/api/v1/namespaces/{{id}}', { spec: { finalizers: null } }),
    ],
  },
  {
    name: 'a namespace goes with what it holds',
    steps: [
      post(maps, map()),
      post(`${ns}/secrets`, map()),
      del('/api/v1/namespaces/{{ns}}'),
      post(maps, map({ name: 'late' })),
      put(`${maps}/a`, map({ labels: { late: 'yes' } }), { codeOnly: true }),
      gone('/api/v1/namespaces/{{ns}}'),
      get('/api/v1/namespaces/{{ns}}'),
      get(maps),
      post(maps, map()),
    ],
  },
  {
    name: 'a finalizer holds a namespace',
    steps: [
      post(maps, map({ finalizers: ['x.io/f'] })),
      del('/api/v1/namespaces/{{ns}}', undefined, { codeOnly: true }),
      until('/api/v1/namespaces/{{ns}}', b => ((b as { status?: { conditions?: unknown[] } }).status?.conditions?.length ?? 0) >= 5),
      get('/api/v1/namespaces/{{ns}}', { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion'] }),
      merge(`${maps}/a`, { metadata: { finalizers: null } }, { codeOnly: true }),
      gone('/api/v1/namespaces/{{ns}}'),
    ],
  },
  {
    name: 'system namespaces stay',
    steps: [
      del('/api/v1/namespaces/default'),
      del('/api/v1/namespaces/kube-system'),
      del('/api/v1/namespaces/kube-public'),
      del('/api/v1/namespaces/missing-{{id}}'),
    ],
  },
  {
    name: 'creating in a missing namespace',
    steps: [
      post('/api/v1/namespaces/missing-{{id}}/configmaps', map()),
      post('/apis/apps/v1/namespaces/missing-{{id}}/deployments', map()),
      put('/api/v1/namespaces/missing-{{id}}/configmaps/a', map()),
      merge('/api/v1/namespaces/missing-{{id}}/configmaps/a', {}),
    ],
  },
];
