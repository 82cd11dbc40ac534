import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import type { Work } from '../../api/work.ts';
import { compileWorks } from './compile-works.ts';
import { readConfig } from './effective-config.ts';
import { ServiceSet, type SetService } from './kinds/service-set.ts';
import { ServiceTemplate } from './kinds/template.ts';
import { serviceSetName } from './service-set-name.ts';
import { isSetDeployed, reportSet, serviceStates } from './service-states.ts';
import { contentAnnotation } from './template-content.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const now = new Date('2026-01-01T00:00:00Z');
const template = (name: string): ServiceTemplate =>
  newObject(
    ServiceTemplate,
    { name, namespace: 'kcm-system', annotations: { [contentAnnotation]: digest } },
    { helm: { chartSpec: { chart: 'c' } } },
  );
const service = (name: string, more: Partial<SetService> = {}): SetService => ({
  name,
  namespace: name,
  template: `${name}-1`,
  version: '1',
  ...more,
});

function setOf(services: SetService[], mcs?: string): ServiceSet {
  const name = serviceSetName('dev-cluster-1', mcs);
  return newObject(
    ServiceSet,
    { name, namespace: 'kcm-system', uid: `uid-${name}` },
    { cluster: 'dev-cluster-1', provider: {}, services, ...(mcs !== undefined && { multiClusterService: mcs }) },
  );
}

function compile(set: ServiceSet, present = new Map<string, Work>(), config = {}) {
  return compileWorks({ set, config: readConfig(config), clusterNamespace: 'c-m-aaaaaaaa', present, template, values: () => ({ x: 1 }) });
}

type Told = 'done' | 'failed' | 'outranked';
function told(work: Work, how: Told): Work {
  const generation = 1;
  const condition = (type: string, status: 'True' | 'False', reason: string) =>
    ({ type, status, reason, message: 'the member said no', lastTransitionTime: '', observedGeneration: generation }) as const;
  const status: Work['status'] =
    how === 'done'
      ? { conditions: [condition('Applied', 'True', 'Delivered'), condition('Ready', 'True', 'Healthy')] }
      : how === 'failed'
        ? { failures: 1, conditions: [condition('Applied', 'False', 'ApplyFailed'), condition('Ready', 'False', 'ApplyFailed')] }
        : { outrankedBy: { work: 'rival', priority: 300 }, conditions: [condition('Ready', 'False', 'Outranked')] };
  return { ...work, metadata: { ...work.metadata, generation }, status };
}

/** Compiles until the services say what the table says. */
function after(services: SetService[], outcomes: Record<string, Told>, config = {}) {
  const present = new Map<string, Work>();
  const set = setOf(services);
  for (let round = 0; round <= services.length; round++) {
    for (const work of compile(set, present, config).works) {
      const { name, namespace } = work.spec.release;
      const how = outcomes[name];
      present.set(`${namespace}/${name}`, how ? told(work, how) : work);
    }
  }
  const compiled = compile(set, present, config);
  const states = serviceStates({ set, compiled, present, rival: () => undefined, template, clusterKind: 'sveltos', now });
  return { set, states, told: Object.fromEntries(states.map(one => [one.name, one.state])) };
}

test('names of ServiceSets are those of k0rdent', () => {
  assert.equal(serviceSetName('dev-cluster-1', undefined), 'dev-cluster-1');
  const names = { mcs0: '6ec16280', mcs1: '3556efa5', mcs2: 'fc79ea26', 'global-ingress': 'bb74fe23' };
  for (const [mcs, hash] of Object.entries(names)) assert.equal(serviceSetName('dev-cluster-1', mcs), `dev-cluster-1-${hash}`);
  assert.equal(serviceSetName(undefined, 'mcs1'), 'management-3556efa5');
});

test('a service becomes a Work of its release with the priority of its owner', () => {
  const { works } = compile(setOf([service('web')], 'global-ingress'), new Map(), {
    priority: 300,
    syncMode: 'ContinuousWithDriftDetection',
  });
  assert.equal(works.length, 1);
  const [{ metadata, spec }] = works as [Work];
  assert.deepEqual([metadata.namespace, metadata.name], ['c-m-aaaaaaaa', 'kcm-system.dev-cluster-1-bb74fe23.web.web']);
  assert.deepEqual(spec.release, { name: 'web', namespace: 'web' });
  assert.deepEqual([spec.priority, spec.sync, spec.chart, spec.values], [300, 'CorrectDrift', { content: digest }, { x: 1 }]);
  assert.deepEqual([spec.options?.atomic, spec.options?.history, spec.options?.createNamespace], [true, 2, true]);
});

test('what others may change, what is patched and how often is tried come from the config', () => {
  const target = { kind: 'Deployment', namespace: 'a|b', annotationSelector: 'mine=yes' };
  const config = {
    driftIgnore: [target],
    driftExclusions: [{ paths: ['/spec/replicas'], target: { labelSelector: 'app=web' } }],
    maxConsecutiveFailures: 3,
    reloader: true,
  };
  const [{ spec }] = compile(setOf([service('web')]), new Map(), config).works as [Work];
  assert.deepEqual(spec.driftExclusions, [
    { target, paths: ['/*'] },
    { target: { labelSelector: 'app=web' }, paths: ['/spec/replicas'] },
  ]);
  assert.deepEqual([spec.options?.maxFailures, spec.options?.reload], [3, true]);
});

test('services are delivered one after the other', () => {
  const list = [service('a'), service('b'), service('c')];
  assert.deepEqual(after(list, {}).told, { a: 'Provisioning', b: 'Pending', c: 'Pending' });
  assert.deepEqual(after(list, { a: 'done' }).told, { a: 'Deployed', b: 'Provisioning', c: 'Pending' });
});

test('one that failed stops the rest unless errors are passed over', () => {
  const list = [service('a'), service('b')];
  assert.deepEqual(after(list, { a: 'failed' }).told, { a: 'Failed', b: 'Pending' });
  assert.deepEqual(after(list, { a: 'failed', b: 'done' }, { continueOnError: true }).told, { a: 'Failed', b: 'Deployed' });
});

test('one that lost a conflict stops the rest only when it is to', () => {
  const list = [service('a'), service('b')];
  assert.deepEqual(after(list, { a: 'outranked', b: 'done' }).told, { a: 'Failed', b: 'Deployed' });
  assert.deepEqual(after(list, { a: 'outranked', b: 'done' }, { stopOnConflict: true }).told, { a: 'Failed', b: 'Pending' });
});

test('the loser of a conflict names the winner in the words of Sveltos', () => {
  const set = setOf([service('ingress-nginx')]);
  const [work] = compile(set).works as [Work];
  const rivalSet = setOf([service('ingress-nginx')], 'global-ingress');
  const [rival] = compile(rivalSet).works as [Work];
  const present = new Map([['ingress-nginx/ingress-nginx', told(work, 'outranked')]]);
  const input = { set, compiled: compile(set, present), present, template, now };
  const [state] = serviceStates({ ...input, rival: () => rival, clusterKind: 'capi' });
  assert.equal(
    state?.failureMessage,
    'ClusterSummary p--dev-cluster-1-bb74fe23-capi-dev-cluster-1 managing it (MultiClusterService global-ingress, priority 300)',
  );
});

test('a set says how many of its services are deployed', () => {
  const { set, states } = after([service('a'), service('b')], { a: 'done', b: 'failed' });
  assert.equal(isSetDeployed(set, states), false);
  const ready = reportSet(set, states, undefined).find(one => one.type === 'ServicesInReadyState');
  assert.deepEqual([ready?.status, ready?.message], ['False', '1/2']);
});

test('what is no longer wanted goes, the last first, and what is to be uninstalled too', () => {
  const [a, b] = [service('a'), service('b')];
  const present = new Map(compile(setOf([a]), new Map()).works.map(work => ['a/a', work]));
  present.set('b/b', compile(setOf([b])).works[0]!);
  const { removals } = compile(setOf([{ ...a, helmAction: 'Uninstall' }]), present);
  assert.deepEqual(
    removals.map(work => work.spec.release.name),
    ['b', 'a'],
  );
});

test('a template that is not there fails its service and names the namespace looked in', () => {
  const set = setOf([service('a')]);
  const compiled = compileWorks({
    set,
    config: readConfig({}),
    clusterNamespace: 'c-m-aaaaaaaa',
    present: new Map(),
    template: () => undefined,
    values: () => ({}),
  });
  assert.equal(compiled.failures.get('a/a'), 'failed to fetch template kcm-system/a-1: not found in namespace kcm-system');
});
