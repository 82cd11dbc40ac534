import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { ConfigMap, Deployment } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError, serviceUnavailable } from '../../api/status.ts';
import { deliveryManager, workReasons } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { errorText } from '../../util/error-text.ts';
import { applyObjects, type ApplyOptions } from './apply-objects.ts';
import { DeliveryError } from './delivery-error.ts';
import { configMap, deployment, startMemoryMember, widget, widgetDefinition, type MemoryMember } from './member-test-support.ts';
import { refKey, refOf } from './object-ref.ts';

const owner = { release: { name: 'web', namespace: 'shop' } };
const otherOwner = { release: { name: 'other', namespace: 'shop' } };

const apply = (member: MemoryMember, objects: readonly KubeObject[], options: Partial<ApplyOptions> = {}) =>
  applyObjects(member, objects, { owner, signal: member.signal, ...options });

const read = (member: MemoryMember, name: string) => member.client.get(ConfigMap, { namespace: 'shop', name });

function failsWith(expected: { reason?: string; isFinal?: boolean; words: RegExp }) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof DeliveryError, String(error));
    assert.match(error.message, expected.words);
    if (expected.reason !== undefined) assert.equal(error.reason, expected.reason);
    if (expected.isFinal !== undefined) assert.equal(error.isFinal, expected.isFinal);
    return true;
  };
}

test('objects are applied in the order of Helm and answered in the order given', async t => {
  const member = await startMemoryMember(t);
  const seen: string[] = [];
  const objects = [
    deployment('web'),
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'late' }, spec: { ports: [{ port: 80 }] } },
    configMap('settings'),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } },
  ];
  const applied = await apply(member, objects, { onApplied: obj => seen.push(obj.kind) });
  assert.deepEqual(seen, ['Namespace', 'ConfigMap', 'Service', 'Deployment']);
  assert.deepEqual(
    applied.map(obj => obj.kind),
    objects.map(obj => obj.kind),
  );
  assert.ok(applied.every(obj => obj.metadata.uid !== undefined));
});

test('objects bear the marks of a release as Helm writes them, or the name of the Work', async t => {
  const member = await startMemoryMember(t);
  const [byRelease] = await apply(member, [configMap('a', {}, { labels: { tier: 'web' }, annotations: { note: 'mine' } })]);
  assert.deepEqual(byRelease!.metadata.labels, { tier: 'web', 'app.kubernetes.io/managed-by': 'Helm' });
  assert.deepEqual(byRelease!.metadata.annotations, {
    note: 'mine',
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': 'shop',
  });
  assert.deepEqual(
    byRelease!.metadata.managedFields?.map(({ manager, operation }) => ({ manager, operation })),
    [{ manager: deliveryManager, operation: 'Apply' }],
  );
  const [byWork] = await apply(member, [configMap('b')], { owner: { work: 'c-m-1/plain' } });
  assert.deepEqual(byWork!.metadata.annotations, { 'drover.io/work': 'c-m-1/plain' });
  assert.equal(byWork!.metadata.labels, undefined);
});

test('what a delivery no longer names goes, what others added stays, and fields of others are taken over', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [configMap('a', { kept: '1', dropped: '1' })]);
  await member.client.patch(
    ConfigMap,
    { namespace: 'shop', name: 'a' },
    { type: 'merge', body: { data: { kept: 'theirs', added: 'theirs' } } },
    { fieldManager: 'someone' },
  );
  await apply(member, [configMap('a', { kept: '2' })]);
  assert.deepEqual((await read(member, 'a'))!.data, { kept: '2', added: 'theirs' });
});

test('what belongs to others or to nobody is not touched, and nothing else is either', async t => {
  const member = await startMemoryMember(t);
  await member.client.create(ConfigMap, configMap('nobodys', { a: '1' }) as ConfigMap);
  await apply(member, [configMap('theirs', { a: '1' })], { owner: otherOwner });

  await assert.rejects(
    apply(member, [configMap('mine'), configMap('nobodys', { a: '2' })]),
    failsWith({ reason: workReasons.notOwned, isFinal: true, words: /^ConfigMap shop\/nobodys .* nobody .*spec\.options\.takeOwnership/ }),
  );
  await assert.rejects(apply(member, [configMap('theirs', { a: '2' })]), failsWith({ words: /belongs to release "shop\/other"/ }));
  assert.equal(await read(member, 'mine'), undefined);
  assert.deepEqual((await read(member, 'nobodys'))!.data, { a: '1' });

  await apply(member, [configMap('nobodys', { a: '2' }), configMap('theirs', { a: '2' })], { takeOwnership: true });
  assert.deepEqual((await read(member, 'theirs'))!.data, { a: '2' });
  await apply(member, [configMap('nobodys', { a: '3' }), configMap('theirs', { a: '3' })]);
});

test('of many objects in a crowded namespace those of others are found', async t => {
  const member = await startMemoryMember(t);
  const crowd = Array.from({ length: 520 }, (_, i) => configMap(`crowd-${String(i).padStart(3, '0')}`));
  await apply(member, crowd, { owner: otherOwner });
  const mine = Array.from({ length: 12 }, (_, i) => configMap(`mine-${i}`));
  await apply(member, mine);
  await assert.rejects(apply(member, [...mine, configMap('crowd-519')]), failsWith({ words: /crowd-519/ }));
  await assert.rejects(apply(member, [...mine, configMap('crowd-001')]), failsWith({ words: /crowd-001/ }));
});

test('an object costs one request, and those that are known cost no question about their owner', async t => {
  const member = await startMemoryMember(t);
  const objects = Array.from({ length: 40 }, (_, i) => configMap(`a-${i}`));
  const known = new Set(objects.map(obj => refKey(refOf(obj))));
  await apply(member, objects);
  const questions = member.calls.filter(call => !call.startsWith('apply ') && !/ \/apis?$/.test(call));
  assert.deepEqual(questions, ['request GET /api/v1/namespaces/shop/configmaps?limit=500']);

  member.calls.length = 0;
  await apply(member, objects, { known });
  assert.deepEqual(new Set(member.calls), new Set(['apply configmaps']));
  assert.equal(member.calls.length, 40);
});

test('definitions, their objects and lists come in one set', async t => {
  const member = await startMemoryMember(t);
  const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: [widget('a'), configMap('b')] };
  const typed = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: [{ metadata: { name: 'c', namespace: 'shop' } }] };
  const applied = await apply(member, [list, typed, widgetDefinition]);
  assert.deepEqual(
    applied.map(obj => `${obj.kind} ${obj.metadata.name}`),
    ['Widget a', 'ConfigMap b', 'ConfigMap c', 'CustomResourceDefinition widgets.example.com'],
  );
  assert.equal((await member.kinds.find({ group: 'example.com', version: 'v1', kind: 'Widget' }, member.signal))?.resource, 'widgets');
});

test('kinds that are defined here come after their definitions, whatever they are called', async t => {
  const member = await startMemoryMember(t);
  const definition = structuredClone(widgetDefinition);
  definition.metadata.name = 'secrets.example.com';
  Object.assign((definition['spec'] as { names: object }).names, {
    kind: 'Secret',
    plural: 'secrets',
    singular: 'secret',
    listKind: 'SecretList',
  });
  const seen: string[] = [];
  const custom = { ...widget('s'), kind: 'Secret' };
  await apply(member, [custom, definition], { onApplied: obj => seen.push(obj.kind) });
  assert.deepEqual(seen, ['CustomResourceDefinition', 'Secret']);
});

test('of several objects with the same name the last one counts', async t => {
  const member = await startMemoryMember(t);
  const answers = await apply(member, [configMap('a', { v: '1', first: 'yes' }), configMap('b'), configMap('a', { v: '2' })]);
  assert.deepEqual([answers[0]!['data'], answers[2]!['data']], [{ v: '2' }, { v: '2' }]);
  assert.deepEqual((await read(member, 'a'))!.data, { v: '2' });
});

test('a kind that the member does not have is named before anything is changed, and found when it comes', async t => {
  const member = await startMemoryMember(t);
  await assert.rejects(
    apply(member, [configMap('a'), widget('w')]),
    failsWith({
      reason: workReasons.applyFailed,
      isFinal: false,
      words: /^cannot apply Widget shop\/w: .*kind Widget in example\.com\/v1: is its CustomResourceDefinition installed\?/,
    }),
  );
  assert.equal(await read(member, 'a'), undefined);
  await apply(member, [widgetDefinition]);
  await apply(member, [widget('w')]);
});

test('a generated name is the same for the same object, so that a second try leaves no second object', async t => {
  const member = await startMemoryMember(t);
  const task = { ...configMap('x', { a: '1' }), metadata: { generateName: 'task-', namespace: 'shop' } };
  const [first] = await apply(member, [task]);
  const [second] = await apply(member, [task]);
  const [other] = await apply(member, [{ ...task, data: { a: '2' } }]);
  assert.match(first!.metadata.name!, /^task-[a-z0-9]{8}$/);
  assert.equal(second!.metadata.name, first!.metadata.name);
  assert.notEqual(other!.metadata.name, first!.metadata.name);
});

test('a dry run changes nothing and answers what would be', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [configMap('a', { a: '1' })]);
  const set = [configMap('a', { a: '2' }), widgetDefinition, widget('w', { size: 1 })];
  const late = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } }, configMap('b', {}, { namespace: 'late' })];
  const answers = await apply(member, [...set, ...late], { dryRun: true });
  assert.deepEqual(
    answers.map(obj => obj.metadata.name),
    ['a', 'widgets.example.com', 'w', 'late', 'b'],
  );
  assert.deepEqual(answers[0]!['data'], { a: '2' });
  assert.deepEqual((await read(member, 'a'))!.data, { a: '1' });
  assert.equal(await member.kinds.find({ group: 'example.com', version: 'v1', kind: 'Widget' }, member.signal), undefined);
});

test('what cannot be changed is said with its field and the way out, which then works', async t => {
  const member = await startMemoryMember(t);
  const [before] = await apply(member, [deployment('web')]);
  await assert.rejects(
    apply(member, [deployment('web', 'other')]),
    failsWith({
      reason: workReasons.applyFailed,
      isFinal: true,
      words: /^cannot apply Deployment shop\/web: spec\.selector .*spec\.options\.force/,
    }),
  );
  const [after] = await apply(member, [deployment('web', 'other')], { force: true });
  assert.notEqual(after!.metadata.uid, before!.metadata.uid);
  const found = await member.client.get(Deployment, { namespace: 'shop', name: 'web' });
  assert.deepEqual(found!.spec?.selector, { matchLabels: { app: 'other' } });
});

test('force deletes nothing that would be refused anyway', async t => {
  const member = await startMemoryMember(t);
  const [before] = await apply(member, [deployment('web')]);
  const broken = deployment('web', 'other');
  (broken['spec'] as { replicas: number }).replicas = -1;
  await assert.rejects(apply(member, [broken], { force: true }), failsWith({ isFinal: true, words: /the member says that it is wrong/ }));
  const found = await member.client.get(Deployment, { namespace: 'shop', name: 'web' });
  assert.equal(found!.metadata.uid, before!.metadata.uid);
});

test('force does not delete definitions, with which all their objects would go', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [widgetDefinition, widget('w')]);
  const moved = structuredClone(widgetDefinition);
  (moved['spec'] as { scope: string }).scope = 'Cluster';
  await assert.rejects(apply(member, [moved], { force: true }), failsWith({ isFinal: true, words: /delete it yourself/ }));
});

test('what is being deleted is applied again when it is gone', async t => {
  const member = await startMemoryMember(t);
  const { client } = member;
  const key = { namespace: 'shop', name: 'a' };
  await apply(member, [configMap('a', { v: '1' })]);
  const hold = (finalizers: string[]) =>
    client.patch(ConfigMap, key, { type: 'merge', body: { metadata: { finalizers } } }, { fieldManager: 'someone' });
  const before = await hold(['example.com/hold']);
  await client.delete(ConfigMap, key);
  const applied = apply(member, [configMap('a', { v: '2' })]);
  await eventually(async () => (await read(member, 'a'))?.data?.['v'] === '2', Boolean, { what: 'the write to the one that goes' });
  await hold([]);
  const [after] = await applied;
  assert.notEqual(after!.metadata.uid, before.metadata.uid);
  assert.deepEqual((await read(member, 'a'))!.data, { v: '2' });
});

test('a missing namespace is named', async t => {
  const member = await startMemoryMember(t);
  await assert.rejects(
    apply(member, [configMap('a', {}, { namespace: 'nowhere' })]),
    failsWith({ isFinal: false, words: /namespace "nowhere" does not exist/ }),
  );
  await assert.rejects(
    apply(member, [configMap('a', {}, { namespace: '' })]),
    failsWith({ isFinal: true, words: /its namespace is missing/ }),
  );
});

test('manifests that were read from a server can be applied', async t => {
  const member = await startMemoryMember(t);
  const [applied] = await apply(member, [configMap('a', { a: '1' })]);
  const [again] = await apply(member, [{ ...applied!, data: { a: '2' } }]);
  assert.deepEqual(again!['data'], { a: '2' });
});

/** Fails the first calls of `apply` with these errors. */
function stumbling(errors: unknown[]): (client: KubeClient) => KubeClient {
  return client => ({
    ...copyOf(client),
    apply: (...args) => (errors.length > 0 ? Promise.reject(errors.shift()) : client.apply(...args)),
  });
}

const copyOf = (client: KubeClient): KubeClient => ({
  get: (...args) => client.get(...args),
  list: (...args) => client.list(...args),
  watch: (...args) => client.watch(...args),
  create: (...args) => client.create(...args),
  update: (...args) => client.update(...args),
  apply: (...args) => client.apply(...args),
  patch: (...args) => client.patch(...args),
  delete: (...args) => client.delete(...args),
  request: req => client.request(req),
  [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
});

test('a member that is busy, restarts or loses the connection is asked again', async t => {
  const conflict =
    'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again';
  const errors = [
    serviceUnavailable('starting'),
    new UnreachableError('connection reset'),
    new StatusError(409, 'Conflict', conflict),
    new StatusError(500, 'InternalError', 'Internal error occurred: etcdserver: leader changed'),
    new StatusError(
      403,
      'Forbidden',
      'pods "a" is forbidden: error looking up service account shop/default: serviceaccount "default" not found',
    ),
  ];
  const member = await startMemoryMember(t, stumbling(errors));
  await apply(member, [configMap('a')]);
  assert.equal(errors.length, 0);
});

const refusals: Record<string, { error: unknown; reason?: string; isFinal: boolean; words: RegExp }> = {
  'a webhook that denies': {
    reason: workReasons.policyDenied,
    error: new StatusError(403, 'Forbidden', 'admission webhook "validate.kyverno.svc" denied the request: no latest tags'),
    isFinal: false,
    words: /admission webhook "validate\.kyverno\.svc"/,
  },
  'a policy that denies': {
    reason: workReasons.policyDenied,
    error: new StatusError(
      422,
      'Invalid',
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'no-a' with binding 'b' denied request: no`,
    ),
    isFinal: false,
    words: /admission policy "no-a"/,
  },
  'a quota that is used up': {
    reason: workReasons.policyDenied,
    error: new StatusError(403, 'Forbidden', 'configmaps "a" is forbidden: exceeded quota: small, requested: count/configmaps=1'),
    isFinal: false,
    words: /quota "small" is used up/,
  },
  'a limit of the namespace': {
    reason: workReasons.policyDenied,
    error: new StatusError(
      403,
      'Forbidden',
      'persistentvolumeclaims "a" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi',
    ),
    isFinal: false,
    words: /LimitRange/,
  },
  'a webhook that does not answer': {
    error: new StatusError(400, 'BadRequest', 'failed calling webhook "v.example": admission webhook "v.example" does not support dry run'),
    isFinal: false,
    words: /does not answer/,
  },
  'a right that is missing': {
    error: new StatusError(403, 'Forbidden', 'configmaps "a" is forbidden: User "drover" cannot patch resource "configmaps"'),
    isFinal: false,
    words: /lacks the right/,
  },
  'a namespace that goes': {
    error: new StatusError(403, 'Forbidden', 'unable to create new content in namespace shop because it is being terminated'),
    isFinal: false,
    words: /namespace "shop" is being deleted/,
  },
  'a credential that is not known': { error: new StatusError(401, 'Unauthorized', 'Unauthorized'), isFinal: false, words: /credential/ },
  'an object that is too large': { error: new StatusError(413, 'RequestEntityTooLarge', 'too large'), isFinal: true, words: /larger/ },
  'a field that the kind does not have': {
    error: new StatusError(500, '', 'failed to create typed patch object (shop/a; v1, Kind=ConfigMap): .dta: field not declared in schema'),
    isFinal: true,
    words: /fields or values that its kind does not have/,
  },
  'an object that is wrong': { error: new StatusError(422, 'Invalid', 'ConfigMap "a" is invalid'), isFinal: true, words: /wrong/ },
  'a member that cannot be reached': {
    error: new UnreachableError('cannot reach "https://east"'),
    reason: workReasons.clusterUnreachable,
    isFinal: false,
    words: /^cannot apply ConfigMap shop\/a$/,
  },
};

test('refusals name the object and what to do, and keep the words of the member', async t => {
  let error: unknown;
  const member = await startMemoryMember(t, client => ({ ...copyOf(client), apply: () => Promise.reject(error) }));
  for (const [name, refusal] of Object.entries(refusals)) {
    ({ error } = refusal);
    const { words, isFinal, reason = workReasons.applyFailed } = refusal;
    await assert.rejects(
      apply(member, [configMap('a')]),
      failure => {
        assert.ok(failsWith({ words, isFinal, reason })(failure), name);
        assert.equal((failure as DeliveryError).cause, error, name);
        assert.deepEqual((failure as DeliveryError).object, { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' });
        return true;
      },
      name,
    );
  }
});

test('the content of a Secret does not get into an error', async t => {
  const got = '.stringData.a: expected string, got &value.valueUnstructured{Value:[]interface {}{"hunter2"}}';
  const error = new StatusError(500, '', `failed to create typed patch object (shop/s; /v1, Kind=Secret): errors:\n  ${got}\n  ${got}`);
  const member = await startMemoryMember(t, client => ({ ...copyOf(client), apply: () => Promise.reject(error) }));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'shop' }, stringData: { a: ['hunter2'] } };
  await assert.rejects(apply(member, [secret]), failure => {
    assert.doesNotMatch(errorText(failure), /hunter2/);
    assert.match(errorText(failure), /\.stringData\.a: expected string, got something else/);
    return true;
  });
});

test('after a refusal nothing new is begun', async t => {
  let asked = 0;
  const member = await startMemoryMember(t, client => ({
    ...copyOf(client),
    apply() {
      asked++;
      return Promise.reject(new StatusError(422, 'Invalid', 'wrong'));
    },
  }));
  await assert.rejects(
    apply(
      member,
      Array.from({ length: 100 }, (_, i) => configMap(`a-${i}`)),
      { concurrency: 4 },
    ),
  );
  assert.ok(asked <= 4, `${asked} were asked`);
});

test('giving up is not an error of the delivery', async t => {
  const member = await startMemoryMember(t);
  const stop = new AbortController();
  const applied = apply(
    member,
    Array.from({ length: 50 }, (_, i) => configMap(`a-${i}`)),
    {
      concurrency: 1,
      signal: stop.signal,
      onApplied: () => stop.abort(new Error('stopped')),
    },
  );
  await assert.rejects(applied, { message: 'stopped' });
});
