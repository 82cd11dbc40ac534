import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Deployment, Namespace, Secret, Service } from '../../src/api/builtin-kinds.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { CloudProvider } from '../../src/dialects/workflows/kinds/cloud-provider.ts';
import { ClusterRun } from '../../src/dialects/workflows/kinds/cluster-run.ts';
import { InfrastructureDefinition } from '../../src/dialects/workflows/kinds/infrastructure-definition.ts';
import { Environment, ServiceDefinition } from '../../src/dialects/workflows/kinds/service-definition.ts';
import { isTerminal, WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { Workflow } from '../../src/dialects/workflows/kinds/workflow.ts';
import { isInFlight } from '../../src/dialects/workflows/runs/cluster-grant.ts';
import { failpoints, type Failpoint } from '../../src/runtime/failpoint.ts';
import { startDyingHub, type DyingHub } from '../helpers/dying-hub.ts';
import { eventually } from '../helpers/eventually.ts';

/** Without it some places of every scenario are tried; with `DROVER_KILLS=all` every place (some 420 kills, 20 minutes). */
const killsAll = process.env['DROVER_KILLS'] === 'all';
const killsPerScenario = 1;
const clusters = ['east', 'west'];
const namespace = 'shop';

const manifests = (version: string, isBroken = false) => `apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {version: "${version}"}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${isBroken ? '"w-${cluster.name.replace("west", "WEST")}"' : 'web'}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:${version}", envFrom: [{configMapRef: {name: web}}]}]}
`;

const oneByOne = { rollout: { waves: [{ name: 'all', remainder: true, maxConcurrency: 1 }] } };
const gate = { name: 'good?', type: 'Expression', expr: 'nothing.there', onFailure: 'Rollback' };

interface Scenario {
  readonly spec: Partial<Workflow['spec']>;
  /** Whether a run that succeeded was there before. */
  readonly isSecond: boolean;
  readonly isBroken?: boolean;
  readonly ends: string;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'a rolling run': { spec: { type: 'Rolling', ...oneByOne }, isSecond: true, ends: 'Succeeded' },
  'a canary run': { spec: { type: 'Canary', ...oneByOne }, isSecond: false, ends: 'Succeeded' },
  'a blue/green run': { spec: { type: 'BlueGreen', ...oneByOne }, isSecond: true, ends: 'Succeeded' },
  'a rolling run that is put back': {
    spec: { type: 'Rolling', ...oneByOne, failureStrategies: [{ action: 'RollbackWorkflow' }] },
    isSecond: true,
    isBroken: true,
    ends: 'RolledBack',
  },
  'a canary run that is put back': {
    spec: { type: 'Canary', rollout: { waves: [{ name: 'all', remainder: true, maxConcurrency: 1, after: [gate] }] } } as never,
    isSecond: true,
    ends: 'RolledBack',
  },
  'a blue/green run that is put back': {
    spec: { type: 'BlueGreen', rollout: { waves: [{ name: 'all', remainder: true, maxConcurrency: 1, after: [gate] }] } } as never,
    isSecond: true,
    ends: 'RolledBack',
  },
};

test(
  'a hub that is killed at any transition of a run ends it as if it had not been',
  { timeout: killsAll ? 3_600_000 : 290_000 },
  async t => {
    const hub = await startDyingHub(t, clusters);
    const { api } = hub;
    await api.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await api.create(CloudProvider, newObject(CloudProvider, { name: 'here' }, { type: 'Drover' }));
    await api.create(Environment, newObject(Environment, { namespace, name: 'prod' }, { type: 'Prod' }));
    const watching = watchInvariants(hub);
    t.after(() => watching.stop());
    const tried = new Set<Failpoint>();
    let places = 0;

    for (const [title, scenario] of Object.entries(scenarios))
      await t.test(title, async t2 => {
        const calm = await play(scenario, undefined);
        assert.equal(calm.phase, scenario.ends);
        assert.ok(calm.points.length > 10, 'it does something');
        const chosen = killsAll ? calm.points.map((_, i) => i + 1) : choose(calm.points);
        t2.diagnostic(`${chosen.length} of ${calm.points.length} places to die`);
        for (const count of chosen) {
          tried.add(calm.points[count - 1]!);
          const rough = await play(scenario, count);
          assert.deepEqual(rough.state, calm.state, `killed at place ${count}, ${calm.points[count - 1]}`);
          assert.deepEqual(rough.colors, calm.colors, `killed at place ${count}: no swap is made twice`);
        }
      });

    await t.test('no place was left out, and no more than one cluster was busy at any moment', () => {
      const all = failpoints.filter(point => point.startsWith('workflows.'));
      assert.deepEqual([...tried].toSorted(), all.toSorted());
      assert.deepEqual(watching.problems, []);
    });

    /** Those that were not tried before come first; then what is spread over the run. */
    function choose(points: readonly Failpoint[]): number[] {
      const fresh = points.findIndex(point => !tried.has(point)) + 1;
      const spread = Array.from({ length: killsPerScenario }, (_, i) => 1 + Math.floor(((i + 0.5) * points.length) / killsPerScenario));
      const missing = failpoints.filter(point => points.includes(point) && !tried.has(point)).map(point => points.lastIndexOf(point) + 1);
      return [...new Set([...(fresh > 0 ? [fresh] : []), ...missing.slice(0, 2), ...spread])];
    }

    /** A run on an infrastructure of its own. */
    async function play({ spec, isSecond, isBroken = false }: Scenario, killAt: number | undefined) {
      const name = `place-${++places}`;
      const service = (version: string, broken = false) =>
        api.apply(
          ServiceDefinition,
          newObject(ServiceDefinition, { namespace, name }, { manifests: [{ inline: manifests(version, broken) }] }),
        );
      await service('1');
      await api.create(
        InfrastructureDefinition,
        newObject(
          InfrastructureDefinition,
          { namespace, name },
          {
            environmentRef: 'prod',
            cloudProviderRef: 'here',
            namespace: name,
            createNamespace: true,
            releaseName: 'web',
            allowAllClusters: true,
          },
        ),
      );
      const refs = { serviceRef: name, environmentRef: 'prod', infrastructureRef: name };
      if (isSecond) {
        const { rollout: _, failureStrategies: __, ...first } = spec;
        await api.create(Workflow, newObject(Workflow, { namespace, name: `${name}-first` }, { type: 'Rolling', ...first, ...refs }));
        assert.equal(await finish(`${name}-first`, `${name}-first`), 'Succeeded');
        await service('2', isBroken);
      }
      await api.create(Workflow, newObject(Workflow, { namespace, name }, { type: 'Rolling', ...spec, ...refs }));
      hub.passed();
      const before = hub.deaths;
      if (killAt !== undefined) hub.killAt(killAt);
      const phase = await finish(name, name);
      if (killAt !== undefined) assert.equal(hub.deaths, before + 1, `it was not killed at place ${killAt}`);
      hub.killAt(Infinity);
      const points = hub.passed();
      return { phase, points, state: await stateOf(name), colors: clusters.map(one => watching.colors(one, name)) };
    }

    async function finish(name: string, workflow: string): Promise<string> {
      await api.create(WorkflowRun, newObject(WorkflowRun, { namespace, name }, { workflowRef: { name: workflow } }));
      const ended = await eventually(
        () => api.get(WorkflowRun, { namespace, name }),
        run => isTerminal(run?.status?.phase),
        { timeoutMs: 60_000, everyMs: 20, what: `the end of ${name}` },
      );
      return ended!.status!.phase!;
    }

    /** Everything that one could tell two runs apart by. */
    async function stateOf(name: string): Promise<unknown> {
      const { status } = (await api.get(WorkflowRun, { namespace, name }))!;
      const parts = (await api.list(ClusterRun, { namespace })).items.filter(one => one.spec.runRef.name === name);
      const onMembers = await Promise.all(
        clusters.map(cluster => eventually(() => memberState(cluster, name), isSettled, { timeoutMs: 30_000, what: `${cluster} at rest` })),
      );
      const text = JSON.stringify({
        phase: status?.phase,
        reason: status?.reason,
        clusters: status?.clusters,
        steps: status?.steps?.map(one => [one.name, one.status, one.wave, one.attempt, one.succeeded, one.failed, one.isRollback]),
        parts: parts
          .map(({ spec, status: part }) => [
            spec.cluster.name,
            part?.phase,
            part?.releaseNumber,
            part?.previousRelease,
            part?.blueGreen,
            part?.steps?.map(one => [one.name, one.status]),
          ])
          .toSorted(),
        onMembers,
      });
      return JSON.parse(text.replaceAll(name, 'PLACE')) as unknown;
    }

    interface MemberState {
      readonly deployments: readonly unknown[];
      readonly isRolledOut: boolean;
      readonly [what: string]: unknown;
    }

    async function memberState(cluster: string, place: string): Promise<MemberState> {
      const at = { namespace: place };
      const member = hub.member(cluster);
      const maps = (await member.list(ConfigMap, at)).items.filter(one => one.metadata.name !== 'kube-root-ca.crt');
      const records = (await member.list(Secret, at)).items.filter(one => one.metadata.labels?.['owner'] === 'harness');
      const services = (await member.list(Service, at)).items;
      const deployments = (await member.list(Deployment, at)).items;
      return {
        maps: maps.map(({ metadata, data }) => [metadata.name, data]).toSorted(),
        records: records
          .map(({ metadata: { name, labels = {} } }) => [
            name,
            labels['status'],
            labels['release-number'],
            labels['color'],
            labels['harness.io/bg-environment'],
          ])
          .toSorted(),
        services: services.map(({ metadata, spec }) => [metadata.name, spec?.selector]).toSorted(),
        deployments: deployments
          .map(({ metadata, spec }) => [
            metadata.name,
            spec?.replicas,
            spec?.template.spec?.containers[0]?.image,
            spec?.template.metadata?.labels,
          ])
          .toSorted(),
        isRolledOut: deployments.every(({ spec, status }) => status?.availableReplicas === spec?.replicas),
      };
    }

    function isSettled({ isRolledOut }: MemberState): boolean {
      return isRolledOut;
    }
  },
);

/** Follows what must hold at every moment. */
function watchInvariants(hub: DyingHub) {
  const ended = new AbortController();
  const problems: string[] = [];
  const parts = new Map<string, ClusterRun>();
  const colors = new Map<string, string[]>();
  void follow();
  for (const cluster of clusters) void followColors(cluster);
  return {
    problems,
    stop: () => ended.abort(),
    /** The colours that the primary Service of a place had, one after the other. */
    colors: (cluster: string, place: string) => colors.get(`${cluster}/${place}`) ?? [],
  };

  async function follow(): Promise<void> {
    for await (const event of hub.api.watch(ClusterRun, { sendInitialEvents: true, signal: ended.signal })) {
      if (event.type === 'EXPIRED') return void problems.push('events were lost');
      if (event.type === 'BOOKMARK') continue;
      const { metadata, spec } = event.object;
      if (event.type === 'DELETED') parts.delete(metadata.name!);
      else parts.set(metadata.name!, event.object);
      // Runs that prepare a place have no waves of their own.
      if (spec.runRef.name.endsWith('-first')) continue;
      const busy = [...parts.values()].filter(
        one => one.spec.runRef.name === spec.runRef.name && isInFlight(one) && one.spec.grant?.isRollback !== true,
      );
      if (busy.length > 1) problems.push(`${busy.length} clusters of ${spec.runRef.name} are busy`);
    }
  }

  async function followColors(cluster: string): Promise<void> {
    for await (const event of hub.member(cluster).watch(Service, { sendInitialEvents: true, signal: ended.signal })) {
      if (event.type === 'EXPIRED') return void problems.push('events were lost');
      if (event.type === 'BOOKMARK' || event.object.metadata.name !== 'web') continue;
      const key = `${cluster}/${event.object.metadata.namespace}`;
      const seen = colors.get(key) ?? [];
      const color = event.object.spec?.selector?.['harness.io/color'] ?? '';
      if (seen.at(-1) !== color) colors.set(key, [...seen, color]);
    }
  }
}
