import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { droverFor } from './drover.ts';
import { startEitherHub, type EitherHub, type HubKind } from './either-hub.ts';
import { eventually } from './eventually.ts';
import { HttpTarget, readKubeconfig } from './http-target.ts';
import { addTunnelCluster, startAgentProgram } from './imported-member.ts';
import { kubectlFor, type CommandLine } from './kubectl.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from './real-cluster.ts';
import { startRunningMember } from './running-member.ts';

const group = '/apis/delivery.drover.io/v1alpha1';
const apiVersion = 'delivery.drover.io/v1alpha1';
const terminal = new Set(['Succeeded', 'Failed', 'RolledBack', 'RollbackFailed', 'Aborted', 'Rejected', 'Expired']);

/** What stories read of objects. */
export interface Seen {
  readonly metadata: {
    name: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    uid: string;
    managedFields?: { manager: string; operation: string }[];
  };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
  readonly data?: Record<string, string>;
}

export interface SeenClusterRun extends Seen {
  readonly spec: { cluster: { id: string; name: string }; grant?: { id: number; step: string } };
  readonly status: {
    phase?: string;
    releaseNumber?: number;
    previousRelease?: number;
    step?: { status: string; message?: string; failureType?: string };
    steps?: { name: string; type: string; status: string; message?: string }[];
    canary?: { workload: string; instances: number };
    blueGreen?: { primaryColorBefore: string; stageColor: string; swapped: boolean };
    outputs?: Record<string, string>;
    failure?: { message: string };
    conditions?: { type: string; status: string; message: string }[];
  };
}

export interface SeenRun extends Seen {
  readonly status: {
    phase?: string;
    message?: string;
    steps?: { name: string; type: string; status: string; message?: string }[];
    outputs?: Record<string, Record<string, string>>;
  };
}

export interface FinishedRun {
  readonly run: SeenRun;
  /** By the name of the cluster. */
  readonly parts: Readonly<Record<string, SeenClusterRun>>;
}

export interface WorkflowWorldOptions {
  /** Default: a real API server with its controllers and a node of kwok. The first one is asked for an audit log. */
  readonly startMember?: (etcd: Etcd, options: { readonly audit?: boolean }) => Promise<RealCluster>;
  /** Which of the members have an agent; the others are called by the hub. */
  readonly withAgent?: readonly ('east' | 'west')[];
}

/** A hub with two real members called east and west, on which rollouts really happen, and one namespace for everything about workflows. */
export class WorkflowWorld implements AsyncDisposable {
  readonly hub: EitherHub;
  readonly members: Readonly<Record<string, RealCluster>>;
  readonly kubectl: CommandLine;
  readonly drover: CommandLine;
  readonly #api: HttpTarget;
  readonly #stack: AsyncDisposableStack;
  readonly #dir: string;
  #count = 0;

  private constructor(parts: { hub: EitherHub; members: Record<string, RealCluster>; dir: string; stack: AsyncDisposableStack }) {
    this.hub = parts.hub;
    this.members = parts.members;
    this.#dir = parts.dir;
    this.#stack = parts.stack;
    this.kubectl = kubectlFor('kubectl', { kubeconfig: parts.hub.kubeconfig, dir: parts.dir });
    this.drover = droverFor({ hub: parts.hub.kubeconfig, dir: parts.dir });
    this.#api = new HttpTarget(readKubeconfig(parts.hub.kubeconfig));
  }

  static async start(
    kind: HubKind,
    { startMember = startRunningMember, withAgent = [] }: WorkflowWorldOptions = {},
  ): Promise<WorkflowWorld> {
    const stack = new AsyncDisposableStack();
    try {
      const scratch = stack.use(scratchDir('workflows'));
      const etcd = stack.use(await startEtcd());
      const [hub, east, west] = await Promise.all([startEitherHub(kind, etcd), startMember(etcd, { audit: true }), startMember(etcd, {})]);
      for (const part of [east, west, hub]) stack.use(part);
      const world = new WorkflowWorld({ hub, members: { east, west }, dir: scratch.dir, stack });
      await world.#prepare(withAgent);
      return world;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  async #prepare(withAgent: readonly string[]): Promise<void> {
    const { kubectl, drover, members } = this;
    await eventually(
      () => kubectl.expect('get workflows.delivery.drover.io -A'),
      () => true,
      { timeoutMs: 30_000, what: 'the kinds of workflows' },
    );
    for (const [name, member] of Object.entries(members)) {
      if (withAgent.some(one => one === name)) await this.#invite(name, member);
      else await drover.expect(`join ${name} --kubeconfig ${member.kubeconfig}`);
    }
    for (const name of Object.keys(members)) await kubectl.expect(`label clusters.drover.io ${name} env=prod site=${name}`);
    await kubectl.expect('create namespace delivery');
    await this.apply(
      { apiVersion, kind: 'CloudProvider', metadata: { name: 'this-hub' }, spec: { type: 'Drover' } },
      { apiVersion, kind: 'Environment', metadata: { name: 'prod' }, spec: { type: 'Prod' } },
    );
    for (const name of Object.keys(members)) await kubectl.expect(`wait clusters.drover.io/${name} --for=condition=Ready --timeout=60s`);
  }

  /** A member that the hub never calls: its agent fetches what is for it. */
  async #invite(name: string, member: RealCluster): Promise<void> {
    const { token } = await addTunnelCluster({ request: this.#api.request.bind(this.#api) }, name);
    const authority = readFileSync(this.hub.authorities, 'utf8');
    const checksum = createHash('sha256').update(`${authority.trimEnd()}\n`).digest('hex');
    const { kubeconfig, dir } = member;
    member.attached.use(startAgentProgram({ server: this.hub.gateway, checksum, kubeconfig, token, dir }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api.close();
    await this.#stack.disposeAsync();
  }

  /** In the namespace of the workflows. */
  async apply(...objects: readonly object[]): Promise<void> {
    const file = path.join(this.#dir, `objects-${++this.#count}.yaml`);
    writeFileSync(file, objects.map(one => stringify(one)).join('---\n'));
    await this.kubectl.expect(`apply -n delivery -f ${file}`);
  }

  /** The manifests of a service, its infrastructure in a namespace of the same name on the members, and workflows for it. */
  async define(name: string, manifests: string, infrastructure: object = {}): Promise<void> {
    await this.apply(
      { apiVersion, kind: 'ServiceDefinition', metadata: { name }, spec: { manifests: [{ inline: manifests }] } },
      {
        apiVersion,
        kind: 'InfrastructureDefinition',
        metadata: { name },
        spec: {
          environmentRef: 'prod',
          cloudProviderRef: 'this-hub',
          namespace: name,
          createNamespace: true,
          releaseName: 'web',
          clusterSelectionCriteria: [{ labelName: 'env', labelValues: 'prod' }],
          ...infrastructure,
        },
      },
    );
  }

  async workflow(name: string, service: string, spec: object): Promise<void> {
    await this.apply({
      apiVersion,
      kind: 'Workflow',
      metadata: { name },
      spec: { serviceRef: service, infrastructureRef: service, ...spec },
    });
  }

  /** Starts a run and answers its name. */
  async start(workflow: string, spec: object = {}): Promise<string> {
    const name = `${workflow}-${++this.#count}`;
    await this.#send('POST', `${group}/namespaces/delivery/workflowruns`, {
      apiVersion,
      kind: 'WorkflowRun',
      metadata: { name },
      spec: { workflowRef: { name: workflow }, ...spec },
    });
    return name;
  }

  /** Waits until a run is in one of the phases. */
  async until(name: string, ...phases: readonly string[]): Promise<SeenRun> {
    return eventually(
      () => this.readRun(name),
      ({ status }) => phases.includes(status?.phase ?? ''),
      { timeoutMs: 90_000, everyMs: 100, what: `run "${name}" to be ${phases.join(' or ')}` },
    );
  }

  /** Runs a workflow to its end. */
  async run(workflow: string, spec: object = {}): Promise<FinishedRun> {
    const name = await this.start(workflow, spec);
    await this.until(name, ...terminal);
    return this.finished(name);
  }

  async finished(name: string): Promise<FinishedRun> {
    const run = await this.readRun(name);
    const list = await this.#read<{ items: SeenClusterRun[] }>(
      `${group}/namespaces/delivery/clusterruns?labelSelector=delivery.drover.io/run=${name}`,
    );
    return { run, parts: Object.fromEntries(list.items.map(one => [one.spec.cluster.name, one])) };
  }

  readRun(name: string): Promise<SeenRun> {
    return this.#read<SeenRun>(`${group}/namespaces/delivery/workflowruns/${name}`);
  }

  /** `spec.state` of a run. */
  async steer(name: string, state: string): Promise<void> {
    await this.kubectl.expect(`patch workflowruns.delivery.drover.io ${name} -n delivery --type merge -p '{"spec":{"state":"${state}"}}'`);
  }

  /** An object of a member; undefined when it is not there. */
  async get(cluster: string, urlPath: string): Promise<Seen | undefined> {
    const answer = await this.members[cluster]!.request('GET', urlPath);
    if (answer.code === 404) return undefined;
    return answer.json<Seen>();
  }

  /** Objects of a member in a namespace. */
  async names(cluster: string, resource: 'configmaps' | 'services' | 'secrets', namespace: string): Promise<string[]> {
    const answer = await this.members[cluster]!.request('GET', `/api/v1/namespaces/${namespace}/${resource}`);
    const { items } = answer.json<{ items: Seen[] }>();
    return items.map(({ metadata }) => metadata.name).filter(name => name !== 'kube-root-ca.crt');
  }

  async deployment(cluster: string, namespace: string, name = 'web'): Promise<SeenDeployment | undefined> {
    return (await this.get(cluster, `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)) as SeenDeployment | undefined;
  }

  async service(cluster: string, namespace: string, name: string): Promise<SeenService | undefined> {
    return (await this.get(cluster, `/api/v1/namespaces/${namespace}/services/${name}`)) as SeenService | undefined;
  }

  /** The status of a release of a cluster, as its record says it. */
  async record(cluster: string, namespace: string, number: number): Promise<string | undefined> {
    const secret = await this.get(cluster, `/api/v1/namespaces/${namespace}/secrets/harness.release.web.${number}`);
    return secret?.metadata.labels?.['status'];
  }

  async #read<T>(urlPath: string): Promise<T> {
    return this.#send<T>('GET', urlPath);
  }

  async #send<T>(method: string, urlPath: string, body?: object): Promise<T> {
    const answer = await this.#api.request(method, urlPath, body);
    if (answer.code >= 300) throw new Error(`${method} ${urlPath}: ${answer.code} ${answer.text}`);
    return answer.json<T>();
  }
}

export interface SeenDeployment extends Seen {
  readonly spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: { containers: { image: string }[]; imagePullSecrets?: { name: string }[] };
    };
  };
  readonly status: { availableReplicas?: number };
}

export interface SeenService extends Seen {
  readonly spec: {
    selector: Record<string, string>;
    clusterIP?: string;
    sessionAffinity?: string;
    ports: { port: number; nodePort?: number }[];
  };
}
