import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import { printJson } from '../../../util/json.ts';
import { selectorOf } from './pod-template.ts';
import { scaleDownOld } from './scale.ts';
import { SimulatedMember, web } from './simulated-member.ts';

const version = (value: string, service = web.service()) => [web.deployment(`web:${value}`), service, web.config(value)];
const stage = (member: SimulatedMember, value: string, options = {}) => {
  member.beginRun();
  return member.step('StageDeploy', { rendered: version(value), ...options });
};
const names = { service1: 'web', service2: 'web-stage' };
const swap = (member: SimulatedMember, options = {}) => member.step('SwapServices', { with: names, ...options });
const unswap = (member: SimulatedMember, options = {}) =>
  member.step('SwapServices', { with: names, settings: { isRollback: true }, ...options });
const colorOf = (member: SimulatedMember, name: string) => selectorOf(member.find('Service', name)!)['harness.io/color'];
const image = (obj: KubeObject | undefined) => /"image":"([^"]+)"/.exec(printJson(obj))?.[1];

test('bg_first_is_blue', () => {
  const member = new SimulatedMember();
  const begun = stage(member, 'a');
  assert.ok(begun.lines.some(({ message }) => message === 'Created Stage service [web-stage] using Spec from Primary Service [web]'));
  assert.deepEqual(member.names('Deployment'), ['web-blue']);
  // There is nothing behind the primary Service until the swap.
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['green', 'blue']);
  assert.deepEqual(member.state.blueGreen, {
    primaryService: 'web',
    stageService: 'web-stage',
    primaryColorBefore: '',
    stageColor: 'blue',
    swapped: false,
  });
  assert.equal(member.find('Service', 'web')?.metadata.annotations?.['harness.io/primary-service'], 'true');
  assert.equal(member.find('Service', 'web-stage')?.metadata.annotations?.['harness.io/stage-service'], 'true');
  const [record] = member.book.records;
  assert.deepEqual([record?.color, record?.environment, record?.status], ['blue', 'stage', 'Succeeded']);
});

test('bg_second_is_green_swap', () => {
  const member = new SimulatedMember();
  stage(member, 'a');
  swap(member);
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['blue', 'green']);
  stage(member, 'b');
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['blue', 'green']);
  assert.deepEqual(member.names('Deployment'), ['web-blue', 'web-green']);
  assert.deepEqual([image(member.find('Deployment', 'web-blue')), image(member.find('Deployment', 'web-green'))], ['web:a', 'web:b']);
  assert.equal(member.state.blueGreen?.primaryColorBefore, 'blue');
  swap(member);
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['green', 'blue']);
  assert.deepEqual(
    member.book.records.map(({ color, environment }) => [color, environment]),
    [
      ['blue', 'stage'],
      ['green', 'primary'],
    ],
  );
  stage(member, 'c');
  assert.deepEqual(
    member.book.records.map(({ number }) => number),
    [2, 3],
  );
  assert.deepEqual(member.names('ConfigMap'), ['config-2', 'config-3']);
});

test('bg_swap_retry_does_not_toggle, bg_rollback_only_swapped_clusters', () => {
  const member = new SimulatedMember();
  stage(member, 'a');
  const notYet = unswap(member);
  assert.equal(notYet.outcome === 'skipped' && notYet.message, 'Services were not swapped in the deployment phase. Skipping.');
  swap(member);
  const first = unswap(member);
  assert.equal(first.outcome === 'done' && first.message, 'No previous eligible release found.');
  assert.equal(colorOf(member, 'web'), 'blue');
  stage(member, 'b');
  swap(member, { crashes: 2 });
  swap(member);
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['green', 'blue']);
  unswap(member, { crashes: 1 });
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['blue', 'green']);
  assert.equal(member.state.blueGreen?.swapped, false);
  assert.equal(unswap(member).outcome, 'skipped');
});

test('bg_conflicting_service_message, unless the Service is adopted', () => {
  const member = new SimulatedMember();
  member.put(web.service());
  member.put(web.deployment('web:old'));
  const begun = stage(member, 'a');
  assert.equal(
    begun.outcome === 'failed' && begun.message,
    'Found conflicting service [web] in the cluster. For blue/green deployment, the label [harness.io/color] is required in service selector. Delete this existing service to proceed',
  );
  assert.deepEqual(member.work, []);
  stage(member, 'a', { with: { adoptExistingService: true } });
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['blue', 'green']);
  assert.deepEqual(member.names('Deployment'), ['web', 'web-green']);
  assert.match(printJson(member.find('Deployment', 'web')), /"harness.io\/color":"blue"/);
  swap(member);
  unswap(member);
  assert.equal(colorOf(member, 'web'), 'blue');
});

test('bg_stage_clone_has_no_clusterip', () => {
  const member = new SimulatedMember();
  member.beginRun();
  const primary = web.service('web', {
    clusterIP: '10.0.0.7',
    clusterIPs: ['10.0.0.7'],
    healthCheckNodePort: 30000,
    loadBalancerIP: '192.0.2.1',
    type: 'LoadBalancer',
    ports: [{ port: 80, nodePort: 30080 }],
  });
  member.step('StageDeploy', { rendered: version('a', primary) });
  assert.deepEqual(member.find('Service', 'web-stage')?.['spec'], {
    type: 'LoadBalancer',
    ports: [{ port: 80 }],
    selector: { app: 'web', 'harness.io/color': 'blue' },
  });
});

test('which Services are meant must be clear', () => {
  const member = new SimulatedMember();
  const message = (rendered: readonly KubeObject[]) => {
    member.beginRun();
    const begun = member.step('StageDeploy', { rendered });
    return begun.outcome === 'failed' ? begun.message : begun.outcome;
  };
  const primary = (name: string) => web.service(name, {}, { 'harness.io/primary-service': 'true' });
  const deployment = web.deployment('x');
  assert.match(
    message([deployment, web.config('a')]),
    /^No service is found in manifests\. Service is required for BlueGreen deployments\./,
  );
  assert.match(message([deployment, web.service('a'), web.service('b')]), /^Could not locate a Primary Service in Manifests\./);
  assert.match(message([deployment, primary('a'), primary('b')]), /^More than one Primary Service/);
  const staged = web.service('b', {}, { 'harness.io/stage-service': 'true' });
  assert.equal(message([deployment, web.config('a'), primary('a'), staged, web.service('c')]), 'deliver');
  assert.equal(member.state.blueGreen?.stageService, 'b');
});

test('a Service that is not there cannot be swapped; two others are exchanged', () => {
  const member = new SimulatedMember();
  stage(member, 'a');
  const missing = member.step('SwapServices', { with: { service1: 'web', service2: 'nobody' } });
  assert.equal(missing.outcome === 'failed' && missing.message, 'Service nobody not found.');
  member.put(web.service('one', { selector: { app: 'one' } }));
  member.put(web.service('two', { selector: { app: 'two' } }));
  const begun = member.step('SwapServices', { with: { service1: 'one', service2: 'two' } });
  assert.equal(begun.outcome, 'deliver');
  const exchanged = () => ['one', 'two'].map(name => selectorOf(member.find('Service', name)!)['app']);
  assert.deepEqual(exchanged(), ['two', 'one']);
  // Another attempt is not another exchange; another step is.
  member.step('SwapServices', { with: { service1: 'one', service2: 'two' } });
  assert.deepEqual(exchanged(), ['two', 'one']);
  member.step('SwapServices', { with: { service1: 'one', service2: 'two' }, settings: { position: 2 } });
  assert.deepEqual(exchanged(), ['one', 'two']);
});

test('the color that production has left sleeps, and is awake before production goes back', () => {
  const member = new SimulatedMember();
  stage(member, 'a');
  swap(member);
  stage(member, 'b');
  swap(member);
  const replicas = () => (member.find('Deployment', 'web-blue')?.['spec'] as { replicas: number }).replicas;
  member.work = scaleDownOld(member.input()).objects;
  assert.equal(replicas(), 0);
  const begun = member.begin('SwapServices', { with: names, settings: { isRollback: true } });
  assert.equal(replicas(), 1);
  assert.equal(colorOf(member, 'web'), 'green');
  assert.deepEqual(begun.outcome === 'deliver' && begun.await.map(({ name }) => name), ['web-blue']);
  member.end('SwapServices', { with: names, settings: { isRollback: true } }, 'steady');
  assert.deepEqual([colorOf(member, 'web'), colorOf(member, 'web-stage')], ['blue', 'green']);
  assert.equal(member.state.blueGreen?.swapped, false);
});

test('whatever is done, production moves only by a swap, to what was staged, and back to what it was', () => {
  const action = fc.record({
    value: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    result: fc.constantFrom('steady' as const, 'steady' as const, 'failed' as const),
    swaps: fc.nat({ max: 2 }),
    goesBack: fc.boolean(),
    crashes: fc.nat({ max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 12 }), actions => {
      const member = new SimulatedMember();
      const primary = () => (member.find('Service', 'web') ? colorOf(member, 'web') : undefined);
      const inProduction = () => printJson(member.find('Deployment', `web-${primary()}`));
      for (const { value, result, swaps, goesBack, crashes } of actions) {
        const [before, running] = [primary(), inProduction()];
        stage(member, value, { result, crashes });
        const { blueGreen } = member.state;
        if (before !== undefined) {
          assert.equal(primary(), before);
          assert.equal(inProduction(), running);
        }
        assert.notEqual(blueGreen?.stageColor, primary());
        assert.equal(image(member.find('Deployment', `web-${blueGreen!.stageColor}`)), `web:${value}`);
        if (result === 'failed') continue;
        for (let i = 0; i < swaps; i++) swap(member, { crashes });
        assert.equal(primary(), swaps > 0 ? blueGreen!.stageColor : (before ?? 'green'));
        assert.notEqual(colorOf(member, 'web-stage'), primary());
        if (!goesBack) continue;
        unswap(member, { crashes });
        if (blueGreen!.primaryColorBefore !== '') {
          assert.equal(primary(), blueGreen!.primaryColorBefore);
          assert.equal(inProduction(), running);
        }
        assert.ok(member.book.records.filter(({ environment }) => environment === 'primary').every(({ color }) => color === primary()));
      }
    }),
    { numRuns: 60 },
  );
});
