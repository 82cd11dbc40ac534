import { apply, get, jsonPatch, merge, patch, post, put, strategic, type Case, type Step } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const item = `${maps}/a`;
const deployments = '/apis/apps/v1/namespaces/{{ns}}/deployments';
const services = `${ns}/services`;

const map = (data: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
});
const service = (ports: unknown, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { ports, ...spec },
});
const labels = { app: 'web' };
function deployment(spec: object, container: object = { image: 'i:1' }, podSpec: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: labels },
      ...spec,
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', ...container }], ...podSpec } },
    },
  };
}
const widgets = (spec: object): Step[] => [
  post(crdPath, crd({ spec, subresources: { status: {} } }), { codeOnly: true }),
  established,
  served,
];
const listOf = (listType: string | undefined, extra: object = {}): object => ({
  type: 'object',
  properties: {
    list: {
      type: 'array',
      ...(listType ? { 'x-kubernetes-list-type': listType } : {}),
      ...(listType === 'map' ? { 'x-kubernetes-list-map-keys': ['name'] } : {}),
      items:
        listType === 'set'
          ? { type: 'string' }
          : { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'string' } } },
      ...extra,
    },
  },
});

export const cases: readonly Case[] = [
  { name: 'creates what is missing', steps: [apply(item, map({ k: 'v' })), apply(item, map({ k: 'v' })), get(item)] },
  {
    name: 'two appliers conflict, force wins, an updater takes it back',
    steps: [
      apply(`${deployments}/a`, deployment({ replicas: 1 })),
      apply(`${deployments}/a`, deployment({ replicas: 2 }, { image: 'i:2' }), { manager: 'm2' }),
      apply(`${deployments}/a`, deployment({ replicas: 2 }, { image: 'i:2' }), { manager: 'm2', force: true }),
      merge(`${deployments}/a?fieldManager=m3`, { spec: { replicas: 5 } }),
      apply(`${deployments}/a`, deployment({ replicas: 2 }, { image: 'i:2' }), { manager: 'm2' }),
      get(`${deployments}/a`),
    ],
  },
  {
    name: 'sharing and giving up',
    steps: [
      apply(`${deployments}/a`, deployment({ replicas: 3 })),
      apply(`${deployments}/a`, deployment({ replicas: 3 }), { manager: 'm2' }),
      apply(`${deployments}/a`, deployment({})),
      apply(`${deployments}/a`, deployment({}), { manager: 'm2' }),
    ],
  },
  {
    name: 'an item applied by one and left out disappears',
    steps: [
      apply(
        `${deployments}/a`,
        deployment(
          {},
          {
            image: 'i:1',
            env: [
              { name: 'E', value: '1' },
              { name: 'F', value: '2' },
            ],
          },
        ),
      ),
      apply(`${deployments}/a`, deployment({}, { image: 'i:1', env: [{ name: 'F', value: '2' }] }), { manager: 'm2' }),
      apply(`${deployments}/a`, deployment({}, { image: 'i:1' })),
      apply(`${deployments}/a`, deployment({}, { image: 'i:1' }), { manager: 'm2' }),
    ],
  },
  {
    name: 'key defaults of ports',
    steps: [
      apply(`${services}/a`, service([{ port: 80 }])),
      apply(`${services}/a`, service([{ port: 80, protocol: 'TCP', targetPort: 8080 }]), { manager: 'm2' }),
      apply(
        `${services}/a`,
        service([
          { port: 80, name: 't' },
          { port: 80, protocol: 'UDP', name: 'u' },
        ]),
      ),
      apply(`${services}/a`, service([{ port: 80 }, { port: 80, protocol: 'TCP' }])),
      apply(`${services}/a`, service([{ port: 80, protocol: 'UDP', name: 'u' }])),
      apply(`${services}/a`, service([{ name: 'x' }])),
    ],
  },
  {
    name: 'duplicate keys in container ports and env',
    steps: [
      apply(`${deployments}/a`, deployment({}, { image: 'i', ports: [{ containerPort: 1 }, { containerPort: 1 }] })),
      apply(`${deployments}/a`, deployment({}, { image: 'i', env: [{ name: 'a' }, { name: 'a' }] })),
      apply(`${deployments}/a`, deployment({}, { image: 'i', ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'UDP' }] })),
    ],
  },
  {
    name: 'atomic selectors and lists',
    steps: [
      apply(`${services}/a`, service([{ port: 80 }], { selector: { a: '1', b: '2' } })),
      apply(`${services}/a`, service([{ port: 80 }], { selector: { a: '1' } }), { manager: 'm2' }),
      apply(`${services}/a`, service([{ port: 80 }], { selector: { a: '1' } }), { manager: 'm2', force: true }),
      apply(`${deployments}/a`, deployment({}, { image: 'i', args: ['a', 'b'] })),
      apply(`${deployments}/a`, deployment({}, { image: 'i', args: ['a'] }), { manager: 'm2' }),
      apply(`${deployments}/a`, deployment({}, { image: 'i', args: ['a'] }), { manager: 'm2', force: true }),
      apply(
        `${deployments}/a`,
        deployment({}, { image: 'i' }, { nodeSelector: { x: 'y' }, tolerations: [{ key: 'k', operator: 'Exists' }] }),
        { manager: 'm3' },
      ),
    ],
  },
  {
    name: 'finalizers are a set and owner references a map',
    steps: [
      apply(item, map({}, { finalizers: ['a.io/x'] })),
      apply(item, map({}, { finalizers: ['a.io/y'] }), { manager: 'm2' }),
      apply(item, map({}, { finalizers: ['a.io/y', 'a.io/y'] }), { manager: 'm2' }),
      apply(item, map({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1' }] }), { manager: 'm3' }),
      apply(item, map({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'other', uid: 'u1' }] }), { manager: 'm4' }),
      apply(item, map({})),
    ],
  },
  {
    name: 'the same manager by update and by apply',
    steps: [
      post(`${maps}?fieldManager=m1`, map({ k: 'v', l: 'w' })),
      apply(item, map({ k: 'v' })),
      apply(item, map({ k: 'x' })),
      apply(item, map({ k: 'x' }), { force: true }),
      put(`${item}?fieldManager=m1`, map({ k: 'y' })),
      apply(item, map({ k: 'z' })),
    ],
  },
  {
    name: 'an object without managed fields',
    steps: [
      post(maps, map({ k: 'v', l: 'w' })),
      merge(item, { metadata: { managedFields: [{}] } }),
      apply(item, map({ k: 'v' })),
      apply(item, map({ k: 'changed' })),
      apply(item, map({ k: 'changed' }), { force: true }),
    ],
  },
  {
    // Entries of one second are sorted by name, so the names must grow with time.
    name: 'many updaters become ancient',
    steps: [
      post(maps, map({ k: 'v' })),
      ...Array.from({ length: 14 }, (_, i) =>
        merge(`${item}?fieldManager=u${10 + i}`, { data: { [`k${i}`]: 'v' } }, { codeOnly: i % 4 !== 1 }),
      ),
      get(item),
      apply(item, map({ k0: 'mine' })),
      apply(item, map({ k0: 'mine' }), { force: true }),
    ],
  },
  {
    name: 'status and spec are kept apart',
    steps: [
      apply(`${deployments}/a`, { ...deployment({ replicas: 1 }), status: { replicas: 9 } }),
      apply(
        `${deployments}/a/status`,
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'a', labels: { l: 'm' } },
          spec: { replicas: 7 },
          status: { replicas: 4, observedGeneration: 1 },
        },
        { manager: 'ctl' },
      ),
      merge(`${deployments}/a/status?fieldManager=other`, { status: { replicas: 5 } }),
      apply(
        `${deployments}/a/status`,
        { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, status: { replicas: 4 } },
        { manager: 'ctl' },
      ),
      apply(
        `${deployments}/a/status`,
        { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, status: { replicas: 4 } },
        { manager: 'ctl', force: true },
      ),
      apply(`${deployments}/missing/status`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'missing' },
        status: { replicas: 4 },
      }),
    ],
  },
  {
    name: 'conditions are keyed by type',
    steps: [
      post(`${ns}/pods`, { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      apply(`${ns}/pods/a/status`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        status: { conditions: [{ type: 'A', status: 'True' }] },
      }),
      apply(
        `${ns}/pods/a/status`,
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, status: { conditions: [{ type: 'B', status: 'True' }] } },
        { manager: 'm2' },
      ),
      apply(
        `${ns}/pods/a/status`,
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, status: { conditions: [{ type: 'A', status: 'False' }] } },
        { manager: 'm2' },
      ),
      apply(`${ns}/pods/a/status`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, status: {} }),
    ],
  },
  {
    name: 'scaling conflicts with the applier',
    steps: [
      apply(`${deployments}/a`, deployment({ replicas: 1 })),
      merge(`${deployments}/a/scale?fieldManager=hpa`, { spec: { replicas: 4 } }),
      apply(`${deployments}/a`, deployment({ replicas: 1 })),
      apply(`${deployments}/a`, deployment({})),
      apply(`${deployments}/a`, deployment({ replicas: 4 })),
      merge(`${deployments}/a/scale?fieldManager=hpa`, { spec: { replicas: 6 } }),
    ],
  },
  ...(
    [
      ['no manager', patch('application/apply-patch+yaml', item, map({}))],
      ['an empty manager', apply(item, map({}), { manager: '' })],
      ['managed fields', apply(item, map({}, { managedFields: [{}] }))],
      ['empty managed fields', apply(item, map({}, { managedFields: [] }))],
      ['no kind', apply(item, { apiVersion: 'v1', metadata: { name: 'a' } })],
      ['no version', apply(item, { kind: 'ConfigMap', metadata: { name: 'a' } })],
      ['neither kind nor version', apply(item, { metadata: { name: 'a' } })],
      ['another kind', apply(item, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } })],
      ['another version', apply(item, { apiVersion: 'v9', kind: 'ConfigMap', metadata: { name: 'a' } })],
      ['no name', apply(item, { apiVersion: 'v1', kind: 'ConfigMap' })],
      ['another name', apply(item, map({}, { name: 'b' }))],
      ['another namespace', apply(item, map({}, { namespace: 'other' }))],
      ['an unknown field', apply(item, { ...map({}), surprise: 1 })],
      ['an unknown field in depth', apply(`${deployments}/a`, deployment({ foo: 1 }))],
      ['a wrong type', apply(`${deployments}/a`, deployment({ replicas: 'x' }))],
      ['a wrong shape', apply(item, { ...map({}), data: [] })],
      ['a uid', apply(item, map({}, { uid: '11111111-2222-4333-8444-555555555555' }))],
      ['a resource version', apply(item, map({}, { resourceVersion: '5' }))],
      ['an invalid value', apply(item, map({}, { labels: { a: 'b c' } }))],
      ['a generateName', apply(item, map({}, { name: '', generateName: 'a-' }))],
      ['a list', apply(item, '[]')],
      ['broken yaml', apply(item, 'a: b: c')],
      ['nothing', apply(item, '')],
      ['null', apply(item, 'null')],
      ['two documents', apply(item, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\na: b\n')],
      ['plain yaml', apply(item, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v # comment\n')],
      ['yaml numbers for strings', apply(item, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: 1\n')],
      ['yaml that says yes', apply(item, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: yes\n')],
      ['yaml aliases', apply(item, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: &d\n  k: v\nbinaryData: *d\n')],
      ['null values', apply(item, { ...map({ k: null as unknown as string }), binaryData: null })],
      ['empty maps', apply(item, { ...map({}), binaryData: {} })],
      ['an unknown namespace', apply('/api/v1/namespaces/no-such-{{id}}/configmaps/a', map({}))],
      ['force on another patch', patch('application/merge-patch+json', `${item}?force=true`, {})],
      ['force=false on another patch', patch('application/merge-patch+json', `${item}?force=false`, {})],
      ['a bad force', apply(`${item}?force=maybe`, map({}))],
      ['a long manager', apply(item, map({}), { manager: 'x'.repeat(129) })],
    ] as const
  ).map(([what, step]): Case => ({
    name: `with ${what}`,
    steps: [step, get(what.includes('depth') || what.includes('wrong type') ? `${deployments}/a` : item)],
  })),
  {
    name: 'onto an existing object with the wrong version or uid',
    steps: [
      apply(item, map({ k: 'v' })),
      apply(item, map({ k: 'w' }, { resourceVersion: '1' })),
      apply(item, map({ k: 'w' }, { uid: '11111111-2222-4333-8444-555555555555' })),
      apply(item, map({ k: 'w' }, { resourceVersion: 'x' })),
    ],
  },
  {
    name: 'null removes and empty stays',
    steps: [
      apply(item, map({ k: 'v' }, { labels: { a: 'b' }, annotations: { c: 'd' } })),
      apply(item, map({}, { labels: {} })),
      apply(item, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      apply(item, map({ k: 'v' }, { labels: null })),
    ],
  },
  {
    name: 'dry run and force together',
    steps: [
      apply(item, map({ k: 'v' })),
      apply(`${item}?dryRun=All`, map({ k: 'w' }), { manager: 'm2' }),
      apply(`${item}?dryRun=All`, map({ k: 'w' }), { manager: 'm2', force: true }),
      get(item),
    ],
  },
  {
    name: 'kubectl moves a client-side object to server-side apply',
    steps: [
      post(
        `${maps}?fieldManager=kubectl-client-side-apply`,
        map({ k: 'v', l: 'w' }, { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } }),
      ),
      apply(item, map({ k: 'v' }), { manager: 'kubectl' }),
      apply(
        item,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"x":1}' } },
        },
        { manager: 'kubectl-last-applied', force: true },
      ),
      get(item, { capture: { rv: 'metadata.resourceVersion' } }),
      jsonPatch(item, [
        {
          op: 'replace',
          path: '/metadata/managedFields',
          value: [
            {
              manager: 'kubectl',
              operation: 'Apply',
              apiVersion: 'v1',
              time: '2024-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {}, 'f:l': {} } },
            },
          ],
        },
        { op: 'replace', path: '/metadata/resourceVersion', value: '{{rv}}' },
      ]),
      apply(item, map({ k: 'v' }), { manager: 'kubectl' }),
      jsonPatch(item, [
        { op: 'replace', path: '/metadata/managedFields', value: [] },
        { op: 'replace', path: '/metadata/resourceVersion', value: '{{rv}}' },
      ]),
    ],
  },
  {
    name: 'other verbs take fields from the applier',
    steps: [
      apply(`${deployments}/a`, deployment({ replicas: 2 }, { image: 'i:1', env: [{ name: 'A', value: '1' }] })),
      strategic(`${deployments}/a?fieldManager=s`, {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  env: [
                    { name: 'A', $patch: 'delete' },
                    { name: 'B', value: '2' },
                  ],
                },
              ],
            },
          },
        },
      }),
      jsonPatch(`${deployments}/a?fieldManager=j`, [{ op: 'remove', path: '/spec/replicas' }]),
      merge(`${deployments}/a?fieldManager=m`, { spec: { template: { spec: { containers: [{ name: 'd', image: 'x' }] } } } }),
      apply(`${deployments}/a`, deployment({ replicas: 2 }, { image: 'i:1', env: [{ name: 'A', value: '1' }] })),
      apply(`${deployments}/a`, deployment({ replicas: 2 }, { image: 'i:1', env: [{ name: 'A', value: '1' }] }), { force: true }),
    ],
  },
  {
    name: 'quantities and int-or-strings compare by value',
    steps: [
      apply(`${deployments}/a`, deployment({}, { image: 'i', resources: { limits: { cpu: '1000m', memory: '1024Mi' } } })),
      apply(`${deployments}/a`, deployment({}, { image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' } } }), { manager: 'm2' }),
      apply(`${deployments}/a`, deployment({ strategy: { rollingUpdate: { maxSurge: 1 } } }), { manager: 'm3' }),
      apply(`${deployments}/a`, deployment({ strategy: { rollingUpdate: { maxSurge: '1' } } }), { manager: 'm4' }),
    ],
  },
  ...(['set', 'map', 'atomic', undefined] as const).map((listType): Case => {
    const items = (...names: string[]): object =>
      widget({ list: listType === 'set' ? names : names.map(name => ({ name, value: `${name}!` })) });
    return {
      name: `custom resource lists of type ${listType ?? 'none'}`,
      steps: [
        ...widgets(listOf(listType)),
        apply(`${widgetPath}/a`, items('x', 'y')),
        apply(`${widgetPath}/a`, items('z'), { manager: 'm2' }),
        apply(`${widgetPath}/a`, items('z', 'x'), { manager: 'm2', force: true }),
        apply(`${widgetPath}/a`, items('x', 'x'), { manager: 'm3' }),
        apply(`${widgetPath}/a`, items()),
        apply(`${widgetPath}/a`, widget(undefined)),
        merge(`${widgetPath}/a`, { spec: { list: null } }),
      ],
    };
  }),
  {
    name: 'custom resource maps, preserved fields and embedded numbers',
    steps: [
      ...widgets({
        type: 'object',
        properties: {
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          granular: { type: 'object', additionalProperties: { type: 'string' } },
          atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          n: { type: 'number' },
          i: { type: 'integer' },
          ios: { 'x-kubernetes-int-or-string': true },
          nullable: { type: 'string', nullable: true },
        },
      }),
      apply(
        `${widgetPath}/a`,
        widget({ free: { a: { b: [1, 2] } }, granular: { a: '1' }, atomic: { a: '1' }, n: 1.5, i: 1, ios: 5, nullable: null }),
      ),
      apply(`${widgetPath}/a`, widget({ free: { a: { c: 1 } }, granular: { b: '1' }, atomic: { b: '1' } }), { manager: 'm2' }),
      apply(`${widgetPath}/a`, widget({ free: { a: { c: 1 } }, granular: { b: '1' }, atomic: { b: '1' } }), { manager: 'm2', force: true }),
      apply(`${widgetPath}/a`, widget({ free: { a: { b: [3] } } }), { manager: 'm3' }),
      apply(`${widgetPath}/a`, widget({ unknown: 1 }), { manager: 'm3' }),
      apply(`${widgetPath}/a`, widget({ n: 1.5, ios: '5' }), { manager: 'm4' }),
      apply(`${widgetPath}/a`, widget({ i: 'x' }), { manager: 'm4' }),
      apply(
        `${widgetPath}/a`,
        { apiVersion: '{{group}}/v1', kind: 'Widget', metadata: { name: 'a' }, status: { x: 1 } },
        { manager: 'm5' },
      ),
      apply(
        `${widgetPath}/a/status`,
        { apiVersion: '{{group}}/v1', kind: 'Widget', metadata: { name: 'a' }, status: { x: 1 } },
        { manager: 'm5' },
      ),
    ],
  },
  {
    name: 'custom resource defaults are owned by nobody',
    steps: [
      ...widgets({
        type: 'object',
        default: {},
        properties: {
          color: { type: 'string', default: 'red' },
          list: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name', 'protocol'],
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, protocol: { type: 'string', default: 'TCP' }, v: { type: 'integer', default: 3 } },
            },
          },
        },
      }),
      apply(`${widgetPath}/a`, widget(undefined)),
      apply(`${widgetPath}/a`, widget({ color: 'blue', list: [{ name: 'x' }] })),
      apply(`${widgetPath}/a`, widget({ list: [{ name: 'x', protocol: 'TCP', v: 3 }] }), { manager: 'm2' }),
      apply(`${widgetPath}/a`, widget({ list: [{ name: 'x' }, { name: 'x', protocol: 'UDP' }] })),
    ],
  },
];
