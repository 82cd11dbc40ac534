import { apply, del, get, jsonPatch, merge, post, put, strategic, type Case } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const item = `${maps}/a`;
const map = (metadata: object = {}, data: object = { k: 'v' }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
});
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '11111111-2222-4333-8444-555555555555' };

const badMetadata: readonly [string, object][] = [
  ['a name with capitals', { name: 'Capital' }],
  ['a name that is too long', { name: 'x'.repeat(254) }],
  ['no name', { name: '' }],
  ['a name with a slash', { name: 'a/b' }],
  ['a name of dots', { name: '..' }],
  ['a bad generateName', { name: '', generateName: 'Bad_' }],
  ['another namespace', { namespace: 'elsewhere' }],
  ['a resource version', { resourceVersion: '5' }],
  ['a resource version that is no number', { resourceVersion: 'x' }],
  ['a uid', { uid: '11111111-2222-4333-8444-555555555555' }],
  ['a creation time', { creationTimestamp: '2001-01-01T00:00:00Z' }],
  ['a deletion time', { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 }],
  ['a generation', { generation: 7 }],
  ['a self link', { selfLink: '/x' }],
  ['bad label keys', { labels: { 'a b': 'c', '-x': 'y', 'a/b/c': 'd', '': 'e' } }],
  ['bad label values', { labels: { a: 'b c', d: 'x'.repeat(64) } }],
  ['bad annotation keys', { annotations: { 'a b': 'c', 'UPPER/x': 'y' } }],
  ['huge annotations', { annotations: { a: 'x'.repeat(262_200) } }],
  ['unqualified finalizers', { finalizers: ['plain', 'a b/c', 'kubernetes', 'orphan', 'foregroundDeletion'] }],
  ['both policy finalizers', { finalizers: ['orphan', 'foregroundDeletion'] }],
  ['duplicate finalizers', { finalizers: ['a.b/c', 'a.b/c'] }],
  ['an owner without uid', { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] }],
  ['an empty owner', { ownerReferences: [{}] }],
  [
    'two controllers',
    {
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: 'q', uid: '21111111-2222-4333-8444-555555555555', controller: true },
      ],
    },
  ],
  ['the same owner twice', { ownerReferences: [owner, owner] }],
  ['an event as owner', { ownerReferences: [{ ...owner, kind: 'Event' }] }],
  [
    'managed fields that are not ours',
    {
      managedFields: [
        {
          manager: 'x',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2020-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:k': {} } },
        },
      ],
    },
  ],
  ['broken managed fields', { managedFields: [{ manager: 'x', operation: 'Bad', fieldsType: 'FieldsV9', fieldsV1: { zzz: {} } }] }],
  ['unknown metadata', { surprise: 1 }],
  ['labels that are no strings', { labels: { a: 1 } }],
  ['null labels', { labels: null, annotations: {} }],
];

const generated = ['x-', 'x', 'x'.repeat(70), '9', 'a.b.'];

const options: readonly [string, string][] = [
  ['dryRun=Some', 'dryRun'],
  ['dryRun=All&dryRun=All', 'dryRun twice'],
  ['dryRun=', 'an empty dryRun'],
  ['fieldManager=' + 'x'.repeat(129), 'a long manager'],
  ['fieldManager=a%07b', 'an unprintable manager'],
  ['fieldValidation=Sometimes', 'fieldValidation'],
  ['fieldValidation=', 'an empty fieldValidation'],
  ['force=true', 'force'],
  ['fieldManager=ok%20name', 'a manager with a space'],
];

const badBodies: readonly [string, string][] = [
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['a number', '7'],
  ['a string', '"x"'],
  ['an empty object', '{}'],
  ['half an object', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"'],
  ['two objects', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}{"a":1}'],
  ['another kind', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}'],
  ['an unknown kind', '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"a"}}'],
  ['another version', '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['another group', '{"apiVersion":"apps/v1","kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['kind only', '{"kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['version only', '{"apiVersion":"v1","metadata":{"name":"a"}}'],
  ['a number for kind', '{"apiVersion":"v1","kind":7,"metadata":{"name":"a"}}'],
  ['a bad version text', '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['data that is a list', '{"metadata":{"name":"a"},"data":[1]}'],
  ['data that is a number', '{"metadata":{"name":"a"},"data":{"k":1}}'],
  ['metadata that is a string', '{"metadata":"a"}'],
  ['null metadata', '{"metadata":null}'],
  ['null data', '{"metadata":{"name":"a"},"data":null}'],
  ['duplicate keys', '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"data":{"k":"3"}}'],
  ['keys in another case', '{"metadata":{"name":"a"},"Data":{"k":"1"}}'],
  ['invalid utf-8 escapes', '{"metadata":{"name":"a"},"data":{"k":"\\ud800"}}'],
  ['a control character', '{"metadata":{"name":"a"},"data":{"k":"\u0001"}}'],
  ['trailing white space', '{"metadata":{"name":"a"}}   \n\n'],
  ['a trailing comma', '{"metadata":{"name":"a"},}'],
  ['a comment', '{"metadata":{"name":"a"}/* x */}'],
  ['nan', '{"metadata":{"name":"a","generation":NaN}}'],
  ['a float for an integer', '{"metadata":{"name":"a","generation":1.5}}'],
  ['a whole float for an integer', '{"metadata":{"name":"a","generation":1.0}}'],
  ['an exponent for an integer', '{"metadata":{"name":"a","generation":1e2}}'],
  ['an integer out of range', '{"metadata":{"name":"a","generation":9223372036854775808}}'],
  ['a byte order mark', '\ufeff{"metadata":{"name":"a"}}'],
];

export const cases: readonly Case[] = [
  ...badMetadata.map(([what, metadata]): Case => ({
    name: `creating with ${what}`,
    // The collector takes an object whose owner does not exist.
    steps: [post(maps, map(metadata)), ...(what.includes('owner') ? [] : [get(`${maps}?fieldSelector=metadata.name%3Da`)])],
  })),
  ...badMetadata.slice(5).map(([what, metadata]): Case => ({
    name: `updating with ${what}`,
    steps: [post(maps, map(), { codeOnly: true }), put(item, map(metadata)), ...(what.includes('owner') ? [] : [get(item)])],
  })),
  ...generated.map((generateName): Case => ({
    name: `a generated name from "${generateName.slice(0, 12)}" of ${generateName.length}`,
    steps: [post(maps, { metadata: { generateName } }), get(maps)],
  })),
  ...options.map(([query, what]): Case => ({
    name: `option error: ${what}`,
    steps: [
      post(`${maps}?${query}`, map()),
      put(`${item}?${query}`, map()),
      merge(`${item}?${query}`, { data: { x: 'y' } }),
      del(`${item}?${query}`),
    ],
  })),
  ...badBodies.map(([what, body]): Case => ({
    name: `a body that is ${what}`,
    steps: [
      post(maps, body, { headers: { 'Content-Type': 'application/json' } }),
      post(`${maps}?fieldValidation=Strict`, body, { headers: { 'Content-Type': 'application/json' } }),
      put(item, body, { headers: { 'Content-Type': 'application/json' } }),
    ],
  })),
  {
    name: 'an update checks name, namespace, uid and version',
    steps: [
      post(maps, map(), { capture: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } }),
      put(item, map({ resourceVersion: '{{rv}}', uid: '{{uid}}' }, { k: 'two' })),
      put(item, map({ resourceVersion: '{{rv}}' }, { k: 'three' })),
      put(item, map({ uid: '11111111-2222-4333-8444-555555555555' })),
      put(item, map({ resourceVersion: 'x' })),
      put(item, map({ resourceVersion: '0' }, { k: 'zero' })),
      put(item, map({ resourceVersion: '999999999' })),
      put(item, map({ name: 'b' })),
      put(item, map({ name: '' })),
      put(item, map({ namespace: 'other' })),
      put(`${maps}/missing`, map({ name: 'missing' })),
      put(`${maps}/missing`, map({ name: 'missing', resourceVersion: '5' })),
      put(`${maps}/missing`, map({ name: 'missing', uid: '{{uid}}' })),
    ],
  },
  {
    name: 'a write that changes nothing is not a write',
    steps: [
      post(maps, map({ labels: { a: 'b' } })),
      put(item, map({ labels: { a: 'b' } })),
      merge(item, { data: { k: 'v' } }),
      merge(item, {}),
      strategic(item, { metadata: { labels: { a: 'b' } } }),
      jsonPatch(item, []),
      jsonPatch(item, [{ op: 'replace', path: '/data/k', value: 'v' }]),
      jsonPatch(item, [
        { op: 'add', path: '/data/k', value: 'x' },
        { op: 'replace', path: '/data/k', value: 'v' },
      ]),
      merge(item, { metadata: { creationTimestamp: '2001-01-01T00:00:00Z', uid: 'x' } }),
      merge(item, { metadata: { managedFields: [] } }),
    ],
  },
  {
    name: 'managed fields are cleared, kept and replaced',
    steps: [
      post(maps, map()),
      put(item, map({ managedFields: [{}] })),
      put(item, map({}, { k: 'w' })),
      merge(item, { data: { z: '1' } }),
      merge(item, { metadata: { managedFields: [{}] } }),
      apply(item, map({}, { q: '1' })),
      merge(item, { metadata: { managedFields: null } }),
      jsonPatch(item, [
        {
          op: 'replace',
          path: '/metadata/managedFields',
          value: [
            {
              manager: 'mine',
              operation: 'Apply',
              apiVersion: 'v1',
              time: '2020-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {} } },
            },
          ],
        },
      ]),
      jsonPatch(item, [
        {
          op: 'replace',
          path: '/metadata/managedFields',
          value: [{ manager: 'mine', operation: 'Bad', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
        },
      ]),
    ],
  },
  {
    name: 'the default manager is the head of the user agent',
    steps: [
      post(maps, map(), { headers: { 'User-Agent': 'my-client/v1 (linux)' } }),
      merge(item, { data: { b: '1' } }, { headers: { 'User-Agent': '' } }),
      merge(item, { data: { c: '1' } }, { headers: { 'User-Agent': '/x' } }),
      merge(item, { data: { d: '1' } }, { headers: { 'User-Agent': 'y'.repeat(200) } }),
      merge(`${item}?fieldManager=chosen`, { data: { e: '1' } }),
    ],
  },
  {
    name: 'unknown and duplicate fields under each validation',
    steps: ['Ignore', 'Warn', 'Strict', ''].flatMap(level => {
      const query = level === '' ? '' : `?fieldValidation=${level}`;
      const body = '{"metadata":{"name":"a","surprise":1},"extra":{"x":1},"data":{"k":"1","k":"2"}}';
      return [
        post(`${maps}${query}`, body, { headers: { 'Content-Type': 'application/json' } }),
        put(`${item}${query}`, body, { headers: { 'Content-Type': 'application/json' } }),
        merge(`${item}${query}`, '{"extra":1,"data":{"k":"1","k":"2"}}'),
        strategic(`${item}${query}`, '{"extra":1,"data":{"k":"1","k":"2"}}'),
        jsonPatch(`${item}${query}`, [{ op: 'add', path: '/extra', value: 1 }]),
        apply(`${item}${query}`, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"extra":1,"data":{"k":"1","k":"2"}}', {
          force: true,
        }),
        del(item, undefined, { codeOnly: true }),
      ];
    }),
  },
  {
    name: 'many unknown fields make many warnings',
    steps: [
      post(`${ns}/pods`, {
        metadata: { name: 'a' },
        one: 1,
        spec: {
          two: 2,
          containers: [{ name: 'c', image: 'i', three: 3, ports: [{ containerPort: 1, four: 4 }] }],
          volumes: [{ name: 'v', five: {} }],
        },
        six: { seven: 7 },
      }),
    ],
  },
  {
    name: 'reading at a version',
    steps: [
      post(maps, map(), { capture: { rv: 'metadata.resourceVersion' } }),
      get(`${item}?resourceVersion=0`),
      get(`${item}?resourceVersion={{rv}}`),
      get(`${item}?resourceVersion=x`),
      get(`${item}?resourceVersion=99999999`, { ignore: ['message'] }),
      get(`${item}?resourceVersion=1`),
    ],
  },
  {
    name: 'dry runs of every verb',
    steps: [
      post(`${maps}?dryRun=All`, map()),
      get(item),
      post(maps, map()),
      post(`${maps}?dryRun=All`, map()),
      put(`${item}?dryRun=All`, map({}, { k: 'w' })),
      merge(`${item}?dryRun=All`, { data: { x: 'y' } }),
      apply(`${item}?dryRun=All`, map({}, { q: 'r' })),
      del(`${item}?dryRun=All`),
      del(item, { dryRun: ['All'] }),
      del(item, { dryRun: ['Some'] }),
      get(item),
    ],
  },
  {
    name: 'secrets and config maps that may not change',
    steps: [
      post(maps, { ...map(), immutable: true }),
      merge(item, { data: { k: 'w' } }),
      merge(item, { immutable: false }),
      merge(item, { metadata: { labels: { a: 'b' } } }),
      post(`${ns}/secrets`, { metadata: { name: 's' }, immutable: true, type: 'x', data: { a: 'YQ==' } }),
      merge(`${ns}/secrets/s`, { data: { a: 'Yg==' } }),
      merge(`${ns}/secrets/s`, { type: 'y' }),
    ],
  },
  {
    name: 'data keys and sizes of config maps and secrets',
    steps: [
      post(maps, map({}, { 'bad key': 'x', '..': 'y', '.ok': 'z' })),
      post(maps, { ...map({}, { same: 'x' }), binaryData: { same: 'YQ==' } }),
      post(maps, { ...map(), binaryData: { b: 'not base64!' } }),
      post(maps, map({}, { big: 'x'.repeat(1_048_577) })),
      post(`${ns}/secrets`, { metadata: { name: 's' }, data: { a: '*' } }),
      post(`${ns}/secrets`, { metadata: { name: 's' }, stringData: { a: 'b' }, data: { a: 'eA==', c: 'eQ==' } }),
      post(`${ns}/secrets`, { metadata: { name: 't' }, type: 'kubernetes.io/tls' }),
      post(`${ns}/secrets`, { metadata: { name: 't' }, type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'x' } }),
      post(`${ns}/secrets`, { metadata: { name: 't' }, type: 'kubernetes.io/basic-auth' }),
      post(`${ns}/secrets`, { metadata: { name: 't' }, type: 'kubernetes.io/ssh-auth' }),
      post(`${ns}/secrets`, { metadata: { name: 't' }, type: 'kubernetes.io/service-account-token' }),
    ],
  },
  {
    name: 'custom resources need kind, version and resourceVersion',
    steps: [
      post(crdPath, crd(), { codeOnly: true }),
      established,
      served,
      post(widgetPath, { metadata: { name: 'a' } }),
      post(widgetPath, { kind: 'Widget', metadata: { name: 'a' } }),
      post(widgetPath, { apiVersion: '{{group}}/v1', metadata: { name: 'a' } }),
      post(widgetPath, { apiVersion: '{{group}}/v2', kind: 'Widget', metadata: { name: 'a' } }),
      post(widgetPath, { apiVersion: '{{group}}/v1', kind: 'Gadget', metadata: { name: 'a' } }),
      post(widgetPath, widget({ big: 9007199254740993n, float: 1.5, text: 'x', deep: [{ a: null }] })),
      put(`${widgetPath}/a`, widget({ x: 1 })),
      put(`${widgetPath}/b`, widget({ x: 1 }, { name: 'b' })),
      get(`${widgetPath}/a`),
      get(widgetPath),
      post(
        widgetPath,
        '{"apiVersion":"{{group}}/v1","kind":"Widget","metadata":{"name":"n"},"spec":{"a":1.0,"b":1e3,"c":-0,"d":12345678901234567890,"e":0.1}}',
        { headers: { 'Content-Type': 'application/json' } },
      ),
      del(`${widgetPath}/a`),
    ],
  },
];
