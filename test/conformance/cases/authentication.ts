import { apply, del, get, merge, post, put, table, until, type Case } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const tokens = `${ns}/serviceaccounts/default/token`;
const reviews = '/apis/authentication.k8s.io/v1';
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const csr = (spec: object = {}, name = '{{id}}'): object => ({
  metadata: { name },
  spec: { request: '{{signingRequest}}', signerName: 'example.com/signer', usages: ['client auth'], ...spec },
});
const bearer = (name: string): { headers: Record<string, string> } => ({ headers: { Authorization: `Bearer {{${name}}}` } });

export const cases: readonly Case[] = [
  {
    name: 'a token of a service account',
    steps: [
      post(tokens, { spec: {} }, { capture: { token: 'status.token' } }),
      post(`${reviews}/selfsubjectreviews`, {}, bearer('token')),
      post(`${reviews}/tokenreviews`, { spec: { token: '{{token}}' } }),
      get(`${ns}/configmaps`, bearer('token')),
      get('/api', bearer('token')),
    ],
  },
  {
    name: 'tokens with options',
    steps: [
      post(tokens, { spec: { expirationSeconds: 600, audiences: ['a', 'b'] } }, { capture: { token: 'status.token' } }),
      post(`${reviews}/selfsubjectreviews`, {}, bearer('token')),
      post(`${reviews}/tokenreviews`, { spec: { token: '{{token}}', audiences: ['a', 'z'] } }),
      post(`${reviews}/tokenreviews`, { spec: { token: '{{token}}', audiences: ['z'] } }),
      post(`${reviews}/tokenreviews`, { spec: { token: '{{token}}' } }),
    ],
  },
  {
    name: 'token requests that are wrong',
    steps: [
      post(tokens, { spec: { expirationSeconds: 60 } }),
      post(tokens, { spec: { expirationSeconds: 99999999999 } }),
      post(tokens, { metadata: { name: 'other' }, spec: {} }),
      post(tokens, { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'missing' } } }),
      post(tokens, { spec: { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'x' } } }),
      post(`${ns}/serviceaccounts/missing/token`, { spec: {} }),
      post(tokens, {}),
      post(`${tokens}?dryRun=All`, { spec: {} }),
    ],
  },
  {
    name: 'a token bound to a pod',
    steps: [
      post(
        `${ns}/pods`,
        { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        { capture: { uid: 'metadata.uid' } },
      ),
      post(
        tokens,
        { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: '{{uid}}' } } },
        { capture: { token: 'status.token' } },
      ),
      post(`${reviews}/selfsubjectreviews`, {}, bearer('token')),
      post(tokens, { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: '11111111-2222-4333-8444-555555555555' } } }),
      del(`${ns}/pods/p`, { gracePeriodSeconds: 0 }, { codeOnly: true }),
    ],
  },
  {
    name: 'a token bound to a secret and to a node',
    steps: [
      post(`${ns}/secrets`, { metadata: { name: 's' } }),
      post(tokens, { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } } }, { capture: { token: 'status.token' } }),
      post(`${reviews}/selfsubjectreviews`, {}, bearer('token')),
      post('/api/v1/nodes', { metadata: { name: '{{id}}' } }, { codeOnly: true }),
      post(tokens, { spec: { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: '{{id}}' } } }, { capture: { node: 'status.token' } }),
      post(`${reviews}/selfsubjectreviews`, {}, bearer('node')),
    ],
  },
  {
    name: 'a token dies with its account',
    steps: [
      post(`${ns}/serviceaccounts`, { metadata: { name: 'x' } }),
      post(`${ns}/serviceaccounts/x/token`, { spec: {} }, { capture: { token: 'status.token' } }),
      del(`${ns}/serviceaccounts/x`),
      get('/api', bearer('token')),
      post(`${reviews}/tokenreviews`, { spec: { token: '{{token}}' } }),
      post(`${ns}/serviceaccounts`, { metadata: { name: 'x' } }, { codeOnly: true }),
      get('/api', bearer('token')),
    ],
  },
  {
    name: 'token reviews that are wrong',
    steps: [
      post(`${reviews}/tokenreviews`, { spec: {} }),
      post(`${reviews}/tokenreviews`, { spec: { token: 'wrong' } }),
      post(`${reviews}/tokenreviews`, { metadata: { name: 'x', namespace: 'y' }, spec: { token: 'x' } }),
      get(`${reviews}/tokenreviews`),
      post(`${reviews}/tokenreviews`, '{'),
    ],
  },
  {
    name: 'a legacy token secret is filled',
    steps: [
      post(`${ns}/secrets`, {
        metadata: { name: 't', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        type: 'kubernetes.io/service-account-token',
      }),
      until(`${ns}/secrets/t`, b => Boolean((b as { data?: { token?: string } }).data?.token)),
      get(`${ns}/secrets/t`, { ignore: ['data\\..*', 'metadata\\.managedFields.*', 'metadata\\.resourceVersion'] }),
      post(
        `${ns}/secrets`,
        {
          metadata: { name: 'u', annotations: { 'kubernetes.io/service-account.name': 'missing' } },
          type: 'kubernetes.io/service-account-token',
        },
        { codeOnly: true },
      ),
    ],
  },
  {
    name: 'a service account of a pod',
    steps: [
      post(`${ns}/serviceaccounts`, { metadata: { name: 'x' }, automountServiceAccountToken: false, imagePullSecrets: [{ name: 'pull' }] }),
      post(`${ns}/pods`, { metadata: { name: 'p' }, spec: { serviceAccountName: 'x', containers: [{ name: 'c', image: 'i' }] } }),
      post(`${ns}/pods`, { metadata: { name: 'q' }, spec: { serviceAccountName: 'missing', containers: [{ name: 'c', image: 'i' }] } }),
      post(`${ns}/pods`, {
        metadata: { name: 'r' },
        spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
      }),
      post(`${ns}/pods`, {
        metadata: { name: 's', annotations: { 'kubernetes.io/config.mirror': 'x' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
      post(`${ns}/pods`, {
        metadata: { name: 't' },
        spec: {
          containers: [
            { name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      }),
    ],
  },
  {
    name: 'signing requests that are wrong',
    steps: [
      post(csrs, csr({ request: 'YQ==' })),
      post(csrs, csr({ request: undefined })),
      post(csrs, csr({ request: 'YQ==', usages: [], signerName: 'x' })),
      post(csrs, csr({ request: 'YQ==', usages: ['odd', 'odd'], expirationSeconds: 5 })),
      post(csrs, {}),
    ],
  },
  {
    name: 'a signing request is approved or denied',
    impersonated: true,
    steps: [
      post(csrs, csr({ request: '{{signingRequest}}', username: 'ignored' })),
      get(`${csrs}/{{id}}`),
      put(`${csrs}/{{id}}/approval`, {
        metadata: { name: '{{id}}' },
        spec: {},
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Ok', message: 'fine' }] },
      }),
      merge(`${csrs}/{{id}}/approval`, { status: { conditions: [{ type: 'Denied', status: 'True' }] } }),
      merge(`${csrs}/{{id}}`, { spec: { usages: ['server auth'] } }),
      merge(`${csrs}/{{id}}/status`, { status: { certificate: 'YQ==' } }),
      get(`${csrs}/{{id}}`, { headers: table }),
      apply(`${csrs}/{{id}}`, {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: '{{id}}', labels: { a: 'b' } },
      }),
      del(`${csrs}/{{id}}`),
      post(
        csrs,
        csr(
          {
            request: '{{signingRequest}}',
            signerName: 'kubernetes.io/kube-apiserver-client',
            usages: ['digital signature', 'client auth'],
          },
          '{{id}}-b',
        ),
        { as: 'alice', groups: ['system:masters'] },
      ),
    ],
  },
];
