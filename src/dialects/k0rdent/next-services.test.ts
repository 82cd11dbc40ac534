import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../api/define-kind.ts';
import type { SetService } from './kinds/service-set.ts';
import type { Service, ServiceState } from './kinds/service-spec.ts';
import { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { nextServices } from './next-services.ts';
import { listUpgradePaths } from './upgrade-paths.ts';
import { checkDependencies, checkReferences, serviceKey, type TemplateLookup } from './validate-services.ts';

const namespace = 'kcm-system';

/** `nginx-4-11-3` is a template of version 4.11.3. */
function template(name: string): ServiceTemplate {
  const version = /-(\d+)-(\d+)-(\d+)$/.exec(name)?.slice(1).join('.') ?? '1.0.0';
  const spec = { helm: { chartSpec: { chart: 'c', version } } };
  return { ...newObject(ServiceTemplate, { name, namespace }, spec), status: { valid: true } };
}

function chain(name: string, upgrades: Record<string, readonly string[]>): ServiceTemplateChain {
  const supportedTemplates = Object.entries(upgrades).map(([from, to]) => ({
    name: from,
    availableUpgrades: to.map(one => ({ name: one, version: template(one).spec.helm!.chartSpec!.version! })),
  }));
  return { ...newObject(ServiceTemplateChain, { name, namespace }, { supportedTemplates }), status: { valid: true } };
}

const nginxChain = chain('nginx', { 'n-4-11-3': ['n-4-11-5', 'n-4-12-0'], 'n-4-11-5': ['n-4-12-0'], 'n-4-12-0': [] });
const known: TemplateLookup = { template: (_, name) => template(name), chain: (_, name) => (name === 'nginx' ? nginxChain : undefined) };

const service = (name: string, more: Partial<Service> = {}): Service => ({ name, namespace: name, template: `${name}-1-0-0`, ...more });
const stored = (name: string, templateName = `${name}-1-0-0`): SetService => ({
  name,
  namespace: name,
  template: templateName,
  version: template(templateName).spec.helm!.chartSpec!.version!,
});
const observed = (one: SetService, state: ServiceState['state'] = 'Deployed'): ServiceState => ({
  type: 'Helm',
  name: one.name,
  namespace: one.namespace,
  template: one.template,
  state,
  lastStateTransitionTime: '2026-01-01T00:00:00Z',
  ...(state === 'Deployed' && { version: one.version! }),
});
const next = (desired: Service[], now: SetService[] = [], states: ServiceState[] = now.map(one => observed(one))) =>
  nextServices({ desired, stored: now, observed: states, namespace, known });
const templates = (services: readonly SetService[]) => services.map(one => `${one.name}:${one.template}`);

test('a dependent is absent until what it needs is deployed, then it comes', () => {
  const desired = [service('b', { dependsOn: [{ name: 'a', namespace: 'a' }] }), service('a')];
  const first = next(desired);
  assert.deepEqual(templates(first.services), ['a:a-1-0-0']);
  assert.deepEqual(first.waiting.get('b/b'), ['a/a']);
  assert.deepEqual(templates(next(desired, [stored('a')], [observed(stored('a'), 'Provisioning')]).services), ['a:a-1-0-0']);
  assert.deepEqual(templates(next(desired, [stored('a')]).services), ['a:a-1-0-0', 'b:b-1-0-0']);
});

test('a dependent is locked while what it needs is upgraded', () => {
  const desired = [
    service('a', { template: 'a-2-0-0' }),
    service('b', { template: 'b-2-0-0', values: 'x: 1', dependsOn: [{ name: 'a', namespace: 'a' }] }),
  ];
  const { services } = next(desired, [stored('a'), stored('b')]);
  assert.deepEqual(services, [{ ...stored('a', 'a-2-0-0') }, stored('b')]);
});

test('a list that says nothing new is not put into another order', () => {
  const desired = [service('a', { dependsOn: [{ name: 'z', namespace: 'z' }] }), service('z')];
  for (const now of [
    [stored('z'), stored('a')],
    [stored('a'), stored('z')],
  ]) {
    assert.deepEqual(templates(next(desired, now).services), templates(now));
    assert.deepEqual(templates(next(desired, now, []).services), templates(now));
  }
});

test('what another owner has deployed satisfies as well', () => {
  const desired = [service('a'), service('b', { dependsOn: [{ name: 'a', namespace: 'a' }] })];
  const now = [stored('a')];
  const input = { desired, stored: now, observed: [observed(stored('a'), 'Failed')], namespace, known };
  assert.deepEqual(templates(nextServices(input).services), ['a:a-1-0-0']);
  assert.equal(nextServices({ ...input, isThereAnyway: key => key === 'a/a' }).services.length, 2);
});

test('along a chain every version is walked', () => {
  const desired = [service('n', { template: 'n-4-12-0', templateChain: 'nginx' })];
  const first = next(desired, [stored('n', 'n-4-11-3')]);
  assert.deepEqual(templates(first.services), ['n:n-4-11-5']);
  assert.deepEqual(templates(next(desired, first.services, [observed(first.services[0]!, 'Provisioning')]).services), ['n:n-4-11-5']);
  assert.deepEqual(templates(next(desired, first.services).services), ['n:n-4-12-0']);
});

test('a template that the chain does not reach leaves the service as it is and says so', () => {
  const desired = [service('n', { template: 'n-4-11-3', templateChain: 'nginx' })];
  const { services, blocked } = next(desired, [stored('n', 'n-4-12-0')]);
  assert.deepEqual(templates(services), ['n:n-4-12-0']);
  assert.deepEqual(blocked, [{ key: 'n/n', message: "service n/n can't be upgraded from n-4-12-0 to n-4-11-3" }]);
});

test('without a chain any change is direct, and one that failed can be sent elsewhere', () => {
  const desired = [service('n', { template: 'n-4-11-3' })];
  assert.deepEqual(templates(next(desired, [stored('n', 'n-4-12-0')]).services), ['n:n-4-11-3']);
  const now = [stored('n', 'n-4-12-0')];
  assert.deepEqual(templates(next(desired, now, [observed(now[0]!, 'Failed')]).services), ['n:n-4-11-3']);
  assert.deepEqual(templates(next(desired, now, [observed(now[0]!, 'Provisioning')]).services), ['n:n-4-12-0']);
});

test('after a failed step the way goes on from what is deployed', () => {
  const failed = (version: string | undefined) => {
    const now = [stored('n', 'n-4-11-5')];
    return { now, states: [{ ...observed(now[0]!, 'Failed'), ...(version !== undefined && { version }) }] };
  };
  const to = (template: string, version: string | undefined) => {
    const { now, states } = failed(version);
    const { services, blocked } = next([service('n', { template, templateChain: 'nginx' })], now, states);
    return [...templates(services), ...blocked.map(({ message }) => message)];
  };
  assert.deepEqual(to('n-4-11-3', '4.11.3'), ['n:n-4-11-3']);
  assert.deepEqual(to('n-4-12-0', '4.11.3'), ['n:n-4-11-5']);
  assert.deepEqual(to('n-4-12-0', '4.11.5'), ['n:n-4-12-0']);
  assert.deepEqual(to('n-4-12-0', undefined), ['n:n-4-12-0']);
  assert.deepEqual(to('n-4-11-3', '4.11.5'), ['n:n-4-11-5', "service n/n can't be upgraded from n-4-11-5 to n-4-11-3"]);
});

test('a disabled service is not deployed when it was not, and frozen when it was', () => {
  const desired = [service('a', { disable: true, template: 'a-2-0-0' })];
  assert.deepEqual(next(desired).services, []);
  assert.deepEqual(next(desired, [stored('a')]).services, [stored('a')]);
});

test('upgrade paths are the longest, and the template itself without a chain', () => {
  assert.deepEqual(listUpgradePaths([service('n', { template: 'n-4-11-3' })], namespace, known)[0]?.availableUpgrades, [
    { versions: [{ name: 'n-4-11-3', version: 'n-4-11-3' }] },
  ]);
  const [paths] = listUpgradePaths([service('n', { template: 'n-4-11-3', templateChain: 'nginx' })], namespace, known);
  assert.deepEqual(paths?.availableUpgrades, [
    {
      versions: [
        { name: 'n-4-11-5', version: '4.11.5' },
        { name: 'n-4-12-0', version: '4.12.0' },
      ],
    },
    { versions: [{ name: 'n-4-11-5', version: '4.11.5' }] },
  ]);
});

test('faults are told in the words of k0rdent', () => {
  const nothing: TemplateLookup = { template: () => undefined, chain: () => undefined };
  assert.deepEqual(checkReferences([service('a')], 'team', nothing), ['the ServiceTemplate team/a-1-0-0 is not found in namespace team']);
  assert.deepEqual(checkReferences([service('x', { templateChain: 'nginx' })], namespace, known), [
    'the ServiceTemplateChain kcm-system/nginx does not support ServiceTemplate x-1-0-0',
  ]);
  assert.deepEqual(checkDependencies([service('a', { dependsOn: [{ name: 'b' }] })]), [
    'dependency default/b of service a/a is not defined as a service',
  ]);
  const cycle = [
    service('a', { dependsOn: [{ name: 'b', namespace: 'b' }] }),
    service('b', { dependsOn: [{ name: 'a', namespace: 'a' }] }),
  ];
  assert.deepEqual(checkDependencies(cycle), ['dependency cycle detected at a/a']);
});

test('whatever the order of events, no dependent is ahead of what it needs and everything arrives', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const list = fc
    .tuple(...names.map((_, i) => fc.subarray(names.slice(0, i))))
    .map(needs => names.map((name, i) => service(name, { dependsOn: needs[i]!.map(one => ({ name: one, namespace: one })) })));
  fc.assert(
    fc.property(
      list,
      fc.infiniteStream(fc.constantFrom<ServiceState['state']>('Deployed', 'Deployed', 'Provisioning')),
      (desired, outcomes) => {
        let now: SetService[] = [];
        let states: ServiceState[] = [];
        for (let round = 0; round < 60; round++) {
          now = next(desired, now, states).services;
          const deployed = new Set(states.filter(one => one.state === 'Deployed').map(serviceKey));
          for (const one of now) {
            const needs = desired.find(service => serviceKey(service) === serviceKey(one))!.dependsOn ?? [];
            assert.ok(needs.every(needed => deployed.has(serviceKey(needed))));
          }
          states = now.map(one => observed(one, deployed.has(serviceKey(one)) ? 'Deployed' : outcomes.next().value!));
        }
        assert.equal(now.length, names.length);
      },
    ),
  );
});

const planned = (desired: Service[], now: SetService[], states: ServiceState[]) =>
  templates(nextServices({ desired, stored: now, observed: states, namespace, known, isDryRun: true }).services);

test('a plan waits for nothing', () => {
  const desired = [service('b', { dependsOn: [{ name: 'a', namespace: 'a' }] }), service('a')];
  assert.deepEqual(planned(desired, [], []), ['a:a-1-0-0', 'b:b-1-0-0']);
});

test('a plan takes the first step of a chain from what is deployed, however often it is made', () => {
  const desired = [service('n', { template: 'n-4-12-0', templateChain: 'nginx' })];
  const deployed = observed(stored('n', 'n-4-11-3'));
  assert.deepEqual(planned(desired, [stored('n', 'n-4-11-3')], [deployed]), ['n:n-4-11-5']);
  assert.deepEqual(planned(desired, [stored('n', 'n-4-11-5')], [deployed]), ['n:n-4-11-5']);
  assert.deepEqual(planned(desired, [stored('n', 'n-4-11-5')], []), ['n:n-4-11-5']);
  assert.deepEqual(planned([service('n', { template: 'n-4-11-3', templateChain: 'nginx' })], [stored('n', 'n-4-11-5')], [deployed]), [
    'n:n-4-11-3',
  ]);
});

test('a plan for what was never deployed goes where it is sent', () => {
  const pending = observed(stored('n', 'n-4-11-3'), 'Pending');
  assert.deepEqual(planned([service('n', { template: 'n-4-12-0' })], [stored('n', 'n-4-11-3')], [pending]), ['n:n-4-12-0']);
});
