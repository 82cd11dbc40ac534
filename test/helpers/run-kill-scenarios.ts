import assert from 'node:assert/strict';
import { ConfigMap, Deployment, Namespace, Secret, Service } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { Work } from '../../src/api/work.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { CloudProvider } from '../../src/dialects/workflows/kinds/cloud-provider.ts';
import { ClusterRun } from '../../src/dialects/workflows/kinds/cluster-run.ts';
import { InfrastructureDefinition } from '../../src/dialects/workflows/kinds/infrastructure-definition.ts';
import { Environment, ServiceDefinition } from '../../src/dialects/workflows/kinds/service-definition.ts';
import { isTerminal, WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { Workflow } from '../../src/dialects/workflows/kinds/workflow.ts';
import { deliveryLabels } from '../../src/dialects/workflows/names.ts';
import { eventually } from './eventually.ts';

export const namespace = 'shop';

/** A broken version is refused by the last of the clusters. */
const manifests = (version: string, refusing?: string) => `apiVersion: v1
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
metadata: {name: ${refusing === undefined ? 'web' : `"w-\${cluster.name.replace("${refusing}", "REFUSED")}"`}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:${version}", envFrom: [{configMapRef: {name: web}}]}]}
`;

export interface RunScenario {
  readonly type: 'Rolling' | 'Canary' | 'BlueGreen';
  /** Whether a run that succeeded was there before. */
  readonly isSecond: boolean;
  readonly isBroken?: boolean;
  /** Whether a gate after the last wave has it put back. */
  readonly isRejected?: boolean;
  readonly ends: string;
}

export const runScenarios: Readonly<Record<string, RunScenario>> = {
  'a rolling run': { type: 'Rolling', isSecond: true, ends: 'Succeeded' },
  'a canary run': { type: 'Canary', isSecond: false, ends: 'Succeeded' },
  'a blue/green run': { type: 'BlueGreen', isSecond: true, ends: 'Succeeded' },
  'a rolling run that is put back': { type: 'Rolling', isSecond: true, isBroken: true, ends: 'RolledBack' },
  'a canary run that is put back': { type: 'Canary', isSecond: true, isRejected: true, ends: 'RolledBack' },
  'a blue/green run that is put back': { type: 'BlueGreen', isSecond: true, isRejected: true, ends: 'RolledBack' },
};

const rejected = { name: 'good?', type: 'Expression', expr: 'nothing.there', onFailure: 'Rollback' };

/** One cluster after the other, in one wave. */
export const oneWave = ({ isRejected = false }: RunScenario): object => ({
  waves: [{ name: 'all', remainder: true, maxConcurrency: 1, ...(isRejected && { after: [rejected] }) }],
});

export const passedGate = 'well?';

/** A wave for each of two clusters, and a gate between them that is passed. */
export const twoWaves = ({ isRejected = false }: RunScenario): object => ({
  maxUnavailable: 1,
  waves: [
    { name: 'first', count: 1, after: [{ name: passedGate, type: 'Expression', expr: '"a" == "a"' }] },
    { name: 'rest', remainder: true, ...(isRejected && { after: [rejected] }) },
  ],
});

export interface KillWorld {
  readonly api: KubeClient;
  /** By their names. */
  readonly clusters: readonly string[];
  member(name: string): KubeClient;
}

export async function makeKillWorld({ api }: Pick<KillWorld, 'api'>): Promise<void> {
  await api.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await api.create(CloudProvider, newObject(CloudProvider, { name: 'here' }, { type: 'Drover' }));
  await api.create(Environment, newObject(Environment, { namespace, name: 'prod' }, { type: 'Prod' }));
}

/** A place for one run: an infrastructure, a service and a workflow of its own, and the run that was there before. */
export async function preparePlace({ api, clusters }: KillWorld, name: string, scenario: RunScenario, rollout: object): Promise<void> {
  const { type, isSecond, isBroken = false } = scenario;
  const service = (version: string, refusing?: string) =>
    api.apply(
      ServiceDefinition,
      newObject(ServiceDefinition, { namespace, name }, { manifests: [{ inline: manifests(version, refusing) }] }),
    );
  await service('1');
  const infrastructure = {
    environmentRef: 'prod',
    cloudProviderRef: 'here',
    namespace: name,
    createNamespace: true,
    releaseName: 'web',
    allowAllClusters: true,
  };
  await api.create(InfrastructureDefinition, newObject(InfrastructureDefinition, { namespace, name }, infrastructure));
  const refs = { serviceRef: name, environmentRef: 'prod', infrastructureRef: name };
  if (isSecond) {
    await api.create(Workflow, newObject(Workflow, { namespace, name: firstOf(name) }, { type, ...refs }));
    await startRun(api, firstOf(name));
    assert.equal(await endOf(api, firstOf(name)), 'Succeeded');
    await service('2', isBroken ? clusters.at(-1) : undefined);
  }
  const spec = { type, ...refs, rollout, failureStrategies: [{ action: 'RollbackWorkflow' as const }] };
  await api.create(Workflow, newObject(Workflow, { namespace, name }, spec));
}

const firstOf = (place: string): string => `${place}-first`;
/** Runs that prepare a place have no waves of their own. */
export const isPreparing = (run: string): boolean => run.endsWith('-first');

/** The ClusterRuns of a run. */
export const partsOf = (run: string) => ({ namespace, labelSelector: `${deliveryLabels.run}=${run}` });

/** Of the workflow with the same name. */
export async function startRun(api: KubeClient, name: string): Promise<void> {
  await api.create(WorkflowRun, newObject(WorkflowRun, { namespace, name }, { workflowRef: { name } }));
}

export async function endOf(api: KubeClient, name: string): Promise<string> {
  const ended = await eventually(
    () => api.get(WorkflowRun, { namespace, name }),
    run => isTerminal(run?.status?.phase),
    { timeoutMs: 240_000, everyMs: 20, what: `the end of ${name}` },
  );
  return ended!.status!.phase!;
}

/** Nobody looks at a place any more: whoever starts need not know of it, and there is room for the pods of others. */
export async function leavePlace({ api }: Pick<KillWorld, 'api'>, name: string): Promise<void> {
  for (const run of [name, firstOf(name)]) {
    await api.delete(WorkflowRun, { namespace, name: run }, { propagationPolicy: 'Background' });
    // Whoever still had a part in it would say that its Work is gone.
    await eventually(
      async () => (await api.list(ClusterRun, partsOf(run))).items.length,
      count => count === 0,
      { timeoutMs: 60_000, what: `the end of what ${run} had` },
    );
  }
  for (const cluster of (await api.list(Cluster)).items)
    await api.delete(Work, { namespace: cluster.status?.id ?? cluster.spec.id, name: `web.${name}` });
}

/** Everything that one could tell two runs apart by. */
export async function stateOf({ api, clusters, member }: KillWorld, name: string): Promise<unknown> {
  const { status } = (await api.get(WorkflowRun, { namespace, name }))!;
  const parts = (await api.list(ClusterRun, partsOf(name))).items;
  const onMembers = await Promise.all(
    clusters.map(cluster =>
      eventually(
        () => memberState(member(cluster), name),
        state => state.isRolledOut,
        { timeoutMs: 120_000, what: `${cluster} at rest` },
      ),
    ),
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

async function memberState(member: KubeClient, place: string) {
  const at = { namespace: place };
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
