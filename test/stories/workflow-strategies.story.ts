import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { hubKindsByTime } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { missingRig } from '../helpers/rig.ts';
import { runningMemberPrograms } from '../helpers/running-member.ts';
import { WorkflowWorld, type FinishedRun } from '../helpers/workflow-world.ts';

const missing = missingRig('kubectl', ...runningMemberPrograms);
const clusters = ['east', 'west'] as const;
const isGate = process.env['DROVER_GATE'] === 'true';

interface Version {
  readonly replicas?: number;
  /** Which node the pods want: one that no cluster has never becomes ready. */
  readonly node?: string;
  readonly affinity?: string;
  readonly more?: string;
}

const config = (name: string, value: string, annotations = '{}') => `---
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, annotations: ${annotations} }
data: { value: "${value}" }
`;

/** Everything that is versioned, everything that is not, and a workload that uses it. In an order that is not that of applying. */
const version = (value: string, { replicas = 1, node = '', affinity = 'None', more = '' }: Version = {}) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  progressDeadlineSeconds: ${node === '' ? 60 : 2}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      ${node === '' ? '' : `nodeSelector: { only-on: "${node}" }`}
      imagePullSecrets: [{ name: pull }]
      containers:
      - { name: web, image: "example/web:${value}", envFrom: [{ configMapRef: { name: config } }, { configMapRef: { name: plain } }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, sessionAffinity: ${affinity}, ports: [{ port: 80 }] }
${config('config', value)}${config('plain', value, '{ harness.io/skip-versioning: "true" }')}---
apiVersion: v1
kind: Secret
metadata: { name: pull }
type: kubernetes.io/dockerconfigjson
stringData: { .dockerconfigjson: '{"auths":{}}' }
${more}`;

const phaseOf = ({ run }: FinishedRun) => run.status.phase;
const succeeded = (done: FinishedRun) =>
  assert.equal(phaseOf(done), 'Succeeded', JSON.stringify([done.run.status, done.parts], undefined, 1));

const conditionOf = (part: FinishedRun['parts'][string] | undefined, type: string) =>
  part?.status.conditions?.find(one => one.type === type);
const isTrue = (part: FinishedRun['parts'][string] | undefined, type: string) => conditionOf(part, type)?.status === 'True';

for (const kind of hubKindsByTime)
  describe(`workflows and their strategies, hub: ${kind}`, { skip: missing ?? false, timeout: 400_000, concurrency: true }, () => {
    let world: WorkflowWorld;
    before(async () => {
      // What one member is told the other fetches: a step does not know the difference.
      world = await WorkflowWorld.start(kind, { withAgent: ['west'] });
    });
    after(() => world?.[Symbol.asyncDispose]());
    const image = async (cluster: string, namespace: string, name?: string) =>
      (await world.deployment(cluster, namespace, name))?.spec.template.spec.containers[0]?.image;
    const onEach = (check: (cluster: string) => Promise<void>) => Promise.all(clusters.map(check));
    const gone = (read: () => Promise<unknown>) =>
      eventually(read, found => found === undefined, { timeoutMs: 20_000, what: 'what is to go' });

    test('rolling', async t => {
      const ns = 'rolling';
      const deploy = async (value: string, options?: Version) => {
        await world.define(ns, version(value, options));
        return world.run(ns);
      };
      await world.workflow(ns, ns, { type: 'Rolling' });

      await t.test('rolling_first_creates_config_1_release_1', async () => {
        const done = await deploy('a', { replicas: 2 });
        succeeded(done);
        await onEach(async cluster => {
          assert.equal(done.parts[cluster]?.status.releaseNumber, 1);
          assert.equal(await world.record(cluster, ns, 1), 'Succeeded');
          assert.deepEqual(await world.names(cluster, 'configmaps', ns), ['config-1', 'plain']);
          assert.equal((await world.deployment(cluster, ns))?.status.availableReplicas, 2);
        });
      });

      await t.test('skip_versioning_respected, pull_secret_reference_rewritten', async () => {
        await onEach(async cluster => {
          const { spec } = (await world.deployment(cluster, ns))!;
          assert.deepEqual(spec.template.spec.imagePullSecrets, [{ name: 'pull-1' }]);
          assert.match(JSON.stringify(spec.template.spec), /"name":"config-1".*"name":"plain"/);
        });
      });

      await t.test('order_of_apply_matches_table', () => {
        const lines = readFileSync(world.members['east']!.auditLog!, 'utf8').trim().split('\n');
        const applied = lines
          .map(line => JSON.parse(line) as AuditLine)
          .filter(one => one.verb === 'patch' && one.stage === 'ResponseComplete' && one.objectRef?.namespace === ns)
          .filter(
            one => !one.requestURI.includes('dryRun') && !one.objectRef?.subresource && one.requestURI.includes('fieldManager=drover'),
          )
          .map(one => `${one.objectRef!.resource}/${one.objectRef!.name}`);
        const first = applied.slice(0, 6);
        assert.deepEqual(first, [
          'secrets/harness.release.web.1',
          'secrets/pull-1',
          'configmaps/config-1',
          'configmaps/plain',
          'services/web',
          'deployments/web',
        ]);
      });

      await t.test('rolling_second_creates_config_2_keeps_1', async () => {
        succeeded(await deploy('b'));
        await onEach(async cluster => {
          assert.deepEqual(await world.names(cluster, 'configmaps', ns), ['config-1', 'config-2', 'plain']);
          assert.equal(await image(cluster, ns), 'example/web:b');
        });
      });

      await t.test('fourth_deletes_config_1', async () => {
        succeeded(await deploy('c'));
        succeeded(await deploy('d'));
        await onEach(async cluster => {
          await gone(() => world.get(cluster, `/api/v1/namespaces/${ns}/configmaps/config-1`));
          assert.deepEqual(await world.names(cluster, 'configmaps', ns), ['config-2', 'config-3', 'config-4', 'plain']);
          assert.equal(await world.record(cluster, ns, 1), undefined);
        });
      });

      await t.test('rolling_rollback_restores_config_and_service', async () => {
        const done = await deploy('e', {
          node: 'nowhere',
          affinity: 'ClientIP',
          more: config('extra', 'e', '{ harness.io/skip-versioning: "true" }'),
        });
        assert.equal(phaseOf(done), 'RolledBack', JSON.stringify(done.run.status));
        await onEach(async cluster => {
          assert.equal(done.parts[cluster]?.status.phase, 'RolledBack');
          assert.equal(await image(cluster, ns), 'example/web:d');
          assert.equal((await world.get(cluster, `/api/v1/namespaces/${ns}/configmaps/plain`))?.data?.['value'], 'd');
          assert.equal((await world.service(cluster, ns, 'web'))?.spec.sessionAffinity, 'None');
          await gone(() => world.get(cluster, `/api/v1/namespaces/${ns}/configmaps/extra`));
          assert.equal(await world.record(cluster, ns, 5), 'Failed');
          assert.equal(await world.record(cluster, ns, 4), 'Succeeded');
        });
        await world.drover.expect(`logs run/${done.run.metadata.name} -n delivery`, {
          says: [
            /INFO {3}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {4}Current release number is: 5\n/,
            /Status : Deployment\/web: /,
            /Event {2}: Deployment\/web {3}Scaled up replica set /,
            /ERROR {2}.*Deployment\/web: /,
            /INFO .*Rolling back to release 4\n/,
          ],
        });
      });
    });

    test('rollback_uses_each_clusters_own_number, rollback_first_deploy_noop', async () => {
      const ns = 'own-number';
      const legacy = 'version: v1\nreleases:\n- number: 15\n  status: Succeeded\n';
      await world.members['east']!.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
      await world.members['east']!.request('POST', `/api/v1/namespaces/${ns}/configmaps`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'web' },
        data: { releaseHistory: legacy },
      });
      await world.workflow(ns, ns, { type: 'Rolling' });
      await world.define(ns, version('a'));
      succeeded(await world.run(ns));
      await world.define(ns, version('b', { node: 'nowhere' }));
      const failed = await world.run(ns);
      assert.equal(phaseOf(failed), 'RolledBack', JSON.stringify(failed.run.status));
      assert.deepEqual(
        clusters.map(cluster => failed.parts[cluster]?.status.releaseNumber),
        [17, 2],
      );
      await onEach(async cluster => assert.equal(await image(cluster, ns), 'example/web:a'));
      assert.equal(await world.record('east', ns, 16), 'Succeeded');
      assert.equal(await world.record('west', ns, 1), 'Succeeded');

      const first = 'first-fails';
      await world.workflow(first, first, { type: 'Rolling' });
      await world.define(first, version('a', { node: 'nowhere' }));
      const noop = await world.run(first);
      assert.equal(phaseOf(noop), 'RolledBack');
      await onEach(async cluster => {
        assert.equal(noop.parts[cluster]?.status.step?.message, "No previous eligible release found. Can't rollback.");
        assert.equal(await image(cluster, first), 'example/web:a');
      });
    });

    test('prune_and_recreate_on_rollback', async () => {
      const ns = 'prune';
      await world.workflow(ns, ns, { type: 'Rolling', prune: { enabled: true } });
      await world.define(ns, version('a', { more: config('old', 'a', '{ harness.io/skip-versioning: "true" }') }));
      succeeded(await world.run(ns));
      await world.define(ns, version('b'));
      const second = await world.run(ns);
      succeeded(second);
      await onEach(async cluster => void (await gone(() => world.get(cluster, `/api/v1/namespaces/${ns}/configmaps/old`))));
      const { name } = second.run.metadata;
      await world.drover.expect(`logs run/${name} -n delivery`, { says: 'Pruning step completed' });
      await world.steer(name, 'Rollback');
      await world.until(name, 'RolledBack', 'RollbackFailed');
      await onEach(async cluster => {
        assert.ok(await world.get(cluster, `/api/v1/namespaces/${ns}/configmaps/old`));
        assert.equal(await image(cluster, ns), 'example/web:a');
      });
    });

    test('how objects are written, and drift', async () => {
      const ns = 'manners';
      const spec = { type: 'Rolling', drift: { mode: 'Detect', interval: '1m' } };
      const deploy = async (value: string, apply: object, options?: Version) => {
        await world.workflow(ns, ns, { ...spec, apply });
        await world.define(ns, version(value, options));
        return world.run(ns);
      };
      const managers = async (cluster: string) =>
        (await world.deployment(cluster, ns))?.metadata.managedFields?.map(one => `${one.manager} ${one.operation}`) ?? [];
      const patch = (cluster: string, manager: string, body: object) =>
        world.members[cluster]!.request('PATCH', `/apis/apps/v1/namespaces/${ns}/deployments/web?fieldManager=${manager}`, body, {
          'content-type': 'application/strategic-merge-patch+json',
        });

      const first = await deploy('a', { mode: 'ServerSide', fieldManager: 'shipper', force: false });
      succeeded(first);
      await onEach(async cluster => assert.ok((await managers(cluster)).includes('shipper Apply'), (await managers(cluster)).join()));

      // Somebody else takes a field: that is drift, and the next run leaves it to them, or takes it back where it may.
      await onEach(async cluster => void (await patch(cluster, 'somebody', { spec: { replicas: 2 } })));
      const drifted = await eventually(
        () => world.finished(first.run.metadata.name),
        ({ parts }) => clusters.every(cluster => isTrue(parts[cluster], 'Drifted')),
        { timeoutMs: 30_000, what: 'drift to be told' },
      );
      assert.match(conditionOf(drifted.parts['east'], 'Drifted')?.message ?? '', /spec\.replicas of Deployment .* by "somebody"/);
      const refused = await deploy('b', { fieldManager: 'shipper', force: false });
      assert.equal(phaseOf(refused), 'RolledBack', JSON.stringify(refused.run.status));
      assert.match(refused.run.status.message ?? '', /others own .*spec\.replicas \("somebody"\)/);
      await onEach(async cluster => assert.equal(await image(cluster, ns), 'example/web:a'));
      succeeded(await deploy('b', { fieldManager: 'shipper', force: true }));
      await onEach(async cluster => assert.equal((await world.deployment(cluster, ns))?.spec.replicas, 1));

      // As kubectl without the server, and what others change is put right.
      spec.drift = { mode: 'Correct', interval: '1m' };
      succeeded(await deploy('c', { mode: 'ClientSide' }));
      await onEach(async cluster => {
        const { metadata } = (await world.deployment(cluster, ns))!;
        assert.match(metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '', /example\/web:c/);
        await patch(cluster, 'somebody', { spec: { template: { spec: { containers: [{ name: 'web', image: 'example/web:theirs' }] } } } });
        await eventually(
          () => image(cluster, ns),
          found => found === 'example/web:c',
          { timeoutMs: 30_000, what: 'the image to be put right' },
        );
      });
    });

    test('rules of members, and a namespace that goes', { skip: isGate && 'the gate has it on sandbox clusters' }, async () => {
      const ns = 'rules';
      const deploy = async (value: string, failureStrategies: readonly object[] = []) => {
        await world.workflow(ns, ns, { type: 'Rolling', failureStrategies });
        await world.define(ns, version(value));
        return world.run(ns);
      };
      const patch = (image: string) =>
        world.members['east']!.request(
          'PATCH',
          `/apis/apps/v1/namespaces/${ns}/deployments/web`,
          { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } },
          { 'content-type': 'application/strategic-merge-patch+json' },
        );
      succeeded(await deploy('a'));

      // A rule of one cluster, and a strategy that is about such failures.
      const east = world.members['east']!;
      const rules = '/apis/admissionregistration.k8s.io/v1';
      const of = (kind: string, more: object) => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name: ns },
        spec: more,
      });
      const resourceRules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] }];
      await east.request(
        'POST',
        `${rules}/validatingadmissionpolicies`,
        of('ValidatingAdmissionPolicy', {
          matchConstraints: { resourceRules },
          validations: [
            { expression: `!object.spec.template.spec.containers.exists(c, c.image.endsWith(':denied'))`, message: 'not here' },
          ],
        }),
      );
      await east.request(
        'POST',
        `${rules}/validatingadmissionpolicybindings`,
        of('ValidatingAdmissionPolicyBinding', { policyName: ns, validationActions: ['Deny'] }),
      );
      const denies = await eventually(
        () => patch('x:denied'),
        ({ code }) => code === 422,
        { timeoutMs: 30_000, what: 'the policy to be in force' },
      );
      assert.match(denies.text, /not here/);
      const denied = await deploy('denied', [{ failureTypes: ['Policy'], action: 'Abort' }, { action: 'RollbackWorkflow' }]);
      assert.equal(phaseOf(denied), 'Aborted', JSON.stringify(denied.run.status));
      assert.equal(denied.parts['east']?.status.step?.failureType, 'Policy');
      assert.match(denied.parts['east']?.status.failure?.message ?? '', /the admission policy "rules" of the member denies it.*not here/);

      // The namespace goes while pods are waited for.
      await world.define(ns, version('e', { node: 'nowhere' }).replace('progressDeadlineSeconds: 2', 'progressDeadlineSeconds: 600'));
      const lost = await world.start(ns);
      const readPart = async () => (await world.finished(lost)).parts['west'];
      const waiting = () => world.drover.expect(`logs run/${lost} -n delivery --cluster west`);
      await eventually(waiting, text => /Status : Deployment\/web: /.test(text), { timeoutMs: 60_000, what: 'the wait for pods' });
      await world.members['west']!.request('DELETE', `/api/v1/namespaces/${ns}`);
      const part = await eventually(readPart, one => one?.status.step?.status === 'Failed', {
        timeoutMs: 60_000,
        what: 'the step to fail',
      });
      assert.match(part?.status.step?.message ?? '', /(?:namespace "rules" (?:was|is being)|it was) deleted on the cluster/);
      await world.steer(lost, 'Abort');
      await world.until(lost, 'Aborted', 'RolledBack', 'RollbackFailed');
    });

    test('canary', async t => {
      const ns = 'canary';
      const canary = {
        name: 'Canary',
        type: 'CanaryDeploy',
        with: { instances: '${workflow.variables.instances}', unit: '${workflow.variables.unit}' },
        output: { name: 'canary', values: { workload: '${k8s.canaryWorkload}', number: 'no. ${k8s.releaseNumber}' } },
      };
      const remove = { name: 'Remove', type: 'Delete', with: { resources: '${k8s.canaryWorkload}' } };
      const variables = [
        { name: 'instances', default: '1' },
        { name: 'unit', default: 'Count' },
      ];
      const look = { name: 'Look', type: 'Approval', with: { message: 'Is it well?', selfApproval: true } };
      const phases = (verify: readonly object[]) => [
        {
          name: 'Canary',
          groups: [
            { name: 'Deploy', steps: [{ type: 'ResolveClusters' }, canary] },
            { name: 'Verify', steps: verify },
            { name: 'Wrap Up', steps: [remove] },
          ],
          rollback: [{ name: 'Deploy', steps: [remove] }],
        },
        {
          name: 'Primary',
          groups: [{ name: 'Deploy', steps: [{ type: 'ResolveClusters' }, { type: 'RollingDeploy' }] }],
          rollback: [{ name: 'Deploy', steps: [{ type: 'RollingRollback' }] }],
        },
      ];
      await world.workflow(ns, ns, { type: 'Canary', variables, phases: phases([]) });
      await world.workflow('canary-watched', ns, { type: 'Canary', variables, phases: phases([look]) });
      await world.define(ns, version('a', { replicas: 4 }));
      succeeded(await world.run(ns));

      await t.test('canary_count_2, canary_references_leaves_service_untouched, primary_reuses_number_marks_succeeded', async () => {
        await world.define(ns, version('b', { replicas: 4, affinity: 'ClientIP' }));
        const name = await world.start('canary-watched', { variables: { instances: '2' } });
        await world.until(name, 'Waiting', 'Failed', 'RolledBack');
        await onEach(async cluster => {
          const found = await world.deployment(cluster, ns, 'web-canary');
          assert.equal(found?.status.availableReplicas, 2);
          assert.deepEqual(found.spec.selector.matchLabels, { app: 'web', 'harness.io/track': 'canary' });
          assert.equal(found.spec.template.metadata.labels['harness.io/release-name'], 'web');
          assert.equal((await world.service(cluster, ns, 'web'))?.spec.sessionAffinity, 'None');
          assert.equal(await image(cluster, ns), 'example/web:a');
          assert.equal(await world.record(cluster, ns, 2), 'InProgress');
        });
        await world.drover.expect(`approve run/${name} -n delivery`);
        await world.until(name, 'Succeeded', 'Failed', 'RolledBack');
        const done = await world.finished(name);
        succeeded(done);
        const { workload = '', number } = done.run.status.outputs?.['canary'] ?? {};
        assert.deepEqual([workload.split(',')[0], number], [`${ns}/Deployment/web-canary`, 'no. 2']);
        await onEach(async cluster => {
          assert.equal(done.parts[cluster]?.status.releaseNumber, 2);
          assert.equal(await world.record(cluster, ns, 2), 'Succeeded');
          await gone(() => world.deployment(cluster, ns, 'web-canary'));
          assert.equal(await image(cluster, ns), 'example/web:b');
          assert.equal((await world.service(cluster, ns, 'web'))?.spec.sessionAffinity, 'ClientIP');
        });
      });

      await t.test('canary_percent_50_of_4_is_2, canary_percent_10_of_3_is_1', async () => {
        for (const [variables, replicas, expected] of [
          [{ instances: '50', unit: 'Percentage' }, 3, 2],
          [{ instances: '10', unit: 'Percentage' }, 3, 1],
        ] as const) {
          await world.define(ns, version(`p${expected}`, { replicas }));
          const done = await world.run(ns, { variables });
          succeeded(done);
          for (const cluster of clusters) assert.equal(done.parts[cluster]?.status.canary?.instances, expected);
        }
      });

      await t.test('canary_failed_is_deleted', async () => {
        await world.define(ns, version('bad', { replicas: 3, node: 'nowhere' }));
        const done = await world.run(ns);
        assert.equal(phaseOf(done), 'RolledBack', JSON.stringify(done.run.status));
        await onEach(async cluster => {
          await gone(() => world.deployment(cluster, ns, 'web-canary'));
          assert.equal(await image(cluster, ns), 'example/web:p1');
          assert.equal(await world.record(cluster, ns, done.parts[cluster]!.status.releaseNumber!), 'Failed');
        });
      });
    });

    test('blue/green', async t => {
      const ns = 'blue-green';
      const colors = async (cluster: string) =>
        Promise.all(['web', 'web-stage'].map(async name => (await world.service(cluster, ns, name))?.spec.selector['harness.io/color']));
      await world.workflow(ns, ns, { type: 'BlueGreen' });

      await t.test('bg_first_is_blue, bg_stage_clone_has_no_clusterip', async () => {
        await world.define(ns, version('a'));
        const done = await world.run(ns);
        succeeded(done);
        await onEach(async cluster => {
          assert.deepEqual(await colors(cluster), ['blue', 'green']);
          assert.equal((await world.deployment(cluster, ns, 'web-blue'))?.status.availableReplicas, 1);
          const [primary, stage] = await Promise.all(['web', 'web-stage'].map(name => world.service(cluster, ns, name)));
          assert.notEqual(stage?.spec.clusterIP, primary?.spec.clusterIP);
          assert.equal(primary?.metadata.annotations?.['harness.io/primary-service'], 'true');
          assert.equal(stage?.metadata.annotations?.['harness.io/stage-service'], 'true');
        });
      });

      await t.test('bg_second_is_green_swap, bg_swap_retry_does_not_toggle', async () => {
        await world.define(ns, version('b'));
        const done = await world.run(ns);
        succeeded(done);
        await onEach(async cluster => {
          assert.deepEqual(await colors(cluster), ['green', 'blue']);
          assert.equal(await image(cluster, ns, 'web-blue'), 'example/web:a');
          assert.equal(await image(cluster, ns, 'web-green'), 'example/web:b');
          assert.deepEqual(done.parts[cluster]?.status.blueGreen?.swapped, true);
        });
        const again = {
          name: 'Again',
          type: 'SwapServices',
          with: { service1: '${k8s.primaryServiceName}', service2: '${k8s.stageServiceName}' },
        };
        const phases = [
          {
            name: 'BG',
            groups: [{ name: 'Deploy', steps: [{ type: 'ResolveClusters' }, { type: 'StageDeploy' }, { ...again, name: 'Once' }, again] }],
          },
        ];
        await world.workflow('twice', ns, { type: 'BlueGreen', phases });
        await world.define(ns, version('c'));
        succeeded(await world.run('twice'));
        await onEach(async cluster => assert.deepEqual(await colors(cluster), ['blue', 'green']));
      });

      await t.test('bg_rollback_only_swapped_clusters', async () => {
        await world.members['east']!.request(
          'PATCH',
          '/api/v1/nodes/kwok-node-0',
          { metadata: { labels: { 'only-on': 'east' } } },
          { 'content-type': 'application/merge-patch+json' },
        );
        await world.workflow('bg-waves', ns, {
          type: 'BlueGreen',
          rollout: {
            waves: [
              { name: 'one', clusterNames: ['east'] },
              { name: 'two', clusterNames: ['west'] },
            ],
          },
        });
        await world.define(ns, version('d', { node: '${cluster.name}' }));
        const done = await world.run('bg-waves');
        assert.equal(phaseOf(done), 'RolledBack', JSON.stringify(done.run.status));
        const steps = (cluster: string) => done.parts[cluster]?.status.steps?.map(({ type, status }) => `${type} ${status}`);
        assert.deepEqual(steps('east'), ['StageDeploy Succeeded', 'SwapServices Succeeded', 'SwapServices Succeeded']);
        assert.deepEqual(steps('west'), ['StageDeploy Failed', 'SwapServices Skipped']);
        assert.equal(done.parts['west']?.status.step?.message, 'Services were not swapped in the deployment phase. Skipping.');
        await onEach(async cluster => assert.equal((await colors(cluster))[0], 'blue'));
      });

      await t.test('bg_conflicting_service_message', async () => {
        const other = 'bg-conflict';
        await world.workflow(other, other, { type: 'BlueGreen' });
        await onEach(async cluster => {
          const member = world.members[cluster]!;
          await member.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
          await member.request('POST', `/api/v1/namespaces/${other}/services`, {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'web' },
            spec: { selector: { app: 'theirs' }, ports: [{ port: 80 }] },
          });
        });
        await world.define(other, version('a'));
        const done = await world.run(other);
        assert.notEqual(phaseOf(done), 'Succeeded');
        const message =
          'Found conflicting service [web] in the cluster. For blue/green deployment, the label [harness.io/color] is required in service selector. Delete this existing service to proceed';
        await onEach(async cluster => {
          assert.equal(done.parts[cluster]?.status.steps?.[0]?.message, message);
          assert.deepEqual((await world.service(cluster, other, 'web'))?.spec.selector, { app: 'theirs' });
        });
      });
    });
  });

interface AuditLine {
  readonly verb: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly objectRef?: { resource: string; name: string; namespace?: string; subresource?: string };
}
