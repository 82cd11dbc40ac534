import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { cloneJson } from '../../util/json.ts';
import type { GoField, GoStruct, GoType } from '../schema/go-type.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { zeroOfStruct } from '../schema/shape.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { isSameButForTimes, keepTimesIfUnchanged } from './check-managed-fields.ts';
import { validateManagedFields } from '../validation/object-meta.ts';
import { recordUpdate } from './managed-fields.ts';
import { toParentEntries, toScaleEntries } from './scale-fields.ts';
import { configMap, keyed, listOf, mapOf, metadata, number, setOf, struct, text, workload, anything } from './merge-type-fixture.ts';

type Body = Record<string, unknown>;

/** An object and the writes to it, as a client would make them. */
class Cluster {
  live: KubeObject | undefined;
  seconds = 0;
  readonly type: MergeType;
  readonly empty: Body;
  readonly resetFields: Record<string, string[][]>;

  constructor(type: MergeType, empty: Body = {}, resetFields: Record<string, string[][]> = {}) {
    this.type = type;
    this.empty = empty;
    this.resetFields = resetFields;
  }

  write(subresource: string) {
    const { live, type, empty, resetFields } = this;
    const now = new Date(Date.UTC(2026, 0, 1, 0, 0, ++this.seconds));
    const mergeTypeOf = (apiVersion: string) => (apiVersion === 'v0' ? undefined : type);
    return { live, apiVersion: 'v1', mergeTypeOf, subresource, resetFields, now, empty: empty as never };
  }

  full(body: Body): KubeObject {
    const { metadata: meta, ...rest } = body;
    return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', namespace: 'ns', ...(meta as object) }, ...rest };
  }

  put(manager: string, body: Body, subresource = ''): this {
    const next = cloneJson(this.full(body));
    recordUpdate({ ...this.write(subresource), next, manager });
    this.live = next;
    return this;
  }

  apply(manager: string, body: Body, options: { force?: boolean; subresource?: string } = {}): this {
    const { force = false, subresource = '' } = options;
    this.live = applyConfiguration({ ...this.write(subresource), applied: this.full(body), manager, force, kind: 'Thing' });
    return this;
  }

  get body(): Body {
    const { apiVersion: _a, kind: _k, metadata: meta, ...rest } = this.live as KubeObject;
    const { name: _n, namespace: _ns, managedFields: _m, ...more } = meta;
    return JSON.parse(JSON.stringify(Object.keys(more).length > 0 ? { ...rest, metadata: more } : rest)) as Body;
  }

  get owners(): Record<string, unknown> {
    return Object.fromEntries(
      (this.live?.metadata.managedFields ?? []).map(e => [
        `${e.manager}/${e.operation}${e.subresource ? `/${e.subresource}` : ''}`,
        e.fieldsV1,
      ]),
    );
  }

  get times(): (string | undefined)[] {
    return (this.live?.metadata.managedFields ?? []).map(e => e.time?.slice(17, 19));
  }
}

const data = (d: Record<string, string>) => ({ data: d });
const owning = (...keys: string[]) => ({ 'f:data': Object.fromEntries(keys.map(k => (k === '.' ? ['.', {}] : [`f:${k}`, {}]))) });

function errorOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('a create gives its author everything but what the server decides', () => {
  const c = new Cluster(configMap).put('kubectl', { ...data({ a: '1' }), metadata: { uid: 'u', labels: { x: 'y' } } });
  assert.deepEqual(c.live?.metadata.managedFields, [
    {
      manager: 'kubectl',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:01Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } },
    },
  ]);
});

test('structs that every new object has are not owned', () => {
  const empty = { metadata: {}, spec: { template: { metadata: {}, spec: { containers: null } } }, status: {} };
  const c = new Cluster(workload, empty).put('m', {
    spec: { replicas: 1, template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }] } } },
    status: {},
  });
  assert.deepEqual(c.owners, {
    'm/Update': {
      'f:spec': {
        'f:replicas': {},
        'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } } },
      },
    },
  });
});

test('an update moves what it changed and forgets what it removed', () => {
  const c = new Cluster(configMap).put('a', data({ x: '1', y: '1', z: '1' })).put('b', data({ x: '2', z: '1', w: '1' }));
  assert.deepEqual(c.owners, { 'a/Update': owning('.', 'z'), 'b/Update': owning('w', 'x') });
  assert.deepEqual(c.times, ['01', '02']);
});

test('an update that changes nothing keeps entries and times', () => {
  const c = new Cluster(configMap).put('a', data({ x: '1' }));
  const before = c.live?.metadata.managedFields;
  c.put('b', data({ x: '1' }));
  assert.equal(c.live?.metadata.managedFields, before);
});

test('an update that only removes does not move the time of its author', () => {
  const c = new Cluster(configMap).put('a', data({ x: '1', y: '1' })).put('a', data({ x: '1' }));
  assert.deepEqual(c.owners, { 'a/Update': owning('.', 'x') });
  assert.deepEqual(c.times, ['01']);
});

test('who does not send managedFields keeps them, an empty entry clears them, nonsense is ignored', () => {
  const make = () => new Cluster(configMap).put('a', data({ x: '1' }));
  const stored = make().owners;
  assert.deepEqual(make().put('a', data({ x: '1' })).owners, stored);
  for (const reset of [[], [{}]]) assert.deepEqual(make().put('b', { ...data({ x: '2' }), metadata: { managedFields: reset } }).owners, {});
  const nonsense = [{ manager: 'z', operation: 'Frob', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }];
  assert.deepEqual(make().put('a', { ...data({ x: '1' }), metadata: { managedFields: nonsense } }).owners, stored);
  const rewritten = [{ manager: 'z', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: owning('x') }];
  assert.deepEqual(make().put('a', { ...data({ x: '1' }), metadata: { managedFields: rewritten } }).owners, { 'z/Apply': owning('x') });
  assert.deepEqual(make().put('a', { ...data({ x: '1' }), metadata: { managedFields: rewritten } }, 'status').owners, stored);
});

test('once cleared, updates are not tracked until somebody applies', () => {
  const c = new Cluster(configMap).put('a', data({ x: '1' })).put('b', { ...data({ x: '2' }), metadata: { managedFields: [{}] } });
  assert.deepEqual(c.put('c', data({ x: '3' })).owners, {});
  assert.deepEqual(c.apply('d', data({ y: '1' })).owners, {
    'd/Apply': owning('y'),
    'before-first-apply/Update': owning('.', 'x'),
  });
});

test('the oldest updaters merge when there are more than ten', () => {
  const c = new Cluster(configMap);
  const values: Record<string, string> = {};
  for (let i = 0; i < 12; i++) {
    values[`k${i}`] = '1';
    c.put(`m${i}`, data({ ...values }));
  }
  assert.equal(Object.keys(c.owners).length, 10);
  assert.deepEqual(c.owners['ancient-changes/Update'], owning('.', 'k0', 'k1', 'k2'));
  assert.equal(c.times[0], '03');
});

test('reset fields are neither changed nor owned', () => {
  const c = new Cluster(workload, {}, { '': [['status']], status: [['spec']] }).put('a', {
    spec: { replicas: 1 },
    status: { replicas: 1 },
  });
  assert.deepEqual(c.owners, { 'a/Update': { 'f:spec': { '.': {}, 'f:replicas': {} } } });
  c.apply('b', { spec: { replicas: 9 }, status: { replicas: 5 } }, { subresource: 'status' });
  const { 'b/Apply/status': applied } = c.owners as Record<string, unknown>;
  assert.deepEqual(applied, { 'f:status': { 'f:replicas': {} } });
});

test('an entry of a version that is gone is dropped', () => {
  const c = new Cluster(configMap).put('a', data({ x: '1' }));
  const [entry] = c.live?.metadata.managedFields ?? [];
  c.live = {
    ...(c.live as KubeObject),
    metadata: { ...c.live?.metadata, managedFields: [{ ...entry, manager: 'old', apiVersion: 'v0' }] },
  };
  assert.deepEqual(c.put('b', data({ x: '2' })).owners, { 'b/Update': owning('x') });
});

test('applying creates, and applying again changes nothing', () => {
  const c = new Cluster(configMap).apply('a', data({ x: '1' }));
  assert.deepEqual(c.owners, { 'a/Apply': owning('x') });
  const before = c.live as KubeObject;
  c.apply('a', data({ x: '1' }));
  assert.deepEqual(c.live, before);
});

test('what an applier no longer sends goes away, unless somebody else owns it', () => {
  const c = new Cluster(configMap).apply('a', data({ x: '1', y: '1' })).apply('b', data({ y: '1' }));
  assert.deepEqual(c.owners, { 'a/Apply': owning('x', 'y'), 'b/Apply': owning('y') });
  c.apply('a', {});
  assert.deepEqual(c.body, data({ y: '1' }));
  assert.deepEqual(c.owners, { 'b/Apply': owning('y') });
  c.apply('b', {});
  assert.deepEqual(c.body, {});
});

test('an item another manager added to stays when its author gives it up', () => {
  const of = (...containers: Body[]) => ({ spec: { template: { spec: { containers } } } });
  const c = new Cluster(workload)
    .apply('a', of({ name: 'c', image: 'i' }, { name: 'd', image: 'i' }))
    .apply('b', of({ name: 'c', command: ['x'] }))
    .apply('a', of());
  assert.deepEqual(c.body, of({ name: 'c', command: ['x'] }));
});

test('one conflict is told in one line', () => {
  const c = new Cluster(workload).put('m3', { spec: { replicas: 5 } });
  const error = errorOf(() => c.apply('m2', { spec: { replicas: 2 } }));
  assert.deepEqual(error.toStatus(), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Apply failed with 1 conflict: conflict with "m3" using v1: .spec.replicas',
    reason: 'Conflict',
    details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m3" using v1', field: '.spec.replicas' }] },
    code: 409,
  });
});

test('many conflicts are told by owner', () => {
  const of = (replicas: number, image: string) => ({ spec: { replicas, template: { spec: { containers: [{ name: 'c', image }] } } } });
  const c = new Cluster(workload).apply('m1', of(1, 'i:1'));
  assert.equal(
    errorOf(() => c.apply('m2', of(2, 'i:2'))).message,
    'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.replicas\n- .spec.template.spec.containers[name="c"].image',
  );
  c.put('m1', of(3, 'i:1'), 'scale');
  assert.equal(
    errorOf(() => c.apply('m2', of(2, 'i:2'))).message,
    'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.template.spec.containers[name="c"].image\n' +
      'conflicts with "m1" with subresource "scale" using v1:\n- .spec.replicas',
  );
});

test('force takes over', () => {
  const c = new Cluster(configMap).apply('a', data({ x: '1', y: '1' })).apply('b', data({ x: '2' }), { force: true });
  assert.deepEqual(c.body, data({ x: '2', y: '1' }));
  assert.deepEqual(c.owners, { 'a/Apply': owning('y'), 'b/Apply': owning('x') });
});

test('the same manager conflicts with its own updates', () => {
  const c = new Cluster(configMap).apply('a', data({ x: '1' })).put('a', data({ x: '2' }));
  assert.match(errorOf(() => c.apply('a', data({ x: '1' }))).message, /conflict with "a" using v1: .data.x$/);
});

test('kubectl takes over what its annotation shows to be its own', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const last = `${JSON.stringify({ apiVersion: 'v1', kind: 'Thing', ...data({ x: '1' }) })}\n`;
  const live = { ...data({ x: '1', y: '1' }), metadata: { annotations: { [annotation]: last } } };
  const c = new Cluster(configMap).put('kubectl-client-side-apply', live);
  assert.match(errorOf(() => c.apply('kubectl', data({ x: '2', y: '2' }))).message, /with 1 conflict: .*: .data.y$/);
  c.apply('kubectl', data({ x: '2' }));
  assert.equal(
    c.live?.metadata.annotations?.[annotation],
    '{"apiVersion":"v1","data":{"x":"2"},"kind":"Thing","metadata":{"name":"x","namespace":"ns"}}\n',
  );
});

for (const [name, body, message] of [
  ['an unknown field', { spec: { foo: 1 } }, '.spec.foo: field not declared in schema'],
  ['a wrong type', { spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got string'],
  ['a wrong text', { spec: { args: [1] } }, '.spec.args[0]: expected string, got &value.valueUnstructured{Value:1}'],
  ['a wrong map', { spec: 5 }, '.spec: expected map, got &{5}'],
  [
    'an item twice',
    { spec: { template: { spec: { containers: [{ name: 'c' }, { name: 'c' }] } } } },
    '.spec.template.spec.containers: duplicate entries for key [name="c"]',
  ],
  [
    'an item without keys',
    { spec: { template: { spec: { containers: [{ image: 'c' }] } } } },
    `.spec.template.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
  ],
] as [string, Body, string][]) {
  test(`apply refuses ${name}`, () => {
    const error = errorOf(() => new Cluster(workload).apply('m', body));
    assert.deepEqual([error.code, error.reason], [500, '']);
    assert.equal(error.message, `failed to create typed patch object (ns/x; /v1, Kind=Thing): ${message}`);
  });
}

test('apply refuses bodies of another kind and bodies with managedFields', () => {
  const c = new Cluster(configMap).apply('a', {});
  assert.equal(errorOf(() => c.apply('a', { kind: 'Other' })).message, 'invalid object type: /v1, Kind=Other');
  assert.equal(errorOf(() => c.apply('a', { apiVersion: '', kind: '' })).message, 'invalid object type: /, Kind=');
  assert.equal(errorOf(() => c.apply('a', { metadata: { managedFields: [] } })).message, 'metadata.managedFields must be nil');
});

const lists = struct({
  apiVersion: text,
  kind: text,
  metadata,
  set: setOf(text),
  items: keyed(struct({ name: text, value: number, inner: setOf(text) }), ['name']),
  ports: keyed(struct({ port: number, protocol: text, name: text }), ['port', 'protocol'], { keyDefaults: { protocol: 'TCP' } }),
  atoms: listOf(text),
  maps: mapOf(mapOf(text)),
  free: anything,
});

for (const [name, first, second, expected] of [
  ['sets unite, the applied order wins', { set: ['a', 'b', 'c'] }, { set: ['c', 'd', 'a'] }, { set: ['b', 'c', 'd', 'a'] }],
  ['items only others have keep their place', { set: ['a', 'b'] }, { set: ['b', 'c'] }, { set: ['a', 'b', 'c'] }],
  [
    'items merge',
    { items: [{ name: 'a', value: 1 }] },
    { items: [{ name: 'a', inner: ['x'] }] },
    { items: [{ name: 'a', value: 1, inner: ['x'] }] },
  ],
  [
    'a default key names the same item',
    { ports: [{ port: 80 }] },
    { ports: [{ port: 80, protocol: 'TCP', name: 'n' }] },
    { ports: [{ port: 80, protocol: 'TCP', name: 'n' }] },
  ],
  [
    'another key names another item',
    { ports: [{ port: 80 }] },
    { ports: [{ port: 80, protocol: 'UDP' }] },
    { ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }] },
  ],
  ['free maps merge, free lists do not', { free: { a: 1, l: [1] } }, { free: { b: 1, l: [1] } }, { free: { a: 1, b: 1, l: [1] } }],
] as [string, Body, Body, Body][]) {
  test(`apply: ${name}`, () => assert.deepEqual(new Cluster(lists).apply('a', first).apply('b', second).body, expected));
}

test('an atomic list is one field', () => {
  const c = new Cluster(lists).apply('a', { atoms: ['x'] });
  assert.deepEqual(c.owners, { 'a/Apply': { 'f:atoms': {} } });
  assert.match(errorOf(() => c.apply('b', { atoms: ['y'] })).message, /: .atoms$/);
});

test('ownership of sets, maps of maps, empty maps and free values', () => {
  const c = new Cluster(lists).apply('a', { set: ['x'], maps: { m: { k: 'v' }, e: {} }, free: { a: { b: 1 }, l: [1], n: null } });
  assert.deepEqual(c.owners, {
    'a/Apply': {
      'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:l': {}, 'f:n': {} },
      'f:maps': { 'f:e': {}, 'f:m': { '.': {}, 'f:k': {} } },
      'f:set': { 'v:"x"': {} },
    },
  });
});

test('duplicates of an update are owned as one and replaced by an applier', () => {
  const c = new Cluster(lists).put('u', { items: [{ name: 'a', value: 1 }, { name: 'a', value: 2 }, { name: 'b' }] });
  assert.deepEqual(c.owners, { 'u/Update': { 'f:items': { '.': {}, 'k:{"name":"a"}': {}, 'k:{"name":"b"}': { '.': {}, 'f:name': {} } } } });
  c.apply('a', { items: [{ name: 'a', value: 3 }] }, { force: true });
  assert.deepEqual(c.body, { items: [{ name: 'a', value: 3 }, { name: 'b' }] });
});

test('a free value that changes its shape belongs to who changed it', () => {
  const c = new Cluster(lists).put('a', { free: { a: 1 } }).put('b', { free: { a: { x: 1 } } });
  assert.deepEqual(c.owners, { 'a/Update': { 'f:free': {} }, 'b/Update': { 'f:free': { 'f:a': { '.': {}, 'f:x': {} } } } });
});

test('what became atomic is owned as a whole', () => {
  const granular = struct({ apiVersion: text, kind: text, metadata, set: setOf(text), sel: struct({ a: text, b: text }) });
  const atomic = struct({ apiVersion: text, kind: text, metadata, set: listOf(text), sel: struct({ a: text, b: text }, { atomic: true }) });
  const c = new Cluster(granular).apply('a', { set: ['x'], sel: { a: '1' } });
  const later = new Cluster(atomic);
  later.live = c.live;
  later.apply('b', { metadata: { labels: { l: '1' } } });
  assert.deepEqual(later.owners['a/Apply'], { 'f:sel': {}, 'f:set': {} });
});

const someData = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));

test('applying is idempotent and gives what was applied', () => {
  fc.assert(
    fc.property(
      someData,
      someData,
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'), { minKeys: 1 }),
      (live, first, second) => {
        const c = new Cluster(configMap)
          .put('u', data(live))
          .apply('a', data(first), { force: true })
          .apply('a', data(second), { force: true });
        const result = c.body['data'] as Record<string, string> | undefined;
        for (const key of Object.keys(second)) assert.equal(result?.[key], second[key]);
        for (const key of Object.keys(first)) {
          // Given up: gone, unless the update had the same value, which made both owners.
          if (!(key in second)) assert.equal(result?.[key], live[key] === first[key] ? live[key] : undefined);
        }
        const before = c.live as KubeObject;
        c.apply('a', data(second));
        assert.ok(isSameButForTimes(before, c.live as KubeObject));
      },
    ),
  );
});

test('equal values are shared, and no value changes without its owner', () => {
  fc.assert(
    fc.property(someData, d => {
      const c = new Cluster(configMap).apply('a', data(d)).apply('b', data(d));
      assert.deepEqual(c.owners['a/Apply'], c.owners['b/Apply']);
      c.apply('a', {});
      assert.deepEqual(c.body['data'] ?? {}, { ...d });
    }),
  );
});

test('an open struct owns its declared fields only through what lies in them', () => {
  const half = struct(
    { known: struct({ z: text }) },
    { open: true, field: name => (name === 'known' ? struct({ z: text }) : anything), declares: name => name === 'known' },
  );
  const c = new Cluster(struct({ apiVersion: text, kind: text, metadata, half })).apply('a', { half: { known: { z: '1' }, u: { w: 1 } } });
  assert.deepEqual(c.owners, { 'a/Apply': { 'f:half': { 'f:known': { 'f:z': {} }, 'f:u': { '.': {}, 'f:w': {} } } } });
});

test('a scale shows who owns the replicas, and takes them from others when written', () => {
  const paths = { v1: ['spec', 'replicas'] };
  const c = new Cluster(workload).apply('a', { spec: { replicas: 1, paused: true } });
  const parent = c.live?.metadata.managedFields;
  const scale = toScaleEntries(parent, paths);
  assert.deepEqual(scale, [{ ...parent?.[0], apiVersion: 'autoscaling/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }]);
  assert.deepEqual(toParentEntries(parent, scale, 'v1', paths), parent);

  const writer = { ...scale?.[0], manager: 'hpa', operation: 'Update' as const, subresource: 'scale' };
  assert.deepEqual(
    toParentEntries(parent, [writer], 'v1', paths)?.map(e => [e.manager, e.apiVersion, e.subresource, e.fieldsV1]),
    [
      ['a', 'v1', undefined, { 'f:spec': { 'f:paused': {} } }],
      ['hpa', 'v1', 'scale', { 'f:spec': { 'f:replicas': {} } }],
    ],
  );
});

test('the zero object has what Go prints without being asked', () => {
  const string = { type: 'scalar', scalar: 'string', goName: 'string' } as const;
  const field = (name: string, type: GoType, more: Partial<GoField> = {}): GoField => ({
    name,
    type,
    isPointer: false,
    omitEmpty: true,
    isRequired: false,
    proto: [],
    ...more,
  });
  const goStruct = (fields: GoField[]): GoStruct => ({
    type: 'struct',
    name: 'x',
    goName: 'x',
    fields,
    fieldsByName: new Map(fields.map(f => [f.name, f])),
  });
  const inner = goStruct([field('list', { type: 'list', element: string }, { omitEmpty: false }), field('text', string)]);
  const outer = goStruct([field('spec', inner), field('pointer', inner, { isPointer: true }), field('text', string, { omitEmpty: false })]);
  assert.deepEqual(zeroOfStruct(outer), { spec: { list: null }, text: '' });
});

test('times alone make no difference', () => {
  const c = new Cluster(configMap).put('a', data({ x: '1' }));
  const live = c.live as KubeObject;
  const next = cloneJson(live);
  for (const entry of next.metadata.managedFields ?? []) entry.time = '2030-01-01T00:00:00Z';
  assert.ok(keepTimesIfUnchanged(live, next));
  assert.deepEqual(next, live);
  assert.ok(!isSameButForTimes(live, { ...next, data: {} }));
});

test('validation names what is wrong with entries', () => {
  const errors = validateManagedFields(
    [
      { manager: 'm\n', fieldsType: 'V9' },
      { operation: 'Update', manager: 'x'.repeat(129) },
    ],
    'metadata.managedFields',
  );
  assert.deepEqual(
    errors.map(e => `${e.field}: ${e.message}`),
    [
      'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`',
      'metadata.managedFields[0].fieldsType: Invalid value: "V9": must be `FieldsV1`',
      'metadata.managedFields[0].manager: Invalid value: "m\\n": invalid character U+000A (at position 1)',
      'metadata.managedFields[1].manager: Too long: may not be more than 128 bytes',
    ],
  );
});
