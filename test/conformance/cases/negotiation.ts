import { del, get, patch, post, put, request, table, watch, events, type Case } from '../case.ts';
import { envelope, objectMeta, stringMapEntry, stringField, bytesField } from '../protobuf.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const configMaps = '/api/v1/namespaces/{{ns}}/configmaps';
const item = `${configMaps}/a`;
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
const deployment = {
  metadata: { name: 'a' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1500m' } } }] },
    },
  },
};
const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } } };
const metadataOnly = (kind: string): Record<string, string> => ({ Accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` });

const protobuf = 'application/vnd.kubernetes.protobuf';
const accepts: readonly [string, string][] = [
  ['nothing in particular', '*/*'],
  ['any application', 'application/*'],
  ['yaml', 'application/yaml'],
  ['json by charset', 'application/json;charset=utf-8'],
  ['pretty json', 'application/json;pretty=1'],
  ['html only', 'text/html'],
  ['html or anything', 'text/html,*/*;q=0.8'],
  ['yaml over json by weight', 'application/json;q=0.1,application/yaml;q=0.9'],
  ['a table of another version', 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'],
  ['a table of an unknown version', 'application/json;as=Table;v=v9;g=meta.k8s.io'],
  ['an unknown shape', 'application/json;as=Picture;v=v1;g=meta.k8s.io'],
  ['an unknown shape or json', 'application/json;as=Picture;v=v1;g=meta.k8s.io,application/json'],
  ['a table in yaml', 'application/yaml;as=Table;v=v1;g=meta.k8s.io'],
  ['garbage', 'garbage'],
  ['an empty list', ','],
  ['a stream of watch', 'application/json;stream=watch'],
  ['protobuf', protobuf],
  ['metadata in protobuf', `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json`],
  ['a list of metadata in protobuf', `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json`],
];
const contentTypes = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-8',
  'application/JSON',
  'application/cbor',
  'garbage',
  'application/merge-patch+json',
];
const patchTypes = [
  'application/json',
  'text/plain',
  'application/apply-patch+cbor',
  'application/strategic-merge-patch+yaml',
  'application/merge-patch+json; charset=utf-8',
  '',
];

export const cases: readonly Case[] = [
  ...accepts.map(([what, accept]): Case => ({
    name: `accepting ${what}`,
    steps: [
      post(configMaps, configMap, { headers: { Accept: accept } }),
      get(item, { headers: { Accept: accept } }),
      get(configMaps, { headers: { Accept: accept } }),
      get(`${configMaps}/missing`, { headers: { Accept: accept } }),
      del(item, undefined, { headers: { Accept: accept } }),
    ],
  })),
  ...contentTypes.map((type): Case => ({
    name: `a body of type ${type}`,
    steps: [
      post(configMaps, JSON.stringify(configMap), { headers: { 'Content-Type': type } }),
      put(item, JSON.stringify(configMap), { headers: { 'Content-Type': type } }),
    ],
  })),
  ...patchTypes.map((type): Case => ({
    name: `a patch of type "${type}"`,
    steps: [post(configMaps, configMap), patch(type, item, '{"data":{"x":"y"}}')],
  })),
  { name: 'no content type', steps: [post(configMaps, JSON.stringify(configMap)), request('PATCH', item, '{"data":{"x":"y"}}')] },
  {
    name: 'yaml in and out',
    steps: [
      post(configMaps, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: "1"\n', {
        headers: { 'Content-Type': 'application/yaml', Accept: 'application/yaml' },
      }),
      put(item, 'metadata: {name: a}\ndata: {k: "2"}\n', { headers: { 'Content-Type': 'application/yaml' } }),
      post(configMaps, 'a: b: c', { headers: { 'Content-Type': 'application/yaml' } }),
      post(configMaps, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: 1}\n', {
        headers: { 'Content-Type': 'application/yaml' },
      }),
      post(`${configMaps}?fieldValidation=Strict`, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: a}\ndata: {k: b}\n', {
        headers: { 'Content-Type': 'application/yaml' },
      }),
      post(configMaps, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: a}\ndata: {k: b}\n', {
        headers: { 'Content-Type': 'application/yaml' },
      }),
      post(configMaps, '', { headers: { 'Content-Type': 'application/yaml' } }),
    ],
  },
  {
    name: 'metadata only',
    steps: [
      post(configMaps, configMap),
      get(item, { headers: metadataOnly('PartialObjectMetadata') }),
      get(configMaps, { headers: metadataOnly('PartialObjectMetadataList') }),
      get(configMaps, { headers: metadataOnly('PartialObjectMetadata') }),
      get(item, { headers: metadataOnly('PartialObjectMetadataList') }),
      get(item, { headers: { Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1' } }),
      del(item, undefined, { headers: metadataOnly('PartialObjectMetadata') }),
    ],
  },
  {
    name: 'tables with and without objects',
    steps: [
      post(configMaps, configMap, { headers: table }),
      ...['None', 'Metadata', 'Object', 'Wrong'].flatMap(include => [
        get(`${item}?includeObject=${include}`, { headers: table }),
        get(`${configMaps}?includeObject=${include}`, { headers: table }),
      ]),
      get(`${configMaps}/missing`, { headers: table }),
      del(item, undefined, { headers: table }),
    ],
  },
  {
    name: 'pretty printing is only white space',
    steps: [get(`${configMaps}?pretty=true`), get(configMaps, { headers: { 'User-Agent': 'curl/8' } }), get(`${configMaps}?pretty=maybe`)],
  },
  {
    name: 'watch in other shapes',
    steps: [
      post(configMaps, configMap),
      watch('table', `${configMaps}?watch=true&fieldSelector=metadata.name%3Da`, { headers: table }),
      watch('metadata', `${configMaps}?watch=true&fieldSelector=metadata.name%3Da`, { headers: metadataOnly('PartialObjectMetadata') }),
      watch('yaml', `${configMaps}?watch=true`, { headers: { Accept: 'application/yaml' } }),
      put(item, { ...configMap, data: { k: 'w' } }),
      events('table', 2),
      events('metadata', 2),
    ],
  },
  {
    name: 'a protobuf body is stored like the same JSON',
    steps: [
      post(configMaps, envelope('v1', 'ConfigMap', Buffer.concat([objectMeta({ name: 'a' }), stringMapEntry(2, 'k', 'v')])), {
        headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf', Accept: 'application/json' },
      }),
      put(item, envelope('v1', 'ConfigMap', Buffer.concat([objectMeta({ name: 'a' }), stringMapEntry(2, 'k', 'w')])), {
        headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf', Accept: 'application/json' },
      }),
      del(item, envelope('v1', 'DeleteOptions', stringField(4, 'Background')), {
        headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf', Accept: 'application/json' },
      }),
    ],
  },
  {
    name: 'workloads and reviews answered in protobuf',
    steps: [
      post('/apis/apps/v1/namespaces/{{ns}}/deployments', deployment, { headers: { Accept: protobuf } }),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/a/scale', { headers: { Accept: protobuf } }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, { headers: { Accept: protobuf } }),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/missing', { headers: { Accept: protobuf } }),
    ],
  },
  {
    name: 'broken protobuf bodies',
    steps: [
      Buffer.from('k8s\0garbage that is not a message'),
      Buffer.from('nothing'),
      Buffer.alloc(0),
      envelope('v1', 'ConfigMap', Buffer.from([0xff, 0xff, 0xff])),
      envelope('v1', 'Secret', objectMeta({ name: 'a' })),
      envelope('v1', 'Nothing', objectMeta({ name: 'a' })),
      envelope('', '', objectMeta({ name: 'a' })),
      Buffer.concat([Buffer.from('k8s\0'), bytesField(1, Buffer.from([0xff]))]),
    ].map(body =>
      post(configMaps, body, { headers: { 'Content-Type': 'application/vnd.kubernetes.protobuf', Accept: 'application/json' } }),
    ),
  },
  {
    name: 'custom resources refuse protobuf and strategic patches',
    steps: [
      post(crdPath, crd(), { codeOnly: true }),
      established,
      served,
      post(widgetPath, widget({})),
      patch('application/strategic-merge-patch+json', `${widgetPath}/a`, { spec: { a: 1 } }),
      patch('application/json', `${widgetPath}/a`, { spec: { a: 1 } }),
      get(`${widgetPath}/a`, { headers: { Accept: 'application/yaml' } }),
      get(`${widgetPath}/a`, { headers: { Accept: protobuf } }),
      get(widgetPath, { headers: { Accept: protobuf } }),
      get(`${widgetPath}/a`, { headers: { Accept: `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` } }),
      get(`${widgetPath}/a`, { headers: { Accept: 'text/html' } }),
    ],
  },
];
