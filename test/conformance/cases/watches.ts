import { apply, del, events, get, merge, post, put, table, watch, until, type Case } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const secrets = `${ns}/secrets`;
const secret = (name: string, labels: object = {}, data: object = {}): object => ({ metadata: { name, labels }, data });
const streaming = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

export const cases: readonly Case[] = [
  {
    name: 'a watch from nothing sends what exists, then what changes',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?watch=true`),
      post(secrets, secret('b')),
      put(`${secrets}/a`, secret('a', { x: 'y' })),
      del(`${secrets}/b`),
      events('w', 4),
    ],
  },
  {
    name: 'a watch from zero',
    steps: [
      post(secrets, secret('a')),
      until(`${secrets}?resourceVersion=0`, b => (b as { items?: unknown[] }).items?.length === 1),
      watch('w', `${secrets}?watch=true&resourceVersion=0`),
      post(secrets, secret('b')),
      events('w', 2),
    ],
  },
  {
    name: 'a watch from a version sends only what came later',
    steps: [
      post(secrets, secret('a'), { capture: { rv: 'metadata.resourceVersion' } }),
      post(secrets, secret('b')),
      watch('w', `${secrets}?watch=true&resourceVersion={{rv}}`),
      del(`${secrets}/a`),
      events('w', 2),
    ],
  },
  {
    name: 'a watch from a list version',
    steps: [
      post(secrets, secret('a')),
      get(secrets, { capture: { rv: 'metadata.resourceVersion' } }),
      watch('w', `${secrets}?watch=true&resourceVersion={{rv}}`),
      merge(`${secrets}/a`, { metadata: { labels: { a: 'b' } } }),
      events('w', 1),
    ],
  },
  { name: 'a watch ends after its time', steps: [post(secrets, secret('a')), get(`${secrets}?watch=true&timeoutSeconds=1`)] },
  {
    name: 'watch=1 and watch=True',
    steps: [
      get(`${secrets}?watch=1&timeoutSeconds=1`),
      get(`${secrets}?watch=True&timeoutSeconds=1`),
      get(`${secrets}?watch&timeoutSeconds=1`),
    ],
  },
  {
    name: 'objects enter and leave a label selector',
    steps: [
      post(secrets, secret('a', { sel: 'no' })),
      watch('w', `${secrets}?watch=true&labelSelector=sel%3Dyes`),
      merge(`${secrets}/a`, { metadata: { labels: { sel: 'yes' } } }),
      merge(`${secrets}/a`, { metadata: { labels: { other: '1' } } }),
      merge(`${secrets}/a`, { metadata: { labels: { sel: 'no' } } }),
      merge(`${secrets}/a`, { metadata: { labels: { sel: 'yes' } } }),
      del(`${secrets}/a`),
      events('w', 5),
    ],
  },
  {
    name: 'objects enter and leave a field selector',
    steps: [
      post(`${ns}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      watch('pending', `${ns}/pods?watch=true&fieldSelector=status.phase%3DPending`),
      watch('running', `${ns}/pods?watch=true&fieldSelector=status.phase%3DRunning`),
      merge(`${ns}/pods/p/status`, { status: { phase: 'Running' } }),
      merge(`${ns}/pods/p`, { metadata: { labels: { a: 'b' } } }),
      del(`${ns}/pods/p`),
      events('pending', 2),
      events('running', 3),
    ],
  },
  {
    name: 'a watch on one name',
    steps: [
      watch('w', `${secrets}?watch=true&fieldSelector=metadata.name%3Da`),
      post(secrets, secret('b')),
      post(secrets, secret('a')),
      del(`${secrets}/a`),
      events('w', 2),
    ],
  },
  {
    name: 'a streaming list',
    steps: [
      post(secrets, secret('a')),
      post(secrets, secret('b')),
      watch('w', `${secrets}?${streaming}`),
      events('w', 3, { sorted: true }),
      post(secrets, secret('c')),
      events('w', 4, { sorted: true }),
    ],
  },
  { name: 'a streaming list of nothing', steps: [watch('w', `${secrets}?${streaming}`), events('w', 1)] },
  {
    name: 'a streaming list with a selector and an old version',
    steps: [
      post(secrets, secret('a', { x: 'y' }), { capture: { rv: 'metadata.resourceVersion' } }),
      post(secrets, secret('b')),
      watch('w', `${secrets}?${streaming}&labelSelector=x&resourceVersion={{rv}}`),
      events('w', 2, { sorted: true }),
    ],
  },
  {
    name: 'a streaming list without bookmarks',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`),
      events('w', 1),
    ],
  },
  {
    name: 'a streaming list as a table',
    steps: [post(secrets, secret('a')), watch('w', `${secrets}?${streaming}`, { headers: table }), events('w', 2, { sorted: true })],
  },
  {
    name: 'a streaming list of metadata',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?${streaming}`, { headers: { Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } }),
      events('w', 2, { sorted: true }),
    ],
  },
  {
    name: 'a streaming list without initial events',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
      post(secrets, secret('b')),
      events('w', 1),
    ],
  },
  {
    name: 'bookmarks come before the end',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?watch=true&allowWatchBookmarks=true&timeoutSeconds=4`),
      events('w', 99, { bookmarks: true }),
    ],
  },
  {
    name: 'a no-op write is not heard',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?watch=true`),
      put(`${secrets}/a`, secret('a')),
      merge(`${secrets}/a`, {}),
      apply(`${secrets}/a`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      apply(`${secrets}/a`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      post(secrets, secret('z')),
      events('w', 3),
    ],
  },
  {
    name: 'the end of an object with finalizers',
    steps: [
      post(secrets, { metadata: { name: 'a', finalizers: ['x.io/f'] } }),
      watch('w', `${secrets}?watch=true`),
      del(`${secrets}/a`),
      merge(`${secrets}/a`, { metadata: { labels: { still: 'here' } } }),
      merge(`${secrets}/a`, { metadata: { finalizers: null } }),
      events('w', 4),
    ],
  },
  {
    name: 'a watch over all namespaces',
    steps: [watch('w', '/api/v1/secrets?watch=true&fieldSelector=metadata.namespace%3D{{ns}}'), post(secrets, secret('a')), events('w', 1)],
  },
  { name: 'a watch of a missing namespace', steps: [get('/api/v1/namespaces/no-such-{{id}}/secrets?watch=true&timeoutSeconds=1')] },
  {
    name: 'a watch of custom resources',
    steps: [
      post(crdPath, crd({ subresources: { status: {} } }), { codeOnly: true }),
      established,
      served,
      post(widgetPath, widget({ a: 1 })),
      watch('plain', `${widgetPath}?watch=true`),
      watch('stream', `${widgetPath}?${streaming}`),
      watch('table', `${widgetPath}?watch=true`, { headers: table }),
      watch('metadata', `${widgetPath}?${streaming}`, {
        headers: { Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      }),
      merge(`${widgetPath}/a`, { spec: { a: 2 } }),
      merge(`${widgetPath}/a/status`, { status: { x: 1 } }),
      del(`${widgetPath}/a`),
      events('plain', 4),
      events('stream', 5),
      events('table', 4),
      events('metadata', 5),
    ],
  },
  {
    name: 'two writes in a row keep their order',
    steps: [
      watch('w', `${secrets}?watch=true`),
      ...Array.from({ length: 8 }, (_, i) => post(secrets, secret(`s${i}`), { codeOnly: true })),
      ...Array.from({ length: 8 }, (_, i) => del(`${secrets}/s${7 - i}`, undefined, { codeOnly: true })),
      events('w', 16),
    ],
  },
  {
    name: 'deletecollection is heard one by one',
    steps: [
      post(secrets, secret('a')),
      post(secrets, secret('b')),
      watch('w', `${secrets}?watch=true`),
      del(secrets),
      events('w', 4, { sorted: true }),
    ],
  },
  {
    name: 'a watch over a WebSocket: each event is a message, and it ends with a farewell',
    steps: [
      post(secrets, secret('a')),
      watch('w', `${secrets}?watch=true&timeoutSeconds=2`, { protocols: [], headers: { Origin: 'https://x' } }),
      post(secrets, secret('b')),
      del(`${secrets}/b`),
      events('w', 4),
    ],
  },
  {
    name: 'a watch over a WebSocket in other forms',
    steps: [
      post(secrets, secret('a')),
      watch('table', `${secrets}?watch&timeoutSeconds=1`, { protocols: ['x'], headers: { Origin: '/', ...table } }),
      events('table', 1),
      watch('streaming', `${secrets}?${streaming}`, { protocols: [], headers: { Origin: 'https://x' } }),
      events('streaming', 2),
    ],
  },
  {
    name: 'a watch over a WebSocket that is refused',
    steps: [
      ...[{}, { Origin: 'null' }, { Origin: 'x y' }, { Origin: 'x' }].flatMap((headers: { Origin?: string }, i) => [
        watch(`origin ${i}`, `${secrets}?watch=true`, { protocols: [], headers: headers as Record<string, string> }),
        events(`origin ${i}`, 1),
      ]),
      watch('two protocols', `${secrets}?watch=true`, { protocols: ['a', 'b'], headers: { Origin: 'https://x' } }),
      events('two protocols', 1),
      watch('version', `${secrets}?watch=true&resourceVersion=x`, { protocols: [], headers: { Origin: 'https://x' } }),
      events('version', 1),
      watch('forbidden', `${secrets}?watch=true`, { protocols: [], headers: { Origin: 'https://x' }, as: 'jane' }),
      events('forbidden', 1),
      watch('a list', `${secrets}?watch=false`, { protocols: [], headers: { Origin: 'https://x' } }),
      events('a list', 1),
    ],
  },
];
