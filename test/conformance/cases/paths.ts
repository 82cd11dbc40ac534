import { del, get, merge, post, put, request, patch, type Case } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

export const cases: readonly Case[] = [
  {
    name: 'methods that a path does not offer',
    steps: [
      put(`${ns}/configmaps`, cm),
      post(`${ns}/configmaps/a`, cm),
      post('/api/v1/configmaps', cm),
      post('/api/v1/pods', {}),
      del('/api/v1/namespaces'),
      patch('application/merge-patch+json', `${ns}/configmaps`, {}),
      request('OPTIONS', `${ns}/configmaps`),
      request('HEAD', `${ns}/configmaps`),
      request('FROB', `${ns}/configmaps`),
      put('/api/v1/configmaps/a', cm),
      get('/api/v1/configmaps/a'),
      del('/api/v1/configmaps'),
      get(`${ns}/pods/a/eviction`),
      get(`${ns}/serviceaccounts/default/token`),
      post(`${ns}/deployments`, {}),
      get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
      get(`${ns}/bindings`),
    ],
  },
  {
    name: 'trailing and doubled slashes',
    steps: [
      get(`${ns}/configmaps/?fieldSelector=metadata.name%3Dx`),
      get(`${ns}//configmaps`),
      get(`//api/v1/namespaces/{{ns}}`),
      get(`${ns}/configmaps//`),
      get(`${ns}/`),
      get('/api//v1'),
    ],
  },
  {
    name: 'dots and escapes in paths',
    steps: [
      get(`${ns}/configmaps/..`),
      get(`${ns}/configmaps/.`),
      get(`${ns}/configmaps/%2e%2e`),
      get(`${ns}/configmaps/a%2fb`),
      get(`${ns}/configmaps/a%00b`),
      get(`${ns}/configmaps/a%20b`),
      get(`${ns}/configmaps/%zz`),
      get(`${ns}/configmaps/A_B`),
      get(`/api/v1/namespaces/%2e%2e/configmaps`),
      get(`/api/v1/../v1/namespaces/{{ns}}`),
      get(`${ns}/configmaps/${'x'.repeat(300)}`),
      get(`${ns}/configmaps/ü`.replace('ü', '%C3%BC')),
      get(`${ns}/configmaps/;x=y`),
      get(`${ns}/configmaps/a:b`),
    ],
  },
  {
    name: 'unknown top level paths',
    steps: [
      get('/nothing'),
      get('/api/v1/namespaces/{{ns}}/pods/x/y/z'),
      get('/apis/apps/v1/namespaces/{{ns}}'),
      post('/nothing', {}),
      get('/favicon.ico'),
      get('/apis/apps/v1/namespaces/'),
    ],
  },
  {
    name: 'the old watch prefix',
    steps: [
      get('/api/v1/watch/namespaces/{{ns}}/secrets?timeoutSeconds=1'),
      get('/api/v1/watch/namespaces/{{ns}}/secrets/x?timeoutSeconds=1'),
      get('/apis/apps/v1/watch/namespaces/{{ns}}/deployments?timeoutSeconds=1'),
      post('/api/v1/watch/namespaces/{{ns}}/secrets', {}),
    ],
  },
  {
    name: 'watch on a name is a get',
    steps: [
      get(`${ns}/configmaps/kube-root-ca.crt?watch=true`, { ignore: ['metadata\\.managedFields.*'] }),
      get(`${ns}/configmaps/nothing?watch=true`),
    ],
  },
  {
    name: 'more segments than a path has',
    steps: [
      get(`${ns}/configmaps/a/b`),
      get(`${ns}/configmaps/a/b/c`),
      get(`${ns}/pods/a/status/x`),
      get(`${ns}/status/x`),
      get('/api/v1/nodes/a/status/x/y'),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/a/scale/x'),
      get('/version/x'),
      get('/apis/apps/v1/x/y/z/a/b/c'),
    ],
  },
  {
    name: 'names that cannot be keys',
    steps: [
      get(`${ns}/secrets/a%25b`),
      put(`${ns}/secrets/%2e%2e`, { metadata: { name: '..' } }),
      merge(`${ns}/secrets/%2e`, {}),
      del(`${ns}/secrets/%2e%2e`),
      get('/api/v1/nodes/%2e%2e'),
      get('/api/v1/namespaces/%2e/secrets/a'),
    ],
  },
  { name: 'the root lists paths', steps: [get('/', { codeOnly: true }), get('/', { anonymous: true })] },
  {
    name: 'bad timeouts',
    steps: [
      get(`${ns}/secrets?timeout=x`),
      get(`${ns}/secrets?timeout=-1s`),
      get(`${ns}/secrets?timeout=1s`),
      get(`${ns}/secrets?timeout=99h`),
      get(`${ns}/secrets?timeoutSeconds=x`),
      get(`${ns}/secrets?timeoutSeconds=-1`),
    ],
  },
  {
    name: 'an audit id is echoed',
    steps: [
      get(`${ns}/secrets`, { headers: { 'Audit-ID': 'my-own-id' }, capture: { id2: 'header:audit-id' } }),
      get(`${ns}/secrets/{{id2}}`),
    ],
  },
  {
    name: 'namespaces and their subresources',
    steps: [
      get('/api/v1/namespaces/{{ns}}/status', { ignore: [] }),
      get('/api/v1/namespaces/{{ns}}/finalize'),
      get('/api/v1/namespaces/{{ns}}/other'),
      put('/api/v1/namespaces/{{ns}}/finalize', { metadata: { name: '{{ns}}' }, spec: { finalizers: ['kubernetes'] } }),
      put('/api/v1/namespaces/{{ns}}/finalize', { metadata: { name: '{{ns}}' }, spec: { finalizers: ['bad'] } }),
    ],
  },
  {
    name: 'repeated and unknown query parameters',
    steps: [
      get(`${ns}/secrets?limit=1&limit=2`),
      get(`${ns}/secrets?unknown=1`),
      get(`${ns}/secrets?watch=maybe&timeoutSeconds=1`),
      get(`${ns}/secrets?watch=0`),
      get(`${ns}/secrets?limit=1;watch=true`),
      get(`${ns}/secrets?%zz=1`),
      get(`${ns}/secrets?labelSelector=a%zz`),
      post(`${ns}/configmaps?fieldManager=a&fieldManager=b`, cm),
    ],
  },
];
