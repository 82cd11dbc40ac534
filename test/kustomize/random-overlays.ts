import fc from 'fast-check';
import type { OverlayCase } from './overlay-cases.ts';

/** Small pools, so that names meet. */
const name = fc.constantFrom('web', 'db', 'api', 'w-1');
const namespace = fc.constantFrom('prod', 'dev', 'default');
const key = fc.constantFrom('app', 'tier', 'example.com/x', 'env');
const text = fc.constantFrom('a', 'b', '1', 'true', '', 'x y', 'multi\nline', '$(VAR)', 'v:1', '2020-01-01', 'null');
const textMap = fc.dictionary(key, text, { maxKeys: 3 });
const scalar = fc.oneof(text, fc.integer({ min: -5, max: 70_000 }), fc.boolean(), fc.constant(null), fc.constantFrom(1.5, 1e7, 0.1));

const metadata = fc.record(
  { name, namespace, labels: textMap, annotations: fc.dictionary(key, scalar, { maxKeys: 2 }) },
  { requiredKeys: ['name'] },
);

const envVar = fc.oneof(
  fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: text }),
  fc.record({ name: fc.constantFrom('A', 'D'), valueFrom: fc.record({ configMapKeyRef: fc.record({ name, key: fc.constant('k') }) }) }),
);
const container = fc.record(
  {
    name: fc.constantFrom('main', 'side', 'init'),
    image: fc.constantFrom('nginx', 'nginx:1', 'reg.io/app:2', 'app@sha256:00'),
    args: fc.array(text, { maxLength: 2 }),
    env: fc.uniqueArray(envVar, { maxLength: 3, selector: v => v.name }),
    ports: fc.array(
      fc.record({ containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom('TCP', 'UDP') }, { requiredKeys: ['containerPort'] }),
      {
        maxLength: 2,
      },
    ),
    resources: fc.record({ limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('1', 2, '1Gi')) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name'] },
);
const volume = fc.record(
  { name: fc.constantFrom('v', 'w'), configMap: fc.record({ name }), secret: fc.record({ secretName: name }), emptyDir: fc.constant({}) },
  { requiredKeys: ['name'] },
);
const byName = { maxLength: 3, selector: (item: { name: string }) => item.name };
const podSpec = fc.record(
  {
    containers: fc.uniqueArray(container, byName),
    initContainers: fc.uniqueArray(container, byName),
    volumes: fc.uniqueArray(volume, byName),
    serviceAccountName: name,
    nodeSelector: textMap,
    tolerations: fc.array(fc.record({ key: text }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const workloadSpec = fc.record(
  {
    replicas: fc.constantFrom(1, 2),
    selector: fc.record({ matchLabels: textMap }),
    template: fc.record({ metadata: fc.record({ labels: textMap }, { requiredKeys: [] }), spec: podSpec }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const workload = fc.record({
  apiVersion: fc.constant('apps/v1'),
  kind: fc.constantFrom('Deployment', 'StatefulSet', 'DaemonSet'),
  metadata,
  spec: workloadSpec,
});
const configMap = fc.record(
  { apiVersion: fc.constant('v1'), kind: fc.constant('ConfigMap'), metadata, data: fc.dictionary(key, scalar, { maxKeys: 3 }) },
  { requiredKeys: ['apiVersion', 'kind', 'metadata'] },
);
const servicePort = fc.record({ port: fc.constantFrom(80, 443), protocol: fc.constantFrom('TCP', 'UDP') }, { requiredKeys: ['port'] });
const serviceSpec = fc.record({ selector: textMap, ports: fc.array(servicePort, { maxLength: 2 }) }, { requiredKeys: [] });
const service = fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('Service'), metadata, spec: serviceSpec });
const account = fc.record({ apiVersion: fc.constant('v1'), kind: fc.constantFrom('ServiceAccount', 'Secret', 'Namespace'), metadata });
const binding = fc.record({
  apiVersion: fc.constant('rbac.authorization.k8s.io/v1'),
  kind: fc.constantFrom('RoleBinding', 'ClusterRoleBinding'),
  metadata,
  roleRef: fc.record({ apiGroup: fc.constant('rbac.authorization.k8s.io'), kind: fc.constantFrom('Role', 'ClusterRole'), name }),
  subjects: fc.array(
    fc.record(
      { kind: fc.constant('ServiceAccount'), name: fc.oneof(name, fc.constant('default')), namespace },
      { requiredKeys: ['kind', 'name'] },
    ),
    {
      maxLength: 2,
    },
  ),
});
const custom = fc.record({
  apiVersion: fc.constant('example.com/v1'),
  kind: fc.constant('Thing'),
  metadata,
  spec: fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), textMap), { maxKeys: 3 }),
});
const object = fc.oneof(workload, configMap, service, account, binding, custom);

const selector = fc.record(
  {
    kind: fc.constantFrom('Deployment', 'ConfigMap', '.*Set', 'Service'),
    name: fc.constantFrom('web', 'w.*', 'db|api', '.*'),
    namespace,
    labelSelector: fc.constantFrom('app', 'app=a', 'tier in (a,b)', '!env'),
  },
  { requiredKeys: ['kind'] },
);
const operation = fc.oneof(
  fc.record({
    op: fc.constantFrom('add', 'replace'),
    path: fc.constantFrom('/metadata/labels', '/data', '/spec/replicas', '/spec/template/spec/containers/0/image'),
    value: fc.oneof(scalar, textMap),
  }),
  fc.record({ op: fc.constant('remove'), path: fc.constantFrom('/data', '/metadata/labels', '/spec/replicas') }),
);
/** What a patch may say of each kind; which of it is used follows from the object it is for. */
const patch = fc.record({
  index: fc.nat(20),
  metadata: fc.record({ labels: textMap, annotations: textMap }, { requiredKeys: [] }),
  workload: workloadSpec,
  service: serviceSpec,
  data: fc.dictionary(key, scalar, { maxKeys: 3 }),
  directive: fc.constantFrom(undefined, undefined, undefined, undefined, 'delete', 'replace', 'merge'),
  target: fc.option(selector),
  options: fc.record({ allowNameChange: fc.boolean(), allowKindChange: fc.boolean() }, { requiredKeys: [] }),
  operations: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(operation, { minLength: 1, maxLength: 2 }) },
  ),
});
type Patch = typeof patch extends fc.Arbitrary<infer T> ? T : never;
type Layer = typeof layer extends fc.Arbitrary<infer T> ? T : never;
type Generated = typeof object extends fc.Arbitrary<infer T> ? T : never;

function printPatch(
  { index, metadata: meta, directive, target, options, operations, ...bodies }: Patch,
  objects: readonly Generated[],
): object {
  const { apiVersion, kind, metadata: found } = objects[index % objects.length]!;
  if (operations.length > 0) return { patch: JSON.stringify(operations), target: { kind, name: found.name } };
  const spec =
    'spec' in objects[index % objects.length]!
      ? kind === 'Service'
        ? bodies.service
        : kind === 'Thing'
          ? bodies.data
          : bodies.workload
      : undefined;
  const changed = spec && directive && directive !== 'delete' ? { $patch: directive, ...spec } : spec;
  const { name: named, namespace: inNamespace } = found;
  const body = {
    apiVersion,
    kind,
    metadata: { name: named, ...(inNamespace && { namespace: inNamespace }), ...meta },
    ...(changed && { spec: changed }),
    ...(kind === 'ConfigMap' && { data: bodies.data }),
    ...(directive && !changed && { $patch: directive }),
  };
  // A ConfigMap that was generated and becomes something else is refused by ours: its hash would depend on lines and columns.
  const { allowKindChange, ...others } = options;
  const safe = target?.kind === 'ConfigMap' ? others : { ...others, ...(allowKindChange && { allowKindChange }) };
  return { patch: JSON.stringify(body), ...(target && { target, options: safe }) };
}

const generator = fc.record(
  {
    name,
    literals: fc.uniqueArray(fc.constantFrom('k=v', 'a=1', 'b=x y', 'c='), { maxLength: 3 }),
    behavior: fc.constantFrom('create', 'merge', 'replace'),
    options: fc.record({ labels: textMap, disableNameSuffixHash: fc.boolean(), immutable: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name', 'literals'] },
);
const replacement = fc.record({
  source: fc.record(
    {
      kind: fc.constantFrom('ConfigMap', 'Service', 'Deployment'),
      name,
      fieldPath: fc.constantFrom('metadata.name', 'data.app', 'metadata.namespace'),
    },
    { requiredKeys: ['kind', 'name'] },
  ),
  targets: fc.array(
    fc.record({
      select: selector,
      fieldPaths: fc.array(
        fc.constantFrom(
          'metadata.labels.app',
          'data.tier',
          'spec.template.spec.containers.[name=main].image',
          'spec.template.spec.containers.*.name',
        ),
        { minLength: 1, maxLength: 2 },
      ),
      options: fc.record(
        { create: fc.boolean(), delimiter: fc.constant(':'), index: fc.integer({ min: -1, max: 2 }) },
        { requiredKeys: [] },
      ),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

const fields = {
  namePrefix: fc.constantFrom('p-', 'dev-'),
  nameSuffix: fc.constantFrom('-s', '-1'),
  namespace,
  commonLabels: textMap,
  labels: fc.array(
    fc.record({ pairs: textMap, includeSelectors: fc.boolean(), includeTemplates: fc.boolean() }, { requiredKeys: ['pairs'] }),
    { maxLength: 2 },
  ),
  commonAnnotations: textMap,
  images: fc.array(
    fc.record(
      {
        name: fc.constantFrom('nginx', 'app', 'reg.io/app'),
        newTag: fc.constantFrom('9', 'latest'),
        newName: fc.constantFrom('new', 'r/x'),
      },
      { requiredKeys: ['name'] },
    ),
    { maxLength: 2 },
  ),
  configMapGenerator: fc.array(generator, { maxLength: 2 }),
  secretGenerator: fc.array(generator, { maxLength: 1 }),
  buildMetadata: fc.subarray(['originAnnotations', 'transformerAnnotations', 'managedByLabel']),
  sortOptions: fc.constantFrom({ order: 'fifo' }, { order: 'legacy' }),
};
const layer = fc.record(fields, { requiredKeys: [] });
const patches = fc.array(patch, { maxLength: 2 });
const replacements = fc.tuple(fc.nat(5), fc.array(replacement, { maxLength: 1 })).map(([chance, list]) => (chance === 0 ? list : []));

const overlay = fc.record({
  base: layer,
  top: layer,
  objects: fc.array(object, { minLength: 1, maxLength: 5 }),
  more: fc.array(object, { maxLength: 2 }),
  patches,
  replacements,
  component: fc.option(layer),
});

/** Overlays made up from a seed: a base, perhaps a component, and what is built upon them. Most of them can be built. */
export function randomOverlays(seed: number, count: number): OverlayCase[] {
  return fc
    .sample(overlay, { seed, numRuns: count })
    .map(({ base, top, objects, more, patches: patchList, replacements: replacementList, component }, i) => {
      const all = withoutTwins([...objects, ...more]);
      const own = all.slice(0, Math.max(1, all.length - more.length));
      const rest = all.slice(own.length);
      const taken = new Set(all.map(({ kind, metadata: { name: named } }) => `${kind} ${named}`));
      const { buildMetadata: _b, sortOptions: _s, ...inner } = withFreshGenerators(base, taken);
      const { buildMetadata: _c, sortOptions: _t, ...part } = withFreshGenerators(component ?? {}, taken);
      const files: Record<string, object | string> = {
        'base/kustomization.yaml': { ...inner, resources: ['objects.yaml'] },
        'base/objects.yaml': printObjects(own),
        'top/kustomization.yaml': {
          ...withFittingGenerators(top, taken),
          resources: ['../base', ...(rest.length > 0 ? ['more.yaml'] : [])],
          ...(component && { components: ['../component'] }),
          patches: patchList.map(item => printPatch(item, all)),
          replacements: replacementList,
        },
        'top/more.yaml': printObjects(rest),
        ...(component && { 'component/kustomization.yaml': { kind: 'Component', ...part } }),
      };
      const encoded = Object.entries(files).map(
        ([file, value]) => [file, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))] as const,
      );
      return { name: `random ${seed}/${i}`, folder: 'top', files: new Map(encoded) };
    });
}

/** No two of the same kind and name, also once all are in one namespace. */
function withoutTwins(objects: readonly Generated[]): Generated[] {
  return [...new Map(objects.map(item => [`${item.kind} ${item.metadata.name}`, item])).values()];
}

const generatorFields = [
  ['configMapGenerator', 'ConfigMap'],
  ['secretGenerator', 'Secret'],
] as const;

/** Generators that make something new. */
function withFreshGenerators(written: Layer, taken: Set<string>): Layer {
  const result = { ...written };
  for (const [field, kind] of generatorFields) {
    const list = (written[field] ?? []).filter(({ name: named }) => !taken.has(`${kind} ${named}`) && taken.add(`${kind} ${named}`));
    result[field] = list.map(({ behavior: _, ...rest }) => rest);
  }
  return result;
}

/** Generators that change what is there, or make something new. */
function withFittingGenerators(written: Layer, taken: Set<string>): Layer {
  const result = { ...written };
  for (const [field, kind] of generatorFields) {
    result[field] = (written[field] ?? []).map(({ behavior = 'merge', ...rest }) => {
      const isThere = taken.has(`${kind} ${rest.name}`);
      taken.add(`${kind} ${rest.name}`);
      return isThere ? { ...rest, behavior: behavior === 'create' ? 'replace' : behavior } : rest;
    });
  }
  return result;
}

const printObjects = (objects: readonly object[]): string =>
  objects.map(value => JSON.stringify(value, undefined, 2)).join('\n---\n') + '\n';
