import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClusterRun } from '../../src/dialects/workflows/kinds/cluster-run.ts';
import type { WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { droverFor } from './drover.ts';
import type { EitherHub } from './either-hub.ts';
import { eventually } from './eventually.ts';
import { kubectlFor, type CommandLine } from './kubectl.ts';
import { objectReader } from './object-reader.ts';

export const deliveryVersion = 'delivery.drover.io/v1alpha1';
export const application = 'shop';
/** Where the service runs on members. */
export const target = 'payments';
const patient = { timeoutMs: 60_000, everyMs: 150 };

/** An object of the application. */
export const delivered = (kind: string, name: string, spec: object) => ({
  apiVersion: deliveryVersion,
  kind,
  metadata: { name, namespace: application },
  spec,
});

/**
 * A web server with a ConfigMap, and a Service in front of it. Clusters have a label `mood`: with `Bad` the cluster refuses the ConfigMap, with `not-ready`
 * pods of sandbox clusters never become ready.
 */
export const webManifests = (version: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {version: "${version}", of: "\${cluster.name}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "mood-\${cluster.labels.get("mood")}", annotations: {harness.io/skip-versioning: "true"}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {sandbox.drover.io/behavior: "\${cluster.labels.get("mood")}"}
    spec: {containers: [{name: web, image: "web:${version}", envFrom: [{configMapRef: {name: web}}]}]}
`;

export interface WorkflowStory {
  readonly kubectl: CommandLine;
  readonly drover: CommandLine;
  /** kubectl on a member, through the hub. */
  on(cluster: string): CommandLine;
  apply(...objects: object[]): Promise<void>;
  /** What kubectl says when it refuses. */
  refused(...objects: object[]): Promise<string>;
  run(name: string): Promise<WorkflowRun | undefined>;
  /** Its parts, by the name of the cluster. */
  parts(run: string): Promise<Record<string, ClusterRun>>;
  /** `{a: 'Succeeded', b: 'Failed'}`. */
  states(run: string): Promise<Record<string, string>>;
  /** Starts a run of a workflow. */
  start(run: string, workflow: string, spec?: object): Promise<void>;
  /** Waits until a run is in one of these phases. */
  reaches(run: string, ...phases: string[]): Promise<WorkflowRun>;
  want(run: string, state: string): Promise<void>;
  label(cluster: string, labels: string): Promise<void>;
  /** What an object of a member holds at a path; undefined when it is not there. */
  seen(cluster: string, what: string, jsonPath: string, namespace?: string): Promise<string | undefined>;
}

/** What every story about workflows does. Makes the application: provider, environment and service. */
export async function startWorkflowStory(hub: EitherHub, dir: string): Promise<WorkflowStory> {
  const kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir });
  const drover = droverFor({ hub: hub.kubeconfig, dir });
  const members = new Map<string, CommandLine>();
  let files = 0;
  const file = (items: object[]): string => {
    const name = path.join(dir, `apply-${++files}.json`);
    writeFileSync(name, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return name;
  };
  const read = objectReader(kubectl, hub.kubeconfig);
  const get = <T>(what: string) => read<T>(`${what} -n ${application}`);
  const on = (cluster: string) => {
    let line = members.get(cluster);
    if (!line) members.set(cluster, (line = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir })));
    return line;
  };
  const story: WorkflowStory = {
    kubectl,
    drover,
    on,
    apply: async (...objects) => void (await kubectl.expect(`apply -f ${file(objects)}`)),
    async refused(...objects) {
      const { code, stdout, stderr } = await kubectl.run(`apply -f ${file(objects)}`);
      assert.equal(code, 1, stdout);
      return stderr;
    },
    run: name => get(`workflowrun ${name}`),
    async parts(run) {
      const { items = [] } = (await get<{ items: ClusterRun[] }>(`clusterruns -l delivery.drover.io/run=${run}`)) ?? {};
      return Object.fromEntries(items.map(one => [one.spec.cluster.name, one]));
    },
    async states(run) {
      const parts = await story.parts(run);
      return Object.fromEntries(Object.entries(parts).map(([name, { status }]) => [name, status?.phase ?? '']));
    },
    start: (run, workflow, spec = {}) => story.apply(delivered('WorkflowRun', run, { workflowRef: { name: workflow }, ...spec })),
    async reaches(run, ...phases) {
      const isThere = (one: WorkflowRun | undefined) => phases.includes(one?.status?.phase ?? '');
      const what = `run ${run} as ${phases.join(' or ')}`;
      let last: WorkflowRun | undefined;
      try {
        return (await eventually(async () => (last = await story.run(run)), isThere, { ...patient, what }))!;
      } catch {
        const { snapshot: _, ...status } = last?.status ?? {};
        const parts = Object.values(await story.parts(run)).map(one => [
          one.spec.cluster.name,
          one.spec.grant,
          one.spec.standing,
          one.status,
        ]);
        throw new Error(`${what} was not reached: ${JSON.stringify(status, undefined, 1)} ${JSON.stringify(parts, undefined, 1)}`);
      }
    },
    want: async (run, state) =>
      void (await kubectl.expect(`patch workflowrun ${run} -n ${application} --type merge -p '{"spec":{"state":"${state}"}}'`)),
    label: async (cluster, labels) => void (await kubectl.expect(`label clusters.drover.io ${cluster} --overwrite ${labels}`)),
    async seen(cluster, what, jsonPath, namespace = target) {
      const { code, stdout } = await on(cluster).run(`get ${what} -n ${namespace} -o jsonpath=${jsonPath}`);
      return code === 0 ? stdout : undefined;
    },
  };
  await story.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: application } },
    { apiVersion: deliveryVersion, kind: 'CloudProvider', metadata: { name: 'here' }, spec: { type: 'Drover' } },
    delivered('Environment', 'prod', { type: 'Prod' }),
    delivered('ServiceDefinition', 'web', { manifests: [{ inline: webManifests('1') }] }),
  );
  return story;
}

/** An InfrastructureDefinition that means the clusters with these labels. */
export const infrastructure = (name: string, matchLabels: Readonly<Record<string, string>>, more: object = {}) =>
  delivered('InfrastructureDefinition', name, {
    environmentRef: 'prod',
    cloudProviderRef: 'here',
    namespace: target,
    createNamespace: true,
    clusterSelector: { matchLabels },
    ...more,
  });

export const workflow = (name: string, infrastructureRef: string, more: object = {}) =>
  delivered('Workflow', name, { type: 'Rolling', serviceRef: 'web', environmentRef: 'prod', infrastructureRef, ...more });
