import fc from 'fast-check';

type Document = Record<string, unknown>;

/** A kind whose objects random writes change. */
export interface RandomKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly takesStrategic: boolean;
  /** Complete: accepted by POST and PUT. */
  readonly base: Document;
  /** Parts of an object, as they are put, applied or merged. Null removes. */
  readonly part: (mayBeNull: boolean) => fc.Arbitrary<Document>;
  /** Places that JSON patches aim at, with values. */
  readonly targets: readonly (readonly [string, fc.Arbitrary<unknown>])[];
}

export const randomGroup = 'random.example.com';

const word = fc.constantFrom('0', '1', '2');
const some = (fields: Record<string, fc.Arbitrary<unknown>>, required: readonly string[] = []): fc.Arbitrary<Document> =>
  fc.record(fields, { requiredKeys: [...required] });
const orNull = (value: fc.Arbitrary<unknown>, mayBeNull: boolean): fc.Arbitrary<unknown> =>
  mayBeNull ? fc.option(value, { freq: 5 }) : value;
const texts = (keys: readonly string[], mayBeNull: boolean): fc.Arbitrary<Document> =>
  some(Object.fromEntries(keys.map(key => [key, orNull(word, mayBeNull)])));
const keyed = (key: string, keys: readonly unknown[], rest: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Document[]> =>
  fc.uniqueArray(some({ [key]: fc.constantFrom(...keys), ...rest }, [key]), { selector: item => item[key], maxLength: keys.length });
const metadata = (mayBeNull: boolean): fc.Arbitrary<Document> =>
  some({ labels: orNull(texts(['x', 'y'], mayBeNull), mayBeNull), annotations: texts(['p', 'q'], mayBeNull) });
/** For custom resources: maps without entries, when they are applied, are a known difference. */
const filledMetadata = (mayBeNull: boolean): fc.Arbitrary<Document> =>
  metadata(mayBeNull).filter(one => mayBeNull || Object.values(one).every(map => Object.keys(map as Document).length > 0));

const container = some(
  {
    name: fc.constantFrom('c1', 'c2', 'c3'),
    image: fc.constantFrom('i:1', 'i:2'),
    args: fc.array(word, { maxLength: 2 }),
    env: keyed('name', ['A', 'B', 'C'], { value: word }),
    ports: keyed('containerPort', [80, 81], { name: fc.constantFrom('a', 'b'), protocol: fc.constantFrom('TCP', 'UDP') }),
    resources: some({ limits: some({ cpu: fc.constantFrom('1', '1000m', '500m'), memory: fc.constantFrom('1Gi', '1024Mi') }) }),
  },
  ['name', 'image'],
);
const labels = { app: 'web' };

export const randomKinds: readonly RandomKind[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    path: '/api/v1/namespaces/default/configmaps',
    takesStrategic: true,
    base: { data: { a: '0', b: '0' } },
    part: mayBeNull => some({ metadata: metadata(mayBeNull), data: orNull(texts(['a', 'b', 'c', 'd'], mayBeNull), mayBeNull) }),
    targets: [
      ['/data/a', word],
      ['/data/z', word],
      ['/data', texts(['a', 'e'], false)],
      ['/metadata/labels', texts(['x', 'y'], false)],
      ['/metadata/labels/x', word],
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    path: '/api/v1/namespaces/default/services',
    takesStrategic: true,
    base: { spec: { selector: { a: '0' }, ports: [{ name: 'p80', port: 80 }] } },
    part: mayBeNull =>
      some({
        metadata: metadata(mayBeNull),
        spec: some({
          selector: texts(['a', 'b'], mayBeNull),
          sessionAffinity: orNull(fc.constantFrom('None', 'ClientIP'), mayBeNull),
          ports: keyed('port', [80, 81, 82], {
            name: fc.constantFrom('p80', 'p81', 'p82'),
            protocol: fc.constantFrom('TCP', 'UDP'),
            targetPort: fc.constantFrom<unknown>(8080, 'web'),
          }),
        }),
      }),
    targets: [
      ['/spec/ports/0/targetPort', fc.constantFrom<unknown>(8080, 'web')],
      ['/spec/ports/-', fc.constantFrom<unknown>({ name: 'x', port: 90 }, { name: 'y', port: 91, protocol: 'UDP' })],
      ['/spec/selector', texts(['a', 'b'], false)],
      ['/spec/sessionAffinity', fc.constantFrom('None', 'ClientIP')],
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    path: '/apis/apps/v1/namespaces/default/deployments',
    takesStrategic: true,
    base: {
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c1', image: 'i:1' }] } } },
    },
    part: mayBeNull =>
      some({
        metadata: metadata(mayBeNull),
        spec: some({
          replicas: orNull(fc.integer({ min: 0, max: 3 }), mayBeNull),
          strategy: fc.constantFrom<unknown>({ type: 'Recreate' }, { type: 'RollingUpdate' }, { rollingUpdate: { maxSurge: 1 } }),
          template: some({
            spec: some({
              containers: fc.uniqueArray(container, { selector: c => c['name'], minLength: 1, maxLength: 3 }),
              nodeSelector: orNull(texts(['n', 'm'], mayBeNull), mayBeNull),
              tolerations: fc.uniqueArray(some({ key: word, operator: fc.constant('Exists') }, ['key', 'operator']), {
                selector: t => t['key'],
                maxLength: 2,
              }),
              volumes: keyed('name', ['v1', 'v2'], { emptyDir: fc.constant({}) }),
              terminationGracePeriodSeconds: orNull(fc.integer({ min: 0, max: 2 }), mayBeNull),
            }),
          }),
        }),
      }),
    targets: [
      ['/spec/replicas', fc.integer({ min: 0, max: 3 })],
      ['/spec/template/spec/containers/0/image', fc.constantFrom('i:1', 'i:2')],
      ['/spec/template/spec/containers/-', container],
      ['/spec/template/spec/containers/0', container],
      ['/spec/template/spec/nodeSelector', texts(['n'], false)],
      ['/spec/template/spec/containers/0/env', keyed('name', ['A', 'B'], { value: word })],
    ],
  },
  {
    apiVersion: `${randomGroup}/v1`,
    kind: 'Widget',
    path: `/apis/${randomGroup}/v1/namespaces/default/widgets`,
    takesStrategic: false,
    base: { spec: { n: 1 } },
    part: mayBeNull =>
      some({
        metadata: filledMetadata(mayBeNull),
        spec: some({
          n: orNull(fc.integer({ min: 0, max: 3 }), mayBeNull),
          set: fc.uniqueArray(word, { maxLength: 3 }),
          map: keyed('name', ['a', 'b', 'c'], { value: word, size: fc.integer({ min: 1, max: 2 }) }),
          atomic: fc.array(word, { maxLength: 3 }),
          granular: orNull(texts(['a', 'b'], mayBeNull), mayBeNull),
          whole: texts(['a', 'b'], mayBeNull),
          free: fc.oneof(texts(['a', 'b'], mayBeNull), some({ list: fc.array(word, { maxLength: 2 }), deep: texts(['c'], mayBeNull) })),
        }),
      }),
    targets: [
      ['/spec/n', fc.integer({ min: 0, max: 3 })],
      ['/spec/set', fc.uniqueArray(word, { maxLength: 3 })],
      ['/spec/set/-', word],
      ['/spec/map/0/value', word],
      ['/spec/free/x', word],
      ['/spec/granular', texts(['a', 'b'], false)],
    ],
  },
];

const text = { type: 'string' };
export const randomDefinition: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${randomGroup}` },
  spec: {
    group: randomGroup,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  n: { type: 'integer', default: 2 },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
                  map: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: text, value: text, size: { type: 'integer', default: 1 } },
                    },
                  },
                  atomic: { type: 'array', items: text },
                  granular: { type: 'object', additionalProperties: text },
                  whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};
