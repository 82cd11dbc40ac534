import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { hubKindsByTime } from '../../test/helpers/either-hub.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../test/helpers/memory-hub.ts';
import { startRealHubClient } from '../../test/helpers/real-hub-client.ts';
import { missingRig } from '../../test/helpers/rig.ts';
import { startWebhooks } from '../../test/helpers/webhook-rig.ts';
import { configMap, makeShop, shop } from '../../test/helpers/workflow-objects.ts';
import { ClusterRole, ClusterRoleBinding, Secret } from '../api/builtin-kinds.ts';
import { newObject, withType, type KindRef } from '../api/define-kind.ts';
import { StatusError } from '../api/status.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import type { UserInfo } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { deliveryAdmission } from '../dialects/workflows/admission/delivery-admission.ts';
import { runDeliveryRegistration } from '../dialects/workflows/admission/register-delivery.ts';
import { ApprovalRequest } from '../dialects/workflows/kinds/approval-request.ts';
import { CloudProvider } from '../dialects/workflows/kinds/cloud-provider.ts';
import { ClusterRun } from '../dialects/workflows/kinds/cluster-run.ts';
import { DeployFreeze } from '../dialects/workflows/kinds/deploy-freeze.ts';
import { GateTemplate } from '../dialects/workflows/kinds/gate.ts';
import { InfrastructureDefinition } from '../dialects/workflows/kinds/infrastructure-definition.ts';
import { Pipeline, PipelineRun } from '../dialects/workflows/kinds/pipeline.ts';
import { Environment, ServiceDefinition } from '../dialects/workflows/kinds/service-definition.ts';
import { Trigger } from '../dialects/workflows/kinds/trigger.ts';
import { WorkflowRun } from '../dialects/workflows/kinds/workflow-run.ts';
import { Workflow } from '../dialects/workflows/kinds/workflow.ts';
import { workflowKinds } from '../dialects/workflows/workflow-kinds.ts';
import { externalAccess } from '../gateway/external-access.ts';
import { embeddedClientAs } from './embedded-client-as.ts';

const deployer: UserInfo = { name: 'jane', groups: ['system:authenticated', 'deployers'] };
const operator: UserInfo = { name: 'olga', groups: ['system:authenticated', 'operators'] };

type Access = Pick<HubAccess, 'authorize' | 'as'>;

async function start(t: TestContext, hub: KubeClient, access: Access) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  await makeShop(hub, { workflow: { variables: [{ name: 'tag', required: true }] } });
  const role = (name: string, rules: object[]) => hub.create(ClusterRole, withType(ClusterRole, { metadata: { name }, rules }) as never);
  const bind = (name: string, user: UserInfo) => {
    const roleRef = { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name };
    const subjects = [{ apiGroup: ClusterRole.group, kind: 'User', name: user.name }];
    return hub.create(
      ClusterRoleBinding,
      withType(ClusterRoleBinding, { metadata: { name: `${name}-${user.name}` }, roleRef, subjects }) as never,
    );
  };
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  await role('writer', [{ apiGroups: ['delivery.drover.io'], resources: ['*'], verbs }]);
  await role('operator', [
    { apiGroups: ['delivery.drover.io'], resources: ['workflowruns'], verbs: ['bypass'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  ]);
  await Promise.all([bind('writer', deployer), bind('writer', operator), bind('operator', operator)]);
  const address = await startWebhooks(t, { workflows: deliveryAdmission({ hub, access }) });
  runDeliveryRegistration({ hub, address, after: Promise.resolve(), signal: stop.signal });
  const as = (user: UserInfo): KubeClient => {
    const client = access.as(user);
    t.after(() => client[Symbol.asyncDispose]());
    return client;
  };
  const freeze = { kind: 'Deny', start: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' } as const;
  await eventually(
    () =>
      as(operator)
        .create(DeployFreeze, newObject(DeployFreeze, { name: 'backward' }, freeze as never), { fieldManager: 'kubectl' })
        .catch((error: unknown) => error),
    error => error instanceof StatusError && error.code === 422,
    { timeoutMs: 60_000, what: 'the first refusal' },
  );
  return { as };
}

interface Case {
  readonly name: string;
  readonly kind: KindRef;
  readonly spec: object;
  readonly code?: number;
  readonly words: RegExp;
}

const steps = (...types: (string | object)[]) => types.map(type => (typeof type === 'string' ? { type } : type));
const phase = (list: object[], more: object = {}) => ({
  type: 'Custom',
  serviceRef: 'web',
  infrastructureRef: 'all',
  phases: [{ name: 'p', groups: [{ name: 'g', steps: list, ...more }] }],
});
const infrastructure = { environmentRef: 'prod', cloudProviderRef: 'here', namespace: 'payments' };
const rancher = (more: object) => ({
  type: 'Rancher',
  rancher: {
    url: 'https://rancher.example',
    auth: { bearerTokenSecretRef: { namespace: 'kube-system', name: 'theirs', key: 'token' } },
    ...more,
  },
});

const workflow = (more: object) => ({ type: 'Rolling', serviceRef: 'web', infrastructureRef: 'all', ...more });

const cases: readonly Case[] = [
  {
    name: 'a mail address that would be more than that',
    kind: Workflow,
    spec: workflow({ notifications: [{ email: ['ops@example.com', 'a@b\r\nRCPT TO:<c@d>'] }] }),
    words: /spec\.notifications\[0\]\.email\[1\]: Invalid value: .*must be a mail address/,
  },
  {
    name: 'drift that is compared all the time',
    kind: Workflow,
    spec: workflow({ drift: { mode: 'Detect', interval: '1s' } }),
    words: /spec\.drift\.interval: Invalid value: "1s": must be at least 1m/,
  },
  {
    name: 'resolve_empty_criteria_rejected',
    kind: InfrastructureDefinition,
    spec: infrastructure,
    words: /spec: Invalid value: .*would select every cluster: set allowAllClusters to mean that/,
  },
  {
    name: 'a namespace that is none',
    kind: InfrastructureDefinition,
    spec: { ...infrastructure, allowAllClusters: true, namespace: 'No' },
    words: /spec\.namespace: Invalid value: "No"/,
  },
  {
    name: 'a release name that is too long',
    kind: InfrastructureDefinition,
    spec: { ...infrastructure, allowAllClusters: true, releaseName: 'x'.repeat(64) },
    words: /spec\.releaseName/,
  },
  {
    name: 'an expression that cannot be read',
    kind: InfrastructureDefinition,
    spec: { ...infrastructure, clusterSelectionCriteria: [{ labelName: 'a', labelValues: '${env.' }] },
    words: /clusterSelectionCriteria\[0\]\.labelValues/,
  },
  {
    name: 'a patch without a target',
    kind: InfrastructureDefinition,
    spec: { ...infrastructure, allowAllClusters: true, overrides: [{ patches: [{ type: 'json6902', patch: '[]' }] }] },
    words: /overrides\[0\]\.patches\[0\]\.target: Required value/,
  },
  {
    name: 'an unknown step',
    kind: Workflow,
    spec: phase(steps('ResolveClusters', 'Teleport')),
    words: /spec\.phases\[0\]\.groups\[0\]\.steps\[1\]\.type: Unsupported value: "Teleport"/,
  },
  {
    name: 'a step on clusters before they are resolved',
    kind: Workflow,
    spec: phase(steps('RollingDeploy', 'ResolveClusters')),
    words: /steps\[0\]\.type: Invalid value: "RollingDeploy": there must be a step ResolveClusters before it/,
  },
  {
    name: 'two canaries',
    kind: Workflow,
    spec: phase(steps('ResolveClusters', 'CanaryDeploy', 'CanaryDeploy')),
    words: /steps\[2\]\.type: .*one step CanaryDeploy at most/,
  },
  {
    name: 'export and inherit',
    kind: Workflow,
    spec: phase(steps('ResolveClusters', { type: 'RollingDeploy', with: { exportManifests: true, inheritManifests: true } })),
    words: /not both/,
  },
  {
    name: 'a step without time',
    kind: Workflow,
    spec: phase(steps({ type: 'Wait', with: { duration: '1s' }, timeout: '5s' })),
    words: /timeout: .*must be at least 1m/,
  },
  {
    name: 'a barrier without a name',
    kind: Workflow,
    spec: phase(steps({ type: 'Barrier', with: { identifier: 7 } })),
    words: /steps\[0\]\.with\.identifier: Invalid value: 7: must be a name/,
  },
  {
    name: 'a condition that cannot be read',
    kind: Workflow,
    spec: phase(steps({ type: 'ResolveClusters', skip: { when: '${env.name} ==' } })),
    words: /skip\.when/,
  },
  {
    name: 'an unknown step of a rollback',
    kind: Workflow,
    spec: { ...phase(steps('ResolveClusters')), phases: [{ name: 'p', rollback: [{ name: 'g', steps: [{ type: 'No' }] }] }] },
    words: /phases\[0\]\.rollback\[0\]\.steps\[0\]\.type/,
  },
  {
    name: 'steps on clusters at the same time',
    kind: Workflow,
    spec: {
      ...phase(steps('ResolveClusters')),
      phases: [
        {
          name: 'p',
          groups: [
            { name: 'a', steps: steps('ResolveClusters') },
            { name: 'b', parallel: true, steps: steps('Scale') },
          ],
        },
      ],
    },
    words: /cannot be done in parallel/,
  },
  {
    name: 'a default that is not allowed',
    kind: Workflow,
    spec: { type: 'Rolling', variables: [{ name: 'a', default: 'x', allowedValues: ['y'] }] },
    words: /variables\[0\]\.default/,
  },
  {
    name: 'two gates of one name, the second of which would be passed with the first',
    kind: Workflow,
    spec: {
      type: 'Rolling',
      rollout: { waves: [{ name: 'a', count: 1, before: ['1s', '1h'].map(duration => ({ name: 'g', type: 'Wait', duration })) }] },
    },
    words: /waves\[0\]\.before\[1\]\.name: Duplicate value: "g"/,
  },
  {
    name: 'a gate that cannot be judged',
    kind: Workflow,
    spec: { type: 'Rolling', rollout: { waves: [{ name: 'a', count: 1, before: [{ name: 'g', type: 'HTTP' }] }] } },
    words: /waves\[0\]\.before\[0\]\.url: Required value/,
  },
  {
    name: 'two sources of a manifest',
    kind: ServiceDefinition,
    spec: { manifests: [{ inline: 'a: b', configMapRef: { name: 'x' } }] },
    words: /exactly one of/,
  },
  {
    name: 'an encrypted variable in the open',
    kind: ServiceDefinition,
    spec: { variables: [{ name: 'p', value: 'x', type: 'Encrypted' }] },
    words: /variables\[0\]\.secretRef: Required value/,
  },
  {
    name: 'values without a source',
    kind: Environment,
    spec: { type: 'Prod', serviceOverrides: [{ service: '*', values: [{}] }] },
    words: /serviceOverrides\[0\]\.values\[0\]: Required value/,
  },
  {
    name: 'credentials in an address',
    kind: CloudProvider,
    spec: rancher({ url: 'https://me:pw@rancher.example' }),
    words: /credentials belong into a Secret/,
  },
  { name: 'a Secret that others may read', kind: CloudProvider, spec: rancher({}), words: /you may not read Secret "kube-system\/theirs"/ },
  { name: 'two ways to sign in', kind: CloudProvider, spec: rancher({ auth: {} }), words: /exactly one of/ },
  {
    name: 'a schedule that is too short',
    kind: Trigger,
    spec: {
      condition: { type: 'Schedule', schedule: '0/2 * ? * * *' },
      action: { workflowRef: { name: 'roll' }, variables: { tag: 'x' } },
    },
    words: /Deployments must be triggered at intervals greater than or equal to 5 minutes\./,
  },
  {
    name: 'a required variable that nobody gives',
    kind: Trigger,
    spec: { condition: { type: 'Schedule', schedule: '0 12 ? * * *' }, action: { workflowRef: { name: 'roll' } } },
    words: /spec\.action\.variables\[tag\]: Required value: workflow "roll" needs it/,
  },
  {
    name: 'a version that is not named',
    kind: Trigger,
    spec: {
      condition: { type: 'Webhook', secretRef: { name: 's', key: 'k' } },
      action: { workflowRef: { name: 'roll' }, variables: { tag: '${event.' }, artifacts: [{ service: 'web', select: 'Build' }] },
    },
    words: /spec\.action\.variables\[tag\]: Invalid value.*spec\.action\.artifacts\[0\]\.build: Required value/,
  },
  {
    name: 'a range that is none',
    kind: Trigger,
    spec: { condition: { type: 'NewArtifact', service: 'web', tagFilter: 'semver:>>1' }, action: { pipelineRef: { name: 'p' } } },
    words: /spec\.condition\.tagFilter: Invalid value/,
  },
  {
    name: 'an expression that is none',
    kind: ServiceDefinition,
    spec: { artifacts: [{ name: 'a', type: 'OCIImage', image: 'x/y', tagFilter: 'regex:(' }] },
    words: /spec\.artifacts\[0\]\.tagFilter: Invalid value/,
  },
  {
    name: 'a pipeline for clusters that join',
    kind: Trigger,
    spec: { condition: { type: 'ClusterJoined', infrastructureRef: 'prod' }, action: { pipelineRef: { name: 'p' } } },
    words: /what was last released is that of a workflow/,
  },
  {
    name: 'a trigger for nothing',
    kind: Trigger,
    spec: { condition: { type: 'Webhook', secretRef: { name: 's', key: 'k' } }, action: {} },
    words: /exactly one of workflowRef and pipelineRef/,
  },
  { name: 'a stage that is nothing', kind: Pipeline, spec: { stages: [{ name: 'a' }] }, words: /exactly one of workflowRef and approval/ },
  {
    name: 'a freeze without an end',
    kind: DeployFreeze,
    spec: { kind: 'Deny', rrule: 'FREQ=WEEKLY' },
    words: /spec\.duration: Required value/,
  },
  { name: 'a rule that is none', kind: DeployFreeze, spec: { kind: 'Deny', rrule: 'EVERY=DAY', duration: '1h' }, words: /spec\.rrule/ },
  {
    name: 'a measurement that cannot be judged',
    kind: GateTemplate,
    spec: { metrics: [{ name: 'm', successCondition: 'result >', provider: { web: { url: 'https://x.example' } } }] },
    words: /metrics\[0\]\.successCondition/,
  },
  {
    name: 'a gate that is skipped without the right',
    kind: WorkflowRun,
    spec: { workflowRef: { name: 'roll' }, skipGates: ['g'] },
    code: 403,
    words: /skipGates needs the right to "bypass" workflowruns/,
  },
  {
    name: 'a part of a run',
    kind: ClusterRun,
    spec: { runRef: { name: 'x', uid: 'y' }, cluster: { id: 'c-m-aaaaaaaa', name: 'east' }, wave: 'all' },
    words: /only the hub writes ClusterRuns/,
  },
  {
    name: 'a request for approval',
    kind: ApprovalRequest,
    spec: { runRef: { name: 'x', uid: 'y' } },
    words: /only the hub makes ApprovalRequests/,
  },
  {
    name: 'a run that is resumed before it began',
    kind: PipelineRun,
    spec: { pipelineRef: { name: 'p' }, resumeFrom: 'a' },
    words: /only a run that failed can be resumed/,
  },
];

const refused = (write: Promise<unknown>, words: RegExp, code = 422) =>
  assert.rejects(write, (error: unknown) => {
    assert.ok(error instanceof StatusError, String(error));
    assert.match(error.message, words);
    assert.equal(error.code, code);
    return true;
  });

async function reviews(t: TestContext, hub: KubeClient, access: Access): Promise<void> {
  const { as } = await start(t, hub, access);
  const [jane, olga] = [as(deployer), as(operator)];
  const namespace = shop;
  const make = (client: KubeClient, kind: KindRef, name: string, spec: object) =>
    client.create(kind, newObject(kind as never, { name, ...(kind.scope === 'Namespaced' && { namespace }) }, spec as never), {
      fieldManager: 'kubectl',
    });
  for (const [i, { name, kind, spec, words, code }] of cases.entries()) {
    await t.test(name, () => refused(make(jane, kind, `bad-${i}`, spec), words, code));
  }

  await t.test('what is sound is written, by those who may', async () => {
    await make(jane, Workflow, 'sound', phase(steps('ResolveClusters', 'CanaryDeploy', 'RollingDeploy')));
    await make(jane, ServiceDefinition, 'sound', {
      manifests: [{ inline: configMap('x') }],
      variables: [{ name: 'a', value: '${env.name}' }],
    });
    await make(olga, CloudProvider, 'sound', rancher({}));
    await refused(
      jane.patch(
        CloudProvider,
        { name: 'sound' },
        { type: 'merge', body: { spec: { rancher: { url: 'https://evil.example' } } } },
        { fieldManager: 'kubectl' },
      ),
      /you may not read Secret/,
    );
    await hub.patch(CloudProvider, { name: 'sound' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await refused(
      olga.patch(CloudProvider, { name: 'sound' }, { type: 'merge', body: { spec: { type: 'Drover', rancher: null } } }),
      /type cannot be changed/,
    );
  });

  await t.test('who asked for a run, and who changed it, is true; what it is made of stays', async () => {
    const body = newObject(
      WorkflowRun,
      { namespace, name: 'r', annotations: { 'delivery.drover.io/triggered-by': 'somebody else', mine: 'x' } },
      { workflowRef: { name: 'roll' }, variables: { tag: '1' } },
    );
    const made = await jane.create(WorkflowRun, body, { fieldManager: 'kubectl' });
    const {
      'delivery.drover.io/requested-at': requestedAt = '',
      'delivery.drover.io/triggered-by-groups': told = '[]',
      ...others
    } = made.metadata.annotations ?? {};
    const groups = JSON.parse(told) as string[];
    assert.ok(groups.includes('deployers') && !groups.includes('operators'), told);
    assert.deepEqual(others, { 'delivery.drover.io/triggered-by': 'jane', mine: 'x' });
    const patch = (client: KubeClient, change: object) =>
      client.patch(WorkflowRun, { namespace, name: 'r' }, { type: 'merge', body: change as never }, { fieldManager: 'kubectl' });
    const paused = await patch(olga, {
      metadata: {
        annotations: {
          'delivery.drover.io/triggered-by': 'nobody',
          'delivery.drover.io/triggered-by-groups': '["operators"]',
          'delivery.drover.io/requested-at': '2020-01-01',
        },
      },
      spec: { state: 'Pause' },
    });
    assert.deepEqual(
      [
        paused.metadata.annotations?.['delivery.drover.io/triggered-by'],
        paused.metadata.annotations?.['delivery.drover.io/state-changed-by'],
        paused.metadata.annotations?.['delivery.drover.io/requested-at'],
      ],
      ['jane', 'olga', requestedAt],
    );
    // Names that would sort the other way round, and more of them than a second has.
    const moments: string[] = [];
    for (const name of ['z', 'y', 'x', 'w']) {
      const one = newObject(WorkflowRun, { namespace, name }, { workflowRef: { name: 'roll' }, variables: { tag: '1' } });
      const { metadata } = await jane.create(WorkflowRun, one, { fieldManager: 'kubectl' });
      moments.push(metadata.annotations!['delivery.drover.io/requested-at']!);
      await hub.delete(WorkflowRun, { namespace, name });
    }
    assert.deepEqual(moments, [...new Set(moments)].toSorted(), 'which came first is known');
    assert.match(requestedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.deepEqual(JSON.parse(paused.metadata.annotations?.['delivery.drover.io/triggered-by-groups'] ?? ''), groups);
    await refused(patch(jane, { spec: { variables: { tag: '2' } } }), /spec\.variables: .*immutable/);
    await refused(patch(jane, { spec: { workflowRef: { name: 'other' } } }), /workflowRef cannot be changed/);
    await refused(patch(jane, { spec: { skipGates: ['g'] } }), /bypass/, 403);
    await patch(olga, { spec: { skipGates: ['g'] } });

    const snapshot = {
      workflow: { spec: {} },
      provider: { name: 'here' },
      service: 'web',
      services: {},
      infrastructure: { name: 'all', namespace: 'shop', releaseName: 'x' },
    };
    const over = (phase: string) =>
      hub.patch(
        WorkflowRun,
        { namespace, name: 'r' },
        {
          type: 'merge',
          body: { status: { phase, startedAt: '2026-01-01T00:00:00Z', snapshot } },
        },
        { subresource: 'status' },
      );
    await over('RolledBack');
    await refused(patch(jane, { spec: { state: 'Run' } }), /the run is RolledBack: it is over/);
    await refused(patch(jane, { spec: { state: 'Rollback' } }), /the run is RolledBack: it is over/);
    await over('Succeeded');
    await refused(patch(jane, { spec: { state: 'Abort' } }), /the run is Succeeded: it is over/);
    const newer = await make(jane, WorkflowRun, 'newer', { workflowRef: { name: 'roll' } });
    const later = (phase: string) => {
      const status = { phase, startedAt: '2026-01-02T00:00:00Z', clusters: { total: 1, running: 1 }, snapshot };
      const key = { namespace, name: newer.metadata.name! };
      return hub.patch(WorkflowRun, key, { type: 'merge', body: { status } }, { subresource: 'status' });
    };
    await later('Running');
    await refused(patch(jane, { spec: { state: 'Rollback' } }), /a newer run has taken the place/);
    // One that was put back whole left its place to the one before.
    await later('RolledBack');
    await patch(jane, { spec: { state: 'Rollback' } });
    await hub.delete(WorkflowRun, { namespace, name: 'newer' });
    await patch(jane, { spec: { state: 'Rollback' } });
  });

  await t.test('decisions are added by those who may decide, with their name and the time', async () => {
    const spec = { runRef: { name: 'r', uid: 'u' }, groups: ['operators'], startedBy: 'olga', variables: [{ name: 'why' }] };
    await hub.create(ApprovalRequest, newObject(ApprovalRequest, { namespace, name: 'a' }, spec));
    const decide = (client: KubeClient, decisions: object[], more: object = {}) =>
      client.patch(
        ApprovalRequest,
        { namespace, name: 'a' },
        { type: 'merge', body: { spec: { decisions, ...more } } as never },
        { fieldManager: 'kubectl' },
      );
    await refused(decide(jane, [{ decision: 'Approve' }]), /you are not among those who may decide/, 403);
    await refused(decide(olga, [{ decision: 'Approve' }]), /whoever started a run may not approve it/, 403);
    await refused(decide(olga, [{ decision: 'Retry' }]), /decisions\[0\]\.decision: Unsupported value: "Retry"/);
    await refused(decide(olga, [{ decision: 'Reject', variables: { other: 'x' } }]), /is not asked for/);
    await refused(decide(olga, [], { minApprovals: 5 }), /only decisions can be added/);
    const rejected = await decide(olga, [{ decision: 'Reject', user: 'jane', at: '2000-01-01T00:00:00Z', variables: { why: 'so' } }]);
    const [first] = rejected.spec.decisions!;
    assert.equal(first?.user, 'olga');
    assert.ok(Math.abs(Date.parse(first.at!) - Date.now()) < 60_000);
    await refused(decide(olga, [{ ...first, comment: 'on second thought' }]), /what was decided cannot be changed/);
    await refused(decide(olga, []), /what was decided cannot be changed/);
    await hub.patch(
      ApprovalRequest,
      { namespace, name: 'a' },
      { type: 'merge', body: { status: { phase: 'Rejected' } } },
      { subresource: 'status' },
    );
    await refused(decide(olga, [first, { decision: 'Reject' }]), /it is Rejected already/);
  });
  assert.equal((await hub.list(Secret, { namespace })).items.length, 0);
}

test('objects of workflows are reviewed on the embedded API server', async t => {
  const { client, api } = await startMemoryHub(t, workflowKinds);
  const access: Access = { authorize: async (user, wanted) => api.authorizer.authorize(user, wanted), as: embeddedClientAs(api) };
  await reviews(t, client, access);
});

const isTime = hubKindsByTime.includes('real kube-apiserver');
const skip = isTime ? (missingRig('etcd', 'kube-apiserver') ?? false) : 'npm run test:unit';

test('objects of workflows are reviewed on a real kube-apiserver', { skip, timeout: 300_000 }, async t => {
  const client = await startRealHubClient(t, workflowKinds);
  await reviews(t, client, externalAccess(client, { believedMs: 0 }));
});
