import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import { configsOf } from './retention.ts';
import { keysOf } from './compose-work.ts';
import { readBook } from './read-book.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import { SimulatedMember, web } from './simulated-member.ts';
import { printJson } from '../../../util/json.ts';

const version = (value: string, more: readonly KubeObject[] = []) => [
  web.deployment(`web:${value}`),
  web.service(),
  web.config(value),
  ...more,
];
const deploy = (member: SimulatedMember, value: string, more: readonly KubeObject[] = [], options = {}) => {
  member.beginRun();
  return member.step('RollingDeploy', { rendered: version(value, more), ...options });
};
const back = (member: SimulatedMember, given = {}, settings = {}) =>
  member.step('RollingRollback', { with: given, settings: { isRollback: true, ...settings } });
const statuses = (member: SimulatedMember) => Object.fromEntries(member.book.records.map(({ number, status }) => [number, status]));
const image = (member: SimulatedMember, name = 'web') => /"image":"([^"]+)"/.exec(printJson(member.find('Deployment', name)))?.[1];
const linesOf = (begun: { lines: readonly { unit: string; message: string }[] }, unit: string) =>
  begun.lines.filter(line => line.unit === unit).map(({ message }) => message);

test('rolling_first_creates_config_1_release_1', () => {
  const member = new SimulatedMember();
  const begun = deploy(member, 'a');
  assert.deepEqual(member.names('ConfigMap'), ['config-1']);
  assert.deepEqual(statuses(member), { 1: 'Succeeded' });
  assert.equal(member.state.releaseNumber, 1);
  assert.deepEqual(linesOf(begun, 'Prepare').slice(-6), [
    'Current release number is: 1',
    'No previous successful release found.',
    'Cleaning up older and failed releases',
    'Found following Managed Workloads: ',
    '- Deployment/web',
    'Done.',
  ]);
  const record = member.find('Secret', 'harness.release.web.1');
  assert.equal(record?.['type'], 'harness.io/release/v2');
  const { labels, annotations } = record!.metadata;
  assert.deepEqual(
    { ...labels, 'harness.io/manifest-hash': '' },
    {
      owner: 'harness',
      release: 'web',
      'release-number': '1',
      status: 'Succeeded',
      'harness.io/pruning-enabled': 'false',
      'harness.io/manifest-hash': '',
    },
  );
  assert.match(labels!['harness.io/manifest-hash']!, /^[0-9a-f]{16}$/);
  assert.equal(annotations?.['drover.io/run'], 'run-1');
  assert.equal(annotations?.['drover.io/run-uid'], 'uid-1');
  assert.deepEqual(
    member.book.records[0]!.manifest().map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    ['ConfigMap/config-1', 'Service/web', 'Deployment/web'],
  );
});

test('the record is there before anything else, so that no number is lost', () => {
  const member = new SimulatedMember();
  member.beginRun();
  const begun = member.begin('RollingDeploy', { rendered: version('a') });
  assert.ok(begun.outcome === 'deliver');
  assert.equal(begun.objects[0]?.metadata.name, 'harness.release.web.1');
  assert.equal(begun.objects[0]?.metadata.labels?.['status'], 'InProgress');
});

test('rolling_second_creates_config_2_keeps_1, fourth_deletes_config_1', () => {
  const member = new SimulatedMember();
  deploy(member, 'a');
  const second = deploy(member, 'b');
  assert.deepEqual(member.names('ConfigMap'), ['config-1', 'config-2']);
  assert.ok(linesOf(second, 'Prepare').includes('Previous Successful Release is 1'));
  deploy(member, 'c');
  deploy(member, 'd');
  assert.deepEqual(member.names('ConfigMap'), ['config-2', 'config-3', 'config-4']);
  assert.deepEqual(statuses(member), { 2: 'Succeeded', 3: 'Succeeded', 4: 'Succeeded' });
});

test('labels: the template bears the release; in a canary run also the track, and the selector of what is new', () => {
  const member = new SimulatedMember();
  deploy(member, 'a');
  const labels = (deployment: KubeObject | undefined) => {
    const { selector, template } = deployment?.['spec'] as {
      selector: { matchLabels: object };
      template: { metadata: { labels: object } };
    };
    return { selector: selector.matchLabels, template: template.metadata.labels };
  };
  assert.deepEqual(labels(member.find('Deployment', 'web')), {
    selector: { app: 'web' },
    template: { app: 'web', 'harness.io/release-name': 'web' },
  });
  // The selector of what is there cannot be changed.
  deploy(member, 'b', [], { settings: { isCanaryRun: true } });
  assert.deepEqual(labels(member.find('Deployment', 'web')), {
    selector: { app: 'web' },
    template: { app: 'web', 'harness.io/release-name': 'web', 'harness.io/track': 'stable' },
  });
  const fresh = new SimulatedMember();
  deploy(fresh, 'a', [], { settings: { isCanaryRun: true } });
  assert.deepEqual(labels(fresh.find('Deployment', 'web')).selector, { app: 'web', 'harness.io/track': 'stable' });
  deploy(fresh, 'b');
  assert.deepEqual(labels(fresh.find('Deployment', 'web')).selector, { app: 'web', 'harness.io/track': 'stable' });
});

test('rolling_rollback_restores_config_and_service', () => {
  const member = new SimulatedMember();
  const plain = (value: string) => web.config(value, 'plain', { 'harness.io/skip-versioning': 'true' });
  deploy(member, 'a', [plain('a')]);
  member.beginRun();
  member.step('RollingDeploy', {
    rendered: [
      web.deployment('web:b'),
      web.service('web', { sessionAffinity: 'ClientIP' }),
      web.config('b'),
      plain('b'),
      web.service('extra'),
    ],
    result: 'failed',
  });
  assert.deepEqual(statuses(member), { 1: 'Succeeded', 2: 'Failed' });
  const begun = back(member);
  assert.equal(linesOf(begun, 'Rollback')[0], 'Rolling back to release 1');
  assert.equal(image(member), 'web:a');
  assert.deepEqual(member.find('ConfigMap', 'plain')?.['data'], { value: 'a' });
  assert.equal((member.find('Service', 'web')?.['spec'] as Record<string, unknown>)['sessionAffinity'], undefined);
  assert.equal(member.find('Service', 'extra'), undefined);
  assert.deepEqual(statuses(member), { 1: 'Succeeded', 2: 'Failed' });
});

test('a run that was cut short does not take back what others have deployed since', () => {
  const member = new SimulatedMember();
  const deploy = (image: string) => ({ rendered: [web.deployment(image), web.config(image)] });
  member.beginRun();
  member.step('RollingDeploy', deploy('web:a'));
  member.beginRun();
  member.begin('RollingDeploy', deploy('web:b'));
  const [run, state] = [member.run, member.state];
  member.beginRun();
  member.step('RollingDeploy', deploy('web:c'));
  Object.assign(member, { run, state });
  const begun = member.step('RollingRollback', { settings: { isRollback: true } });
  assert.equal(begun.outcome === 'skipped' && begun.message, 'Release 3 was deployed after it. Skipping.');
  assert.match(printJson(member.find('Deployment', 'web')), /web:c/);
});

test('rollback_first_deploy_noop, unless it is to be deleted', () => {
  const member = new SimulatedMember();
  deploy(member, 'a', [], { result: 'failed' });
  const begun = back(member);
  assert.equal(begun.outcome === 'done' && begun.message, "No previous eligible release found. Can't rollback.");
  assert.ok(member.find('Deployment', 'web'));
  back(member, { firstDeployRollback: 'Delete' });
  assert.deepEqual(member.names('Deployment'), []);
  member.beginRun();
  const nothing = back(member);
  assert.equal(nothing.outcome === 'skipped' && nothing.message, 'No context found for rollback. Skipping.');
});

test('prune_and_recreate_on_rollback', () => {
  const settings = { prune: { enabled: true, protectKinds: ['PersistentVolumeClaim'] } };
  const claim: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'prod' } };
  const sticky = web.service('sticky', {}, { 'harness.io/skipPruning': 'true' });
  const member = new SimulatedMember();
  deploy(member, 'a', [web.service('old'), sticky, claim], { settings });
  deploy(member, 'b', [], { settings });
  assert.deepEqual(member.names('Service'), ['sticky', 'web']);
  assert.deepEqual(member.names('PersistentVolumeClaim'), ['data']);
  assert.deepEqual(member.names('ConfigMap'), ['config-1', 'config-2']);
  const begun = back(member, {}, settings);
  assert.deepEqual(member.names('Service'), ['old', 'sticky', 'web']);
  assert.match(linesOf(begun, 'Recreate Pruned Resources').join('\n'), /prod\/Service\/old/);
  assert.equal(image(member), 'web:a');
});

test('what is applied directly is neither waited for nor rolled back', () => {
  const direct = (value: string): KubeObject => {
    const made = web.deployment(`side:${value}`, { name: 'side' });
    return { ...made, metadata: { ...made.metadata, annotations: { 'harness.io/direct-apply': 'True' } } };
  };
  const member = new SimulatedMember();
  deploy(member, 'a', [direct('a')]);
  const begun = deploy(member, 'b', [direct('b')]);
  assert.deepEqual(begun.outcome === 'deliver' && begun.await.map(({ name }) => name), ['web']);
  back(member);
  assert.equal(image(member), 'web:a');
  assert.equal(image(member, 'side'), 'side:b');
});

test('a manifest named like the release is warned about, and a workload that nobody can judge is refused', () => {
  const member = new SimulatedMember();
  const begun = deploy(member, 'a', [web.config('x', 'web')]);
  assert.match(linesOf(begun, 'Prepare').join('\n'), /^Release Name conflicts with a Secret\/ConfigMap resource\. /m);
  const widget: KubeObject = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'prod', annotations: { 'harness.io/managed-workload': 'true' } },
  };
  const refused = deploy(member, 'b', [widget]);
  assert.equal(refused.outcome, 'failed');
});

test('a manifest that is too large for its record stays on the hub, and is found there', () => {
  const member = new SimulatedMember();
  member.beginRun();
  const rendered = [web.deployment('web:a'), web.config(randomBytes(960 * 1024).toString('hex'))];
  const begun = member.begin('RollingDeploy', { rendered });
  assert.ok(begun.outcome === 'deliver');
  const [record] = begun.objects;
  const [large, ...others] = begun.contents;
  assert.deepEqual(others, []);
  assert.ok(record && !('data' in record));
  assert.equal(record?.metadata.annotations?.['drover.io/manifest-ref'], large?.digest);
  const found = readBook([record!], [], member.release, {
    large(digest) {
      assert.equal(digest, large?.digest);
      return parseManifests(large!.text);
    },
  });
  assert.equal(found.records[0]?.manifest().length, 2);
  assert.throws(() => readBook([record!], [], member.release).records[0]?.manifest(), /holds no manifest/);
});

test('numbers grow, crashes change nothing, and what is kept is enough to go back', () => {
  const action = fc.record({
    value: fc.constantFrom('a', 'b', 'c', 'd'),
    result: fc.constantFrom('steady' as const, 'failed' as const),
    crashes: fc.nat({ max: 2 }),
    goesBack: fc.boolean(),
    historyLimit: fc.constantFrom(1, 2, 3),
    prunes: fc.boolean(),
    reuseUnchanged: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 10 }), actions => {
      const member = new SimulatedMember();
      let last = 0;
      for (const { value, result, crashes, goesBack, historyLimit, prunes, reuseUnchanged } of actions) {
        const settings = {
          historyLimit,
          prune: { enabled: prunes, protectKinds: [] },
          versioning: { mode: 'Revision' as const, reuseUnchanged },
        };
        const before = member.book.records.findLast(({ status }) => status === 'Succeeded');
        const had = before?.manifest();
        deploy(member, value, [], { result, crashes, settings });
        const number = member.state.releaseNumber!;
        assert.equal(number, last + 1);
        last = number;
        const { records } = member.book;
        assert.equal(records.find(one => one.number === number)?.status, result === 'steady' ? 'Succeeded' : 'Failed');
        assert.ok(records.filter(one => one.status === 'Succeeded' && one.number < number).length <= historyLimit);
        assert.ok(records.every(({ status }) => status !== 'InProgress'));
        if (goesBack) {
          const begun = back(member, {}, settings);
          assert.equal(begun.outcome, before ? 'deliver' : 'done');
          if (before) assert.equal(image(member), /"image":"([^"]+)"/.exec(printJson(had))?.[1]);
          if (before) assert.equal(member.book.records.find(one => one.number === number)?.status, 'Failed');
        }
        // Whatever a workload, or a release to which one may go back, refers to is there.
        const there = keysOf(member.work);
        const kept = member.book.records.filter(({ status }) => status === 'Succeeded').flatMap(one => one.manifest());
        for (const obj of [...member.work, ...kept]) for (const ref of configsOf(obj)) assert.ok(there.has(ref), `${ref} is gone`);
      }
    }),
    { numRuns: 60 },
  );
});
