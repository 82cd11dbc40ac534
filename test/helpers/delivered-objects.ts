import * as fc from 'fast-check';
import type { KubeObject } from '../../src/api/object.ts';
import type { JsonObject } from '../../src/util/json.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const text = fc.oneof(word, fc.constant(''), fc.constantFrom('1000m', '1', 'true', '"', 'ü\n', '0x10'));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const words = (value: fc.Arbitrary<string>) => fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true });
const quantity = fc.constantFrom('1', '1000m', '0.5', '1024Mi', '1Gi', '1e3', '100k', 2, 0.1);
const resources = fc.record(
  {
    limits: fc.record({ cpu: quantity, memory: quantity }, { requiredKeys: [], noNullPrototype: true }),
    requests: fc.constant({}),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const unique = <T extends object>(item: fc.Arbitrary<T>, key: (item: T) => unknown, maxLength = 3) =>
  fc.uniqueArray(item, { selector: key, maxLength });

const port = fc.record(
  { containerPort: fc.integer({ min: 1, max: 5 }), protocol: fc.constantFrom('TCP', 'UDP'), hostPort: fc.constant(0) },
  { requiredKeys: ['containerPort'], noNullPrototype: true },
);
const probe = fc.record(
  {
    httpGet: fc.record({ path: fc.constant('/'), port: fc.constantFrom(80, 'http') }, { noNullPrototype: true }),
    periodSeconds: fc.integer({ min: 0, max: 9 }),
  },
  { requiredKeys: ['httpGet'], noNullPrototype: true },
);
const container = fc.record(
  {
    name: word,
    image: word,
    args: fc.array(text, { maxLength: 3 }),
    env: unique(fc.record({ name: word, value: text }, { noNullPrototype: true }), ({ name }) => name),
    ports: unique(port, ({ containerPort, protocol = 'TCP' }) => `${containerPort}${protocol}`),
    resources,
    livenessProbe: probe,
    tty: fc.boolean(),
    imagePullPolicy: fc.constantFrom('Always', 'Never', ''),
    securityContext: fc.record({ privileged: fc.boolean(), runAsUser: fc.nat(3) }, { requiredKeys: [], noNullPrototype: true }),
  },
  { requiredKeys: ['name', 'image'], noNullPrototype: true },
);
const podSpec = fc.record(
  {
    containers: fc.uniqueArray(container, { selector: ({ name }) => name, minLength: 1, maxLength: 2 }),
    hostNetwork: fc.constant(false),
    nodeSelector: words(word),
    tolerations: fc.array(fc.record({ key: word, operator: fc.constant('Exists') }, { noNullPrototype: true }), { maxLength: 2 }),
    terminationGracePeriodSeconds: fc.nat(60),
  },
  { requiredKeys: ['containers'], noNullPrototype: true },
);

const labels = fc.dictionary(fc.oneof(word, fc.constant('app.kubernetes.io/name')), fc.oneof(word, fc.constant('')), {
  maxKeys: 2,
  noNullPrototype: true,
});
const count = fc.nat(5);

/** What is left out is absent, as in a manifest; the odd null is there too. */
const clean = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

function kindOf(apiVersion: string, kind: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<KubeObject> {
  return fc
    .record({
      labels: maybe(labels),
      annotations: maybe(words(text)),
      creationTimestamp: maybe(fc.constant(null)),
      fields: fc.record(fields),
    })
    .map(
      ({ fields: rest, ...metadata }) => clean({ apiVersion, kind, metadata, ...rest } as unknown as JsonObject) as unknown as KubeObject,
    );
}

const workload = (apiVersion: string, kind: string, more: Record<string, fc.Arbitrary<unknown>>) =>
  kindOf(apiVersion, kind, {
    spec: fc.record({
      selector: fc.constant({ matchLabels: { app: 'x' } }),
      template: podSpec.map(spec => ({ metadata: { labels: { app: 'x' } }, spec })),
      ...more,
    }),
  });

const kinds: readonly fc.Arbitrary<KubeObject>[] = [
  kindOf('v1', 'ConfigMap', { data: maybe(words(text)), immutable: maybe(fc.constant(false)) }),
  kindOf('v1', 'Secret', {
    data: maybe(words(word.map(value => Buffer.from(value).toString('base64')))),
    stringData: maybe(words(text)),
    type: fc.constantFrom('Opaque', undefined),
  }),
  kindOf('v1', 'ServiceAccount', { automountServiceAccountToken: maybe(fc.boolean()) }),
  kindOf('v1', 'Service', {
    spec: fc.record({
      selector: maybe(words(word)),
      ports: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }).chain(numbers =>
        fc.tuple(
          ...numbers.map(number =>
            fc.record({
              port: fc.constant(number),
              name: fc.constant(`p${number}`),
              targetPort: maybe(fc.constantFrom(80, 'http')),
              protocol: fc.constantFrom('TCP', undefined),
            }),
          ),
        ),
      ),
      type: fc.constantFrom('ClusterIP', 'NodePort', undefined),
      sessionAffinity: fc.constantFrom('None', '', undefined),
    }),
  }),
  workload('apps/v1', 'Deployment', { replicas: maybe(count), paused: maybe(fc.boolean()), strategy: fc.constantFrom({}, undefined) }),
  workload('apps/v1', 'StatefulSet', { replicas: maybe(count), serviceName: word }),
  workload('apps/v1', 'DaemonSet', { minReadySeconds: maybe(count) }),
  kindOf('rbac.authorization.k8s.io/v1', 'Role', {
    rules: fc.array(
      fc.record({ apiGroups: fc.constant(['']), resources: fc.array(word, { minLength: 1, maxLength: 2 }), verbs: fc.constant(['get']) }),
      {
        maxLength: 2,
      },
    ),
  }),
  kindOf('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: fc.constant({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }),
    subjects: fc.array(fc.record({ kind: fc.constantFrom('User', 'Group'), name: word }), { maxLength: 2 }),
  }),
  kindOf('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: fc.record({
      podSelector: fc.constant({}),
      ingress: fc.array(fc.record({ ports: fc.array(fc.record({ port: fc.constantFrom(80, 'http') }), { maxLength: 2 }) }), {
        maxLength: 2,
      }),
    }),
  }),
  kindOf('policy/v1', 'PodDisruptionBudget', {
    spec: fc.record({ maxUnavailable: fc.constantFrom(1, '50%'), selector: fc.constant({ matchLabels: { app: 'x' } }) }),
  }),
];

let made = 0;

/** Manifests as people and charts write them: with defaults left out, empty values, and quantities in odd forms. Each has its own name. */
export function anyDelivered(namespace: string): fc.Arbitrary<KubeObject> {
  return fc.oneof(...kinds).map(obj => ({ ...obj, metadata: { ...obj.metadata, name: `made-${++made}`, namespace } }));
}
