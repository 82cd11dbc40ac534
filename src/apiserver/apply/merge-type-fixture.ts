import type { ListMerge, MergeType, ObjectMerge } from '../schema/merge-type.ts';

/** Hand-made types for tests. */
export const text: MergeType = { type: 'scalar', scalar: 'string' };
export const number: MergeType = { type: 'scalar', scalar: 'number' };
const flag: MergeType = { type: 'scalar', scalar: 'boolean' };
export const anything: MergeType = { type: 'untyped' };

export function struct(fields: Record<string, MergeType>, options: Partial<ObjectMerge> = {}): ObjectMerge {
  return {
    type: 'object',
    atomic: false,
    open: false,
    field: name => (Object.hasOwn(fields, name) ? fields[name] : undefined),
    ...options,
  };
}

export function mapOf(element: MergeType, options: Partial<ObjectMerge> = {}): ObjectMerge {
  return { type: 'object', atomic: false, open: true, field: () => element, ...options };
}

export function listOf(element: MergeType, options: Partial<ListMerge> = {}): ListMerge {
  return { type: 'list', listType: 'atomic', keys: [], keyDefaults: {}, element, ...options };
}

export const setOf = (element: MergeType, options: Partial<ListMerge> = {}) => listOf(element, { listType: 'set', ...options });
export const keyed = (element: MergeType, keys: readonly string[], options: Partial<ListMerge> = {}) =>
  listOf(element, { listType: 'map', keys, ...options });

export const metadata = struct({
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  generation: number,
  creationTimestamp: text,
  labels: mapOf(text),
  annotations: mapOf(text),
  finalizers: setOf(text, { patchStrategy: ['merge'] }),
  managedFields: anything,
});

const port = struct({ name: text, containerPort: number, protocol: text });
const container = struct({
  name: text,
  image: text,
  command: listOf(text),
  env: keyed(struct({ name: text, value: text }), ['name'], { patchStrategy: ['merge'], patchMergeKey: 'name' }),
  ports: keyed(port, ['containerPort', 'protocol'], {
    keyDefaults: { protocol: 'TCP' },
    patchStrategy: ['merge'],
    patchMergeKey: 'containerPort',
  }),
});

/** A small Deployment. */
export const workload = struct({
  apiVersion: text,
  kind: text,
  metadata,
  spec: struct({
    replicas: number,
    paused: flag,
    selector: struct({ matchLabels: mapOf(text) }, { atomic: true }),
    strategy: struct({ type: text, rollingUpdate: struct({ maxSurge: number }) }, { patchStrategy: ['retainKeys'] }),
    template: struct({
      metadata,
      spec: struct({ containers: keyed(container, ['name'], { patchStrategy: ['merge'], patchMergeKey: 'name' }) }),
    }),
    args: listOf(text),
    extra: anything,
  }),
  status: struct({ replicas: number }),
});

export const configMap = struct({ apiVersion: text, kind: text, metadata, data: mapOf(text), immutable: flag });
