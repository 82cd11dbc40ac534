import { get, jsonPatch, merge, patch, post, put, strategic, type Case } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const map = { metadata: { name: 'a', labels: { x: 'y' }, annotations: { 'a/b': 'c', tilde: '~' } }, data: { k: 'v', l: 'w' } };
const deployments = '/apis/apps/v1/namespaces/{{ns}}/deployments';
const deployment = {
  metadata: { name: 'a', finalizers: ['x.io/one', 'x.io/two'] },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'c1',
            image: 'i:1',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            ports: [{ containerPort: 80 }, { containerPort: 81, name: 'x' }],
            args: ['a', 'b'],
          },
          { name: 'c2', image: 'i:2' },
        ],
        volumes: [
          { name: 'v1', emptyDir: {} },
          { name: 'v2', configMap: { name: 'm' } },
        ],
        tolerations: [{ key: 'a', operator: 'Exists' }],
        nodeSelector: { disk: 'ssd' },
      },
    },
  },
};
const template = (spec: object): object => ({ spec: { template: { spec } } });

const operations: readonly [string, unknown][] = [
  ['add', [{ op: 'add', path: '/data/new', value: '1' }]],
  ['add over', [{ op: 'add', path: '/data/k', value: '1' }]],
  ['add into nothing', [{ op: 'add', path: '/nothing/here', value: '1' }]],
  ['add null', [{ op: 'add', path: '/data/k', value: null }]],
  ['add without value', [{ op: 'add', path: '/data/k' }]],
  ['add the whole', [{ op: 'add', path: '', value: { metadata: { name: 'a' } } }]],
  ['remove', [{ op: 'remove', path: '/data/k' }]],
  ['remove missing', [{ op: 'remove', path: '/data/zz' }]],
  ['replace', [{ op: 'replace', path: '/data/k', value: '2' }]],
  ['replace missing', [{ op: 'replace', path: '/data/zz', value: '2' }]],
  ['move', [{ op: 'move', from: '/data/k', path: '/data/moved' }]],
  ['move missing', [{ op: 'move', from: '/data/zz', path: '/data/moved' }]],
  ['copy', [{ op: 'copy', from: '/data/k', path: '/data/copied' }]],
  [
    'test that holds',
    [
      { op: 'test', path: '/data/k', value: 'v' },
      { op: 'add', path: '/data/t', value: '1' },
    ],
  ],
  ['test that fails', [{ op: 'test', path: '/data/k', value: 'x' }]],
  ['test of nothing', [{ op: 'test', path: '/data/zz', value: null }]],
  ['escapes', [{ op: 'replace', path: '/metadata/annotations/a~1b', value: 'd' }]],
  ['unknown op', [{ op: 'frob', path: '/data/k' }]],
  ['no op', [{ path: '/data/k' }]],
  ['no path', [{ op: 'remove' }]],
  ['path without slash', [{ op: 'remove', path: 'data/k' }]],
  ['not a list', { op: 'add' }],
  ['a list of numbers', [1, 2]],
  ['empty', []],
  ['name', [{ op: 'replace', path: '/metadata/name', value: 'b' }]],
  ['namespace', [{ op: 'replace', path: '/metadata/namespace', value: 'b' }]],
  ['kind', [{ op: 'replace', path: '/kind', value: 'Secret' }]],
  ['apiVersion', [{ op: 'replace', path: '/apiVersion', value: 'v2' }]],
  ['uid', [{ op: 'replace', path: '/metadata/uid', value: 'x' }]],
  ['resourceVersion', [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]],
  ['wrong type', [{ op: 'add', path: '/data/k', value: 5 }]],
  ['invalid value', [{ op: 'add', path: '/metadata/labels/x', value: 'a b' }]],
  ['copy onto itself', [{ op: 'copy', from: '/data', path: '/data/self' }]],
];

const merges: readonly [string, unknown][] = [
  ['sets and deletes', { data: { k: null, n: '1' } }],
  ['deletes a map', { data: null }],
  ['deletes what is not there', { data: { zz: null }, binaryData: null }],
  ['replaces labels', { metadata: { labels: { x: null, z: '1' } } }],
  ['changes the name', { metadata: { name: 'b' } }],
  ['changes the namespace', { metadata: { namespace: 'b' } }],
  ['changes the kind', { kind: 'Secret' }],
  ['changes the version', { apiVersion: 'v2' }],
  ['repeats kind and version', { kind: 'ConfigMap', apiVersion: 'v1', data: { n: '1' } }],
  ['gives an old resourceVersion', { metadata: { resourceVersion: '1' }, data: { n: '1' } }],
  ['gives another uid', { metadata: { uid: '11111111-2222-4333-8444-555555555555' }, data: { n: '1' } }],
  ['has a wrong type', { data: { k: 5 } }],
  ['has a wrong shape', { data: [] }],
  ['is a list', []],
  ['is null', 'null'],
  ['is a number', '5'],
  ['is broken', '{"data":'],
  ['is empty text', ''],
  ['has an unknown field', { surprise: 1 }],
  ['has an invalid value', { metadata: { labels: { x: 'a b' } } }],
  ['sets a creation time to null', { metadata: { creationTimestamp: null } }],
];

const strategics: readonly [string, unknown][] = [
  ['changes one container', template({ containers: [{ name: 'c1', image: 'i:9' }] })],
  ['adds a container', template({ containers: [{ name: 'c3', image: 'i:3' }] })],
  ['deletes a container', template({ containers: [{ name: 'c2', $patch: 'delete' }] })],
  ['deletes a missing container', template({ containers: [{ name: 'c9', $patch: 'delete' }] })],
  ['replaces the containers', template({ containers: [{ $patch: 'replace' }, { name: 'only', image: 'i' }] })],
  ['replaces a map', template({ nodeSelector: { $patch: 'replace', a: 'b' } })],
  ['deletes a map', template({ nodeSelector: { $patch: 'delete' } })],
  ['nulls a map', template({ nodeSelector: null })],
  ['merges a map', template({ nodeSelector: { a: 'b', disk: null } })],
  [
    'orders the containers',
    template({ '$setElementOrder/containers': [{ name: 'c2' }, { name: 'c1' }], containers: [{ name: 'c1', image: 'i:9' }] }),
  ],
  [
    'orders with a new one',
    template({
      '$setElementOrder/containers': [{ name: 'c3' }, { name: 'c2' }, { name: 'c1' }],
      containers: [{ name: 'c3', image: 'i:3' }],
    }),
  ],
  [
    'orders with a stranger',
    template({ '$setElementOrder/containers': [{ name: 'c9' }, { name: 'c1' }], containers: [{ name: 'c1', image: 'i:9' }] }),
  ],
  [
    'merges env',
    template({
      containers: [
        {
          name: 'c1',
          env: [
            { name: 'B', value: '3' },
            { name: 'C', value: '4' },
          ],
        },
      ],
    }),
  ],
  ['merges ports', template({ containers: [{ name: 'c1', ports: [{ containerPort: 81, name: 'y' }, { containerPort: 82 }] }] })],
  ['replaces args', template({ containers: [{ name: 'c1', args: ['z'] }] })],
  ['replaces tolerations', template({ tolerations: [{ key: 'b', operator: 'Exists' }] })],
  ['retains keys of the strategy', { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }],
  ['changes the strategy without retaining', { spec: { strategy: { type: 'Recreate' } } }],
  ['retains keys of a volume', template({ volumes: [{ name: 'v2', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] })],
  ['adds a finalizer', { metadata: { finalizers: ['x.io/three'] } }],
  ['deletes a finalizer', { metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/one'] } }],
  [
    'orders finalizers',
    { metadata: { '$setElementOrder/finalizers': ['x.io/two', 'x.io/three', 'x.io/one'], finalizers: ['x.io/three'] } },
  ],
  ['forgets the merge key', template({ containers: [{ image: 'i' }] })],
  ['has an unknown directive', template({ containers: [{ name: 'c1', $patch: 'frob' }] })],
  ['has a directive of a wrong type', template({ nodeSelector: { $patch: 5 } })],
  ['has a map for a list', template({ containers: { name: 'c1' } })],
  ['has a list for a map', { spec: [] }],
  ['has a wrong type', { spec: { replicas: 'x' } }],
  ['has an unknown field', { spec: { surprise: 1, replicas: 2 } }],
  ['is broken', '{'],
  ['is a list', '[]'],
  ['changes the selector', { spec: { selector: { matchLabels: { app: 'other' } } } }],
  ['merges directives at the root', { $patch: 'replace', metadata: { name: 'a' } }],
  ['deletes the root', { $patch: 'delete' }],
  ['deletes all containers', template({ containers: null })],
  [
    'adds the same container twice',
    template({
      containers: [
        { name: 'c3', image: 'i' },
        { name: 'c3', image: 'j' },
      ],
    }),
  ],
  ['merges volumes without retaining', template({ volumes: [{ name: 'v1', configMap: { name: 'x' } }] })],
  ['sets quantities', template({ containers: [{ name: 'c2', resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }] })],
];

export const cases: readonly Case[] = [
  ...operations.map(([what, body]): Case => ({
    name: `json patch: ${what}`,
    steps: [post(maps, map, { codeOnly: true }), jsonPatch(`${maps}/a`, body), get(`${maps}/a`)],
  })),
  ...merges.map(([what, body]): Case => ({
    name: `merge patch ${what}`,
    steps: [post(maps, map, { codeOnly: true }), merge(`${maps}/a`, body), get(`${maps}/a`)],
  })),
  ...strategics.map(([what, body]): Case => ({
    name: `strategic patch ${what}`,
    steps: [post(deployments, deployment, { codeOnly: true }), strategic(`${deployments}/a`, body), get(`${deployments}/a`)],
  })),
  ...['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json'].map((type): Case => ({
    name: `${type} of a missing object`,
    steps: [patch(type, `${maps}/missing`, type.includes('json-patch') ? [] : {}), patch(type, `${maps}/missing`, '{')],
  })),
  {
    name: 'json patch on lists',
    steps: [
      post(deployments, deployment, { codeOnly: true }),
      jsonPatch(`${deployments}/a`, [{ op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'c3', image: 'i' } }]),
      jsonPatch(`${deployments}/a`, [{ op: 'add', path: '/spec/template/spec/containers/0', value: { name: 'c0', image: 'i' } }]),
      jsonPatch(`${deployments}/a`, [{ op: 'remove', path: '/spec/template/spec/containers/1' }]),
      jsonPatch(`${deployments}/a`, [{ op: 'remove', path: '/spec/template/spec/containers/9' }]),
      jsonPatch(`${deployments}/a`, [{ op: 'remove', path: '/spec/template/spec/containers/-1' }]),
      jsonPatch(`${deployments}/a`, [{ op: 'add', path: '/spec/template/spec/containers/x', value: {} }]),
      jsonPatch(`${deployments}/a`, [{ op: 'replace', path: '/spec/replicas', value: 'x' }]),
      jsonPatch(`${deployments}/a`, [{ op: 'replace', path: '/spec/replicas', value: -1 }]),
    ],
  },
  {
    name: 'a json patch of too many operations',
    steps: [
      post(maps, map, { codeOnly: true }),
      jsonPatch(
        `${maps}/a`,
        Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/k', value: 'v' })),
      ),
      jsonPatch(
        `${maps}/a`,
        Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/data/k', value: 'v' })),
      ),
    ],
  },
  {
    name: 'patches of a service',
    steps: [
      post(`${ns}/services`, {
        metadata: { name: 's' },
        spec: {
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81, protocol: 'UDP' },
          ],
          selector: { a: 'b' },
        },
      }),
      strategic(`${ns}/services/s`, { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
      strategic(`${ns}/services/s`, { spec: { ports: [{ port: 82, name: 'c' }] } }),
      strategic(`${ns}/services/s`, { spec: { ports: [{ port: 81, $patch: 'delete' }] } }),
      strategic(`${ns}/services/s`, { spec: { type: 'NodePort' } }),
      strategic(`${ns}/services/s`, { spec: { type: 'ClusterIP' } }),
      merge(`${ns}/services/s`, { spec: { clusterIP: '10.0.0.99' } }),
      strategic(`${ns}/services/s`, { spec: { selector: { c: 'd' } } }),
      merge(`${ns}/services/s`, { spec: { type: 'ExternalName', externalName: 'x.example.com' } }),
    ],
  },
  {
    name: 'patches of pod conditions and service account secrets',
    steps: [
      post(`${ns}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      strategic(`${ns}/pods/p/status`, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
      strategic(`${ns}/pods/p/status`, {
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'Other', status: 'True' },
          ],
        },
      }),
      strategic(`${ns}/pods/p/status`, {
        status: { '$setElementOrder/conditions': [{ type: 'Other' }, { type: 'Ready' }], conditions: [{ type: 'Ready', status: 'False' }] },
      }),
      strategic(`${ns}/pods/p/status`, { status: { podIPs: [{ ip: '192.0.2.1' }], podIP: '192.0.2.1' } }),
      strategic(`${ns}/serviceaccounts/default`, { secrets: [{ name: 'x' }], imagePullSecrets: [{ name: 'y' }] }),
      strategic(`${ns}/serviceaccounts/default`, { secrets: [{ name: 'z' }], imagePullSecrets: [{ name: 'z' }] }),
    ],
  },
  {
    name: 'patches of a custom resource',
    steps: [
      post(
        crdPath,
        crd({
          spec: { type: 'object', properties: { n: { type: 'integer' }, list: { type: 'array', items: { type: 'string' } } } },
          subresources: { status: {} },
        }),
        { codeOnly: true },
      ),
      established,
      served,
      post(widgetPath, widget({ n: 1, list: ['a', 'b'] })),
      merge(`${widgetPath}/a`, { spec: { n: 2, list: ['c'] } }),
      merge(`${widgetPath}/a`, { spec: { n: 'x' } }),
      merge(`${widgetPath}/a`, { spec: { unknown: 1 } }),
      merge(`${widgetPath}/a?fieldValidation=Strict`, { spec: { unknown: 1 } }),
      jsonPatch(`${widgetPath}/a`, [{ op: 'add', path: '/spec/list/-', value: 'd' }]),
      jsonPatch(`${widgetPath}/a`, [{ op: 'remove', path: '/spec/nothing' }]),
      merge(`${widgetPath}/a`, { apiVersion: '{{group}}/v9' }),
      merge(`${widgetPath}/a`, { kind: 'Other' }),
      merge(`${widgetPath}/missing`, {}),
      put(`${widgetPath}/a`, widget({ n: 3 }, { resourceVersion: '1' })),
    ],
  },
];
