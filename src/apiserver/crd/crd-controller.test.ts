import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import type { KubeObject } from '../../api/object.ts';
import { crdController } from './crd-controller.ts';
import { crdResource, crdStatus } from './crd-object.ts';

const crd = (plural: string, kind: string, names: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.ex.io`, ...metadata },
  spec: {
    group: 'ex.io',
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...names },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

async function start(t: TestContext) {
  const api = await startMemoryCluster({ namespaces: ['default'] });
  const errors: unknown[] = [];
  const controller = crdController(api, { now: () => new Date('2026-01-02T03:04:05Z'), onError: (_key, error) => errors.push(error) });
  t.after(() => {
    controller[Symbol.dispose]();
    api[Symbol.dispose]();
    assert.deepEqual(errors, []);
  });
  return { api, controller };
}

const conditionsOf = (obj: KubeObject | undefined): string[] =>
  (obj ? (crdStatus(obj).conditions ?? []) : []).map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);

test('a definition gets its names and is established', async t => {
  const { api, controller } = await start(t);
  await api.create(crdResource, crd('widgets', 'Widget', { shortNames: ['wd'] }));
  await controller.idle();
  const found = api.peek(crdResource, '', 'widgets.ex.io');
  assert.deepEqual(conditionsOf(found), [
    'NamesAccepted=True NoConflicts: no conflicts found',
    'Established=True InitialNamesAccepted: the initial names have been accepted',
  ]);
  assert.deepEqual(found && crdStatus(found).acceptedNames, {
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wd'],
    kind: 'Widget',
    listKind: 'WidgetList',
  });
});

test('a name in use is not given twice, until it is free', async t => {
  const { api, controller } = await start(t);
  await api.create(crdResource, crd('widgets', 'Widget'));
  await controller.idle();
  await api.create(crdResource, crd('gadgets', 'Widget', { singular: 'gadget', listKind: 'GadgetList' }));
  await controller.idle();
  assert.deepEqual(conditionsOf(api.peek(crdResource, '', 'gadgets.ex.io')), [
    'NamesAccepted=False KindConflict: "Widget" is already in use',
    'Established=False NotAccepted: not all names are accepted',
  ]);

  await api.delete(crdResource, { namespace: '', name: 'widgets.ex.io' });
  await controller.idle();
  assert.deepEqual(conditionsOf(api.peek(crdResource, '', 'gadgets.ex.io')), [
    'NamesAccepted=True NoConflicts: no conflicts found',
    'Established=True InitialNamesAccepted: the initial names have been accepted',
  ]);
});

test('of many that want the same names at once one gets them', async t => {
  const { api, controller } = await start(t);
  const plurals = Array.from({ length: 20 }, (_, n) => `widgets${n}`);
  const wanted = { kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] };
  await Promise.all(plurals.map(plural => api.create(crdResource, crd(plural, plural.toUpperCase(), wanted))));
  await controller.idle();
  const given = plurals.map(plural => crdStatus(api.peek(crdResource, '', `${plural}.ex.io`)!).acceptedNames ?? {});
  assert.equal(given.filter(({ kind }) => kind === 'Widget').length, 1);
  assert.equal(given.filter(({ listKind }) => listKind === 'WidgetList').length, 1);
  assert.equal(given.filter(({ shortNames = [] }) => shortNames.includes('wd')).length, 1);
  assert.equal(new Set(given.map(({ plural }) => plural)).size, plurals.length);
});

test('a deleted definition goes when its instances are gone', async t => {
  const { api, controller } = await start(t);
  const gvr = { group: 'ex.io', version: 'v1', resource: 'widgets' };
  await api.create(crdResource, crd('widgets', 'Widget'));
  await controller.idle();
  const instance = (name: string, finalizers: string[]): KubeObject => ({
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'default', finalizers },
  });
  await api.create(gvr, instance('free', []));
  const held = await api.create(gvr, instance('held', ['ex.io/hold']));
  await api.delete(crdResource, { namespace: '', name: 'widgets.ex.io' });
  await controller.idle();
  const waiting = api.peek(crdResource, '', 'widgets.ex.io');
  assert.equal(conditionsOf(waiting).at(-1), 'Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress');
  assert.deepEqual(
    api.peekAll(gvr).map(obj => obj.metadata.name),
    ['held'],
  );

  const leaving = api.peek(gvr, 'default', held.metadata.name ?? '');
  assert.ok(leaving);
  await api.update(gvr, { ...leaving, metadata: { ...leaving.metadata, finalizers: [] } });
  await controller.idle();
  assert.equal(api.peek(crdResource, '', 'widgets.ex.io'), undefined);
});

test('a definition in a group of Kubernetes says whether it was approved', async t => {
  const { api, controller } = await start(t);
  const obj = crd(
    'widgets',
    'Widget',
    {},
    { name: 'widgets.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for now' } },
  );
  (obj['spec'] as { group: string }).group = 'x.k8s.io';
  await api.create(crdResource, obj);
  await controller.idle();
  assert.deepEqual(
    conditionsOf(api.peek(crdResource, '', 'widgets.x.k8s.io'))[0],
    'KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation: not approved: "unapproved, for now"',
  );
});
