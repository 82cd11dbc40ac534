import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '../../src/api/object.ts';
import { judgeHealth } from '../../src/core/delivery/judge-health.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { runningMemberPrograms, startRunningMember } from '../helpers/running-member.ts';
import {
  application,
  delivered,
  infrastructure,
  startWorkflowStory,
  target,
  webManifests,
  workflow,
  type WorkflowStory,
} from '../helpers/workflow-story.ts';

const missing = missingRig('kubectl', ...runningMemberPrograms);
const patient = { timeoutMs: 120_000, everyMs: 100 };
const isGate = process.env['DROVER_GATE'] === 'true';
const realNames = ['east', 'north'] as const;
/** In the gate they are sandboxes, which are quicker; otherwise the first two are real. */
const fleet = isGate
  ? (['sandbox-1', 'sandbox-2', 'sandbox-3', 'sandbox-4'] as const)
  : ([...realNames, 'sandbox-1', 'sandbox-2'] as const);
const [first, second, third, fourth] = fleet;
const inFleet = 'members';

/** Each on an infrastructure of its own, so that runs of one test do not wait for those of another. */
const twoWaves = [
  { name: 'first', clusterSelector: { matchLabels: { tier: 'first' } } },
  { name: 'rest', remainder: true, maxConcurrency: 1 },
];
const rollBack = { failureStrategies: [{ action: 'RollbackWorkflow' }] };

for (const kind of hubKindsByTime) {
  describe(`runs of workflows, hub: ${kind}`, { skip: missing ?? false, timeout: 600_000 }, () => {
    const scratch = scratchDir('workflow-runs');
    let etcd: Etcd;
    let hub: EitherHub;
    let story: WorkflowStory;
    const real: RealCluster[] = [];

    before(async () => {
      etcd = await startEtcd();
      const started = await Promise.all([
        startEitherHub(kind, etcd, ['--sandbox', isGate ? '4' : '2']),
        ...realNames.map(() => startRunningMember(etcd, { audit: true })),
      ]);
      hub = started[0];
      real.push(...(started.slice(1) as RealCluster[]));
      story = await startWorkflowStory(hub, scratch.dir);
      for (const [i, name] of realNames.entries())
        await story.drover.expect(`join ${name} --kubeconfig ${real[i]!.kubeconfig} --label kind=real --label mood=run`);
      for (const name of fleet) await story.label(name, `fleet=yes mood=run tier=${name === first ? 'first' : 'rest'}`);
      await story.kubectl.expect('wait --for=condition=Ready clusters.drover.io --all --timeout=90s');
      await story.apply(
        infrastructure('fleet', { fleet: 'yes' }),
        infrastructure('members', { kind: 'real' }, { namespace: inFleet }),
        workflow('waves', 'fleet', { rollout: { waves: twoWaves }, ...rollBack }),
        workflow('members', 'members', rollBack),
      );
    });

    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await Promise.all(real.map(one => one[Symbol.asyncDispose]()));
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const isReal = (name: string) => realNames.some(one => one === name);

    /** From now on what is deployed there does not become ready. */
    async function spoil(name: string): Promise<void> {
      await story.label(name, 'mood=not-ready');
      if (isReal(name)) await story.on(name).expect('cordon kwok-node-0');
    }

    async function mend(name: string): Promise<void> {
      await story.label(name, 'mood=run');
      if (isReal(name)) await story.on(name).expect('uncordon kwok-node-0');
    }

    test('waves_order_and_concurrency', async () => {
      await story.start('waves-1', 'waves');
      const { status } = await story.reaches('waves-1', 'Succeeded', 'Failed', 'RolledBack');
      assert.equal(status?.phase, 'Succeeded');
      assert.deepEqual(
        status?.waves?.map(one => [one.name, one.phase, one.clusters.length]),
        [
          ['first', 'Succeeded', 1],
          ['rest', 'Succeeded', 3],
        ],
      );
      const parts = Object.values(await story.parts('waves-1'));
      await story.kubectl.expect(`wait -n ${application} --for=condition=Ready workflowruns,clusterruns --all --timeout=30s`);
      const { items } = JSON.parse(
        await story.kubectl.expect(
          `get workflowruns,clusterruns,infrastructuredefinitions,servicedefinitions,environments -n ${application} -o json`,
        ),
      ) as { items: KubeObject[] };
      // By kstatus, as Helm and Flux wait.
      assert.deepEqual(
        items.filter(one => judgeHealth(one).health !== 'Current').map(({ kind, metadata }) => `${kind} ${metadata.name}`),
        [],
      );
      const spans = parts
        .map(one => ({
          name: one.spec.cluster.name,
          from: Date.parse(one.status!.step!.startedAt!),
          to: Date.parse(one.status!.step!.finishedAt!),
        }))
        .toSorted((a, b) => a.from - b.from || a.to - b.to);
      assert.equal(spans[0]?.name, first);
      for (const [i, { from }] of spans.entries()) if (i > 0) assert.ok(from >= spans[i - 1]!.to, JSON.stringify(spans));
      for (const name of fleet) {
        assert.equal(await story.seen(name, 'configmap web-1', '{.data.of}'), name);
        assert.equal(await story.seen(name, 'deployment web', '{.status.availableReplicas}'), '1');
      }
    });

    test('rollback_reverse_waves: what succeeded is put back, the last wave first', async () => {
      await story.apply(delivered('ServiceDefinition', 'web', { manifests: [{ inline: webManifests('2') }] }));
      await story.start('waves-2', 'waves');
      await story.reaches('waves-2', 'Succeeded');
      assert.equal(await story.seen(fourth, 'configmap web-2', '{.data.version}'), '2');
      await story.want('waves-2', 'Rollback');
      const { status } = await story.reaches('waves-2', 'RolledBack', 'RollbackFailed');
      assert.equal(status?.phase, 'RolledBack');
      assert.deepEqual(
        status?.steps?.filter(one => one.isRollback).map(one => one.wave),
        ['rest', 'first'],
      );
      for (const name of fleet)
        assert.equal(await story.seen(name, 'deployment web', '{.spec.template.spec.containers[0].image}'), 'web:1');
    });

    test('wave_failure_budget_stops_next', async () => {
      await story.label(second, 'mood=Bad');
      await story.start('waves-3', 'waves');
      const { status } = await story.reaches('waves-3', 'RolledBack', 'Failed', 'Succeeded');
      await story.label(second, 'mood=run');
      assert.deepEqual([status?.phase, status?.reason], ['RolledBack', 'WaveFailures']);
      const parts = await story.parts('waves-3');
      assert.deepEqual(Object.keys(parts).toSorted(), [first, second], 'nothing else was started');
      assert.equal(await story.seen(first, 'deployment web', '{.spec.template.spec.containers[0].image}'), 'web:1');
      assert.equal(await story.seen(third, 'deployment web', '{.spec.template.spec.containers[0].image}'), 'web:1');
      const events = await story.kubectl.expect(`get events -n ${application} -o custom-columns=REASON:.reason,OF:.involvedObject.name`);
      for (const reason of ['RunStarted', 'ClusterFailed', 'RollbackStarted', 'RunRolledBack'])
        assert.match(events, new RegExp(`${reason} +waves-3`));
    });

    test('a held cluster is deferred until it is let go', async () => {
      await story.kubectl.expect(`annotate clusters.drover.io ${second} drover.io/hold=true`);
      await story.start('waves-4', 'waves');
      const { status } = await story.reaches('waves-4', 'Succeeded', 'Failed', 'RolledBack');
      assert.deepEqual([status?.phase, status?.clusters?.deferred], ['Succeeded', 1]);
      assert.equal((await story.states('waves-4'))[second], 'Deferred');
      assert.equal(await story.seen(second, 'deployment web', '{.spec.template.spec.containers[0].image}'), 'web:1');
      await story.kubectl.expect(`annotate clusters.drover.io ${second} drover.io/hold-`);
      await eventually(
        () => story.states('waves-4'),
        one => one[second] === 'Succeeded',
        patient,
      );
      assert.equal(await story.seen(second, 'deployment web', '{.spec.template.spec.containers[0].image}'), 'web:2');
      await eventually(
        async () => (await story.run('waves-4'))?.status?.clusters?.deferred,
        one => one === undefined,
        patient,
      );
      await eventually(
        () => story.kubectl.expect(`get events -n ${application} --field-selector reason=ClusterCaughtUp -o name`),
        text => text.trim() !== '',
        patient,
      );
    });

    test('pause_resume', async () => {
      await story.start('waves-5', 'waves', { state: 'Initialize' });
      await story.reaches('waves-5', 'Waiting');
      assert.deepEqual(await story.states('waves-5'), {});
      await story.want('waves-5', 'Run');
      await eventually(
        () => story.states('waves-5'),
        one => one[first] !== undefined,
        patient,
      );
      await story.want('waves-5', 'Pause');
      const { status } = await story.reaches('waves-5', 'Paused');
      assert.equal(status?.conditions?.find(one => one.type === 'Paused')?.status, 'True');
      await eventually(
        () => story.states('waves-5'),
        one => Object.values(one).every(state => state !== 'Running'),
        patient,
      );
      const then = Object.keys(await story.states('waves-5'));
      assert.ok(then.length < fleet.length, 'something was left to do');
      await story.want('waves-5', 'Run');
      await story.reaches('waves-5', 'Succeeded');
      assert.equal(Object.keys(await story.states('waves-5')).length, fleet.length);
    });

    test('abort_leaves_state, and a terminal run can only be rolled back', async () => {
      await spoil(second);
      await story.start('waves-6', 'waves');
      await eventually(
        () => story.states('waves-6'),
        one => one[second] === 'Running',
        patient,
      );
      await story.want('waves-6', 'Abort');
      await story.reaches('waves-6', 'Aborted');
      await eventually(
        () => story.states('waves-6'),
        one => one[second] === 'Aborted',
        patient,
      );
      assert.equal((await story.states('waves-6'))[first], 'Succeeded');
      assert.equal(
        await story.seen(second, 'deployment web', '{.spec.template.metadata.annotations.sandbox\\.drover\\.io/behavior}'),
        'not-ready',
      );
      await mend(second);
      await story.want('waves-6', 'Rollback');
      await story.reaches('waves-6', 'RolledBack');
      assert.equal(
        await story.seen(second, 'deployment web', '{.spec.template.metadata.annotations.sandbox\\.drover\\.io/behavior}'),
        'run',
      );
    });

    test('two_runs_same_infra_queue_fifo', async () => {
      await story.apply(
        workflow('asking', 'fleet', {
          rollout: { waves: [{ name: 'all', before: [{ name: 'go?', type: 'Approval' }], remainder: true }] },
        }),
      );
      await story.start('queue-1', 'asking');
      await story.reaches('queue-1', 'Waiting');
      await story.start('queue-2', 'waves');
      await story.reaches('queue-2', 'Queued');
      await story.start('queue-3', 'waves');
      const { status } = await story.reaches('queue-3', 'Queued');
      assert.equal(status?.queuePosition, 2);
      await story.want('queue-1', 'Abort');
      const first = await story.reaches('queue-2', 'Succeeded');
      const second = await story.reaches('queue-3', 'Succeeded');
      assert.ok(Date.parse(second.status!.startedAt!) >= Date.parse(first.status!.finishedAt!));
    });

    test('runs of a pipeline wait for each other at a barrier, whoever restarts meanwhile', async () => {
      const custom = (name: string, ...steps: object[]) =>
        workflow(name, 'fleet', {
          type: 'Custom',
          concurrency: { unit: 'None' },
          phases: [{ name: 'Meet', groups: [{ name: 'Meet', steps }] }],
        });
      const meet = { type: 'Barrier', with: { identifier: 'migrated' } };
      await story.apply(
        custom('meets', meet),
        custom('asks', { type: 'Approval', with: { selfApproval: true } }, meet),
        delivered('Pipeline', 'together', {
          stages: [
            { name: 'one', workflowRef: { name: 'meets' } },
            { name: 'two', workflowRef: { name: 'asks' }, parallelWithPrevious: true },
          ],
        }),
        delivered('PipelineRun', 'together-1', { pipelineRef: { name: 'together' } }),
      );
      const read = async () => {
        const text = await story.kubectl.expect('get pipelinerun together-1 -n shop -o json');
        return JSON.parse(text) as { status?: { phase?: string; stages?: { runs?: string[] }[] } };
      };
      const { status } = await eventually(read, one => one.status?.stages?.every(stage => stage.runs?.length === 1) === true, {
        timeoutMs: 60_000,
        what: 'the runs of both stages',
      });
      const [one, two] = status!.stages!.map(stage => stage.runs![0]!);
      const waits = async () => (await story.run(one!))?.status?.steps?.find(step => step.type === 'Barrier')?.gate?.message;
      await eventually(waits, message => message === `At barrier "migrated", waiting for run "${two}"`, { timeoutMs: 60_000 });
      await story.reaches(two!, 'Waiting');
      await hub.restart();
      assert.equal((await story.run(one!))?.status?.phase, 'Waiting');
      await eventually(
        () => story.drover.run(`approve run/${two} -n shop`),
        ({ code }) => code === 0,
        { timeoutMs: 60_000, what: 'an approval' },
      );
      await story.reaches(one!, 'Succeeded');
      await story.reaches(two!, 'Succeeded');
      await story.drover.expect(`logs run/${one} -n shop`, { says: 'All 2 runs are at barrier "migrated"' });
    });

    test('approval_reject_rolls_back, and who decided is on the request', async () => {
      const waves = [
        { name: 'first', count: 1, after: [{ name: 'good?', type: 'Approval', message: 'Is ${wave.name} well?' }] },
        { name: 'rest', remainder: true },
      ];
      await story.apply(workflow('careful', 'fleet', { rollout: { waves }, failureStrategies: [{ action: 'Abort' }] }));
      await story.start('careful-1', 'careful');
      await story.reaches('careful-1', 'Waiting');
      const asked = await eventually(
        async () => (await story.run('careful-1'))?.status?.waves?.[0]?.gates?.[0]?.approvalRequest,
        Boolean,
        patient,
      );
      assert.equal(
        await story.kubectl.expect(`get approvalrequest ${asked} -n ${application} -o jsonpath={.spec.message}`),
        'Is first well?',
      );
      await story.kubectl.expect(
        `patch approvalrequest ${asked} -n ${application} --type merge -p '{"spec":{"decisions":[{"decision":"RejectAndRollback","comment":"no"}]}}'`,
      );
      const { status } = await story.reaches('careful-1', 'RolledBack', 'Aborted', 'Failed');
      assert.equal(status?.phase, 'RolledBack');
      assert.deepEqual(await story.states('careful-1'), { [first]: 'RolledBack' });
    });

    test('freeze_queues_but_allows_rollback', async () => {
      await story.start('freeze-1', 'waves');
      await story.reaches('freeze-1', 'Succeeded');
      const freeze = { apiVersion: 'delivery.drover.io/v1alpha1', kind: 'DeployFreeze', metadata: { name: 'winter' } };
      await story.apply({
        ...freeze,
        spec: { kind: 'Deny', start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z', selector: { namespaces: [application] } },
      });
      await story.start('freeze-2', 'waves');
      const { status } = await eventually(
        () => story.run('freeze-2'),
        one => one?.status?.reason === 'Frozen',
        patient,
      ).then(one => one!);
      assert.deepEqual([status?.phase, status?.nextOpen?.slice(0, 10)], ['Queued', '2099-01-01']);
      await story.want('freeze-1', 'Rollback');
      await story.reaches('freeze-1', 'RolledBack');
      // Whoever started it is one of those who are spared.
      await story.kubectl.expect(`patch deployfreeze winter --type merge -p '{"spec":{"exemptGroups":["system:masters"]}}'`);
      await story.reaches('freeze-2', 'Succeeded');
      await story.kubectl.expect('delete deployfreeze winter');
    });

    test('soak_regression_fails_wave', async () => {
      await story.apply(workflow('soaking', 'fleet', { rollout: { waves: [{ name: 'all', remainder: true, soak: '60s' }] }, ...rollBack }));
      await story.start('soak-1', 'soaking');
      await eventually(
        async () => (await story.run('soak-1'))?.status?.waves?.[0]?.phase,
        one => one === 'Soaking',
        patient,
      );
      if (isReal(second)) {
        await story.on(second).expect('cordon kwok-node-0');
        await story.on(second).expect(`delete pods -n ${target} -l app=web --now`);
      } else await story.on(second).expect(`annotate pods -n ${target} -l app=web sandbox.drover.io/behavior=crash --overwrite`);
      await eventually(
        async () => (await story.run('soak-1'))?.status?.waves?.[0]?.phase,
        one => one !== 'Soaking',
        patient,
      );
      if (isReal(second)) await story.on(second).expect('uncordon kwok-node-0');
      const { status } = await story.reaches('soak-1', 'RolledBack', 'Succeeded', 'Failed');
      assert.equal(status?.phase, 'RolledBack');
      const told = await story.kubectl.expect(
        `get events -n ${application} --field-selector reason=ClusterFailed -o jsonpath={.items[*].message}`,
      );
      assert.match(told, new RegExp(`Cluster ${second} failed`));
    });

    test('removed_cluster_skipped', async () => {
      await story.start('removed-1', 'waves', { state: 'Initialize' });
      await story.reaches('removed-1', 'Waiting');
      await story.label(second, 'fleet=no');
      await story.kubectl.expect(`delete clusters.drover.io ${fourth} --wait=false`);
      await story.want('removed-1', 'Run');
      const { status } = await story.reaches('removed-1', 'Succeeded', 'Failed', 'RolledBack');
      assert.deepEqual([status?.phase, status?.clusters?.skipped, status?.clusters?.succeeded], ['Succeeded', 2, 2]);
      assert.deepEqual(
        Object.values(await story.parts('removed-1')).flatMap(one => one.spec.standing?.reason ?? []),
        ['ClusterRemoved', 'ClusterRemoved'],
      );
    });

    test('a cluster that is selected later joins the last wave, where the rollout says so', async () => {
      await story.apply(workflow('open', 'fleet', { rollout: { waves: twoWaves, latecomers: 'Append' } }));
      await story.start('open-1', 'open', { state: 'Initialize' });
      const planned = await story.reaches('open-1', 'Waiting');
      assert.deepEqual(
        planned.status?.waves?.map(one => one.clusters.length),
        [1, 1],
      );
      await story.label(second, 'fleet=yes');
      await story.want('open-1', 'Run');
      const { status } = await story.reaches('open-1', 'Succeeded', 'Failed', 'RolledBack');
      assert.deepEqual([status?.phase, status?.clusters?.succeeded], ['Succeeded', 3]);
      assert.deepEqual(
        status?.waves?.map(one => one.clusters.length),
        [1, 2],
      );
      const image = await story.seen(second, 'deployment web', '{.spec.template.spec.containers[0].image}');
      assert.equal(image, await story.seen(first, 'deployment web', '{.spec.template.spec.containers[0].image}'));
    });

    /** What a real member was asked to write, since a moment, by somebody from outside. */
    const writesTo = (member: RealCluster, since: number): string[] =>
      readFileSync(member.auditLog!, 'utf8')
        .trim()
        .split('\n')
        .map(
          line =>
            JSON.parse(line) as {
              stage: string;
              verb: string;
              requestURI: string;
              user: { username: string };
              requestReceivedTimestamp: string;
            },
        )
        .filter(one => one.stage === 'ResponseComplete' && ['create', 'update', 'patch', 'delete'].includes(one.verb))
        .filter(one => Date.parse(one.requestReceivedTimestamp) >= since && /drover/.test(one.user.username))
        .map(one => `${one.verb} ${one.requestURI}`)
        .filter(one => !/subjectaccessreviews|selfsubject|tokenreviews|[?&]dryRun=All/.test(one));

    test('preview_writes_nothing, preview_equals_apply, plan_stale_detected', async () => {
      await Promise.all(realNames.map(name => story.kubectl.expect(`wait --for=condition=Ready clusters.drover.io ${name} --timeout=60s`)));
      for (const name of realNames) await story.on(name).expect(`create namespace ${inFleet}`);
      const since = Date.now();
      await story.start('preview-1', 'members', { mode: 'Preview' });
      const { status } = await story.reaches('preview-1', 'Succeeded', 'Failed');
      assert.equal(status?.phase, 'Succeeded');
      for (const member of real) assert.deepEqual(writesTo(member, since), []);
      const previews = Object.values(await story.parts('preview-1')).map(one => one.status?.preview);
      for (const preview of previews) {
        assert.equal(preview?.releaseNumber, 1);
        assert.deepEqual(preview.create?.map(one => one.split('/').slice(-2).join('/')).toSorted(), [
          'ConfigMap/mood-run',
          'ConfigMap/web-1',
          'Deployment/web',
          'Service/web',
        ]);
      }
      await story.start('applied-1', 'members', { previewRef: 'preview-1' });
      const applied = await story.reaches('applied-1', 'Succeeded', 'Failed', 'RolledBack');
      assert.deepEqual([applied.status?.phase, applied.status?.planHash], ['Succeeded', status?.planHash]);
      for (const member of real)
        assert.ok(
          writesTo(member, since).some(one => one.includes('/deployments/web')),
          'writes are seen',
        );

      await story.apply(delivered('ServiceDefinition', 'web', { manifests: [{ inline: webManifests('3') }] }));
      await story.start('applied-2', 'members', { previewRef: 'preview-1' });
      const stale = await story.reaches('applied-2', 'Succeeded', 'Failed', 'RolledBack');
      assert.deepEqual([stale.status?.phase, stale.status?.reason], ['Failed', 'PlanStale']);
      assert.deepEqual(await story.states('applied-2'), {});
    });

    test('hub_restart_mid_apply_resumes', async () => {
      const many = Array.from(
        { length: 60 },
        (_, i) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-${i}}\ndata: {of: "${i}"}\n`,
      ).join('');
      await story.apply(delivered('ServiceDefinition', 'web', { manifests: [{ inline: webManifests('4') + many }] }));
      await story.start('restart-1', 'members');
      await eventually(() => story.seen('east', 'configmap many-0-2', '{.data.of}', inFleet), Boolean, { timeoutMs: 60_000, everyMs: 5 });
      await hub.restart();
      const { status } = await story.reaches('restart-1', 'Succeeded', 'Failed', 'RolledBack');
      assert.equal(status?.phase, 'Succeeded');
      for (const name of realNames) {
        assert.equal(await story.seen(name, 'configmap many-59-2', '{.data.of}', inFleet), '59');
        const records = await story.on(name).expect(`get secrets -n ${inFleet} -l owner=harness -L release-number,status --no-headers`);
        assert.match(records, /2\s+Succeeded/);
        assert.doesNotMatch(records, /3\s+\w+/);
      }
      const parts = Object.values(await story.parts('restart-1'));
      assert.deepEqual(
        parts.map(one => one.status?.releaseNumber),
        [2, 2],
      );
    });

    test('hub_restart_mid_swap_converges', async () => {
      await story.apply(
        infrastructure('colors', { kind: 'real' }, { namespace: 'colors' }),
        delivered('ServiceDefinition', 'bg', { manifests: [{ inline: webManifests('5') }] }),
        workflow('blue-green', 'colors', { type: 'BlueGreen', serviceRef: 'bg', ...rollBack }),
      );
      await story.start('swap-1', 'blue-green');
      await story.reaches('swap-1', 'Succeeded');
      const seen = (name: string, what: string, at: string) => story.on(name).expect(`get ${what} -n colors -o jsonpath=${at}`);
      const color = (name: string) => seen(name, 'service web', '{.spec.selector.harness\\.io/color}');
      for (const name of realNames) assert.equal(await color(name), 'blue');
      await story.apply(delivered('ServiceDefinition', 'bg', { manifests: [{ inline: webManifests('6') }] }));
      await story.start('swap-2', 'blue-green');
      const isSwapping = async () => Object.values(await story.parts('swap-2')).some(one => one.spec.grant?.type === 'SwapServices');
      await eventually(isSwapping, Boolean, { timeoutMs: 60_000, everyMs: 5 });
      await hub.restart();
      const { status } = await story.reaches('swap-2', 'Succeeded', 'Failed', 'RolledBack');
      assert.equal(status?.phase, 'Succeeded');
      for (const name of realNames) {
        assert.equal(await color(name), 'green');
        assert.equal(await seen(name, 'service web-stage', '{.spec.selector.harness\\.io/color}'), 'blue');
        assert.equal(await seen(name, 'deployment web-green', '{.spec.template.spec.containers[0].image}'), 'web:6');
      }
    });

    test('secrets_masked_everywhere', async () => {
      const secret = 'open-sesame-4711';
      await story.apply(
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'vault', namespace: application }, stringData: { password: secret } },
        delivered('ServiceDefinition', 'sealed', {
          manifests: [
            { inline: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sealed}\ndata: {password: "${serviceVariable.password}"}\n' },
          ],
          variables: [{ name: 'password', type: 'Encrypted', secretRef: { name: 'vault', key: 'password' } }],
        }),
        workflow('sealed', 'members', { serviceRef: 'sealed', ...rollBack }),
      );
      await story.start('sealed-1', 'sealed');
      await story.reaches('sealed-1', 'Succeeded');
      const [cm] = (await story.on('east').expect(`get configmap -n ${inFleet} -o name`)).split('\n').filter(one => /sealed/.test(one));
      assert.equal(await story.seen('east', cm!, '{.data.password}', inFleet), secret);
      const said = await story.drover.expect(`logs run/sealed-1 -n ${application}`);
      assert.match(said, /password: '?\*{14}/);
      const everything = [
        said,
        await story.kubectl.expect(`get workflowruns,clusterruns,events -n ${application} -o yaml`),
        readFileSync(hub.program.logFile, 'utf8'),
      ].join('\n');
      assert.ok(!everything.includes(secret));
    });

    test('offline_cluster_deferred_then_caught_up', async () => {
      const inline =
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: late, annotations: {harness.io/skip-versioning: "true"}}\ndata: {is: here}\n';
      await story.apply(
        delivered('ServiceDefinition', 'late', { manifests: [{ inline }] }),
        workflow('late', 'members', { serviceRef: 'late', ...rollBack }),
      );
      await real[1]!.kill();
      await story.kubectl.expect('wait --for=condition=Ready=false clusters.drover.io north --timeout=50s');
      await story.start('late-1', 'late');
      const { status } = await story.reaches('late-1', 'Succeeded', 'Failed', 'RolledBack');
      assert.deepEqual([status?.phase, status?.clusters?.deferred], ['Succeeded', 1]);
      assert.deepEqual(await story.states('late-1'), { east: 'Succeeded', north: 'Deferred' });
      await real[1]!.revive();
      await eventually(
        () => story.states('late-1'),
        one => one['north'] === 'Succeeded',
        patient,
      );
      assert.equal(await story.seen('north', 'configmap late', '{.data.is}', inFleet), 'here');
    });
  });
}
