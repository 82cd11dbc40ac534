import { setTimeout as sleep } from 'node:timers/promises';
import { Deployment, Service } from '../../src/api/builtin-kinds.ts';
import type { KindRef } from '../../src/api/define-kind.ts';
import type { KubeObject } from '../../src/api/object.ts';
import type { KubeClient, ListOptions } from '../../src/client/kube-client.ts';
import { UnreachableError } from '../../src/client/transport.ts';
import { ClusterRun } from '../../src/dialects/workflows/kinds/cluster-run.ts';
import { WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { clusterStateOf } from '../../src/dialects/workflows/runs/cluster-grant.ts';
import { eventually } from './eventually.ts';
import { isPreparing, namespace, partsOf } from './run-kill-scenarios.ts';

/** One change, as a watch told of it. */
export interface Happened<T extends KubeObject = KubeObject> {
  /** Of the API that it happened at. */
  readonly rv: number;
  readonly isGone: boolean;
  readonly object: T;
}

/** Everything that watches told, whoever was killed meanwhile. */
export class RunHistory {
  readonly runs: Happened<WorkflowRun>[] = [];
  readonly parts: Happened<ClusterRun>[] = [];
  /** By cluster. */
  readonly services = new Map<string, Happened<Service>[]>();
  readonly deployments = new Map<string, Happened<Deployment>[]>();
  readonly problems: string[] = [];
  readonly #stop = new AbortController();
  readonly #behind: ((place: string) => Promise<boolean>)[] = [];

  /** Each client is asked for anew, so that it may lead to whoever is there now. */
  constructor(api: () => KubeClient, members: Readonly<Record<string, () => KubeClient>>) {
    void this.#follow(api, WorkflowRun, this.runs);
    void this.#follow(api, ClusterRun, this.parts);
    for (const [name, member] of Object.entries(members)) {
      void this.#follow(member, Service, listOf(this.services, name));
      void this.#follow(member, Deployment, listOf(this.deployments, name));
    }
  }

  /** Until watches have told everything that is so now of a place: what they tell comes a moment later. */
  async caughtUp(place: string): Promise<void> {
    for (const isBehind of this.#behind)
      await eventually(async () => this.problems.length > 0 || !(await isBehind(place)), Boolean, {
        timeoutMs: 60_000,
        what: 'the watches',
      });
  }

  stop(): void {
    this.#stop.abort();
  }

  async #follow<T extends KubeObject>(client: () => KubeClient, kind: KindRef<T>, into: Happened<T>[]): Promise<void> {
    const { signal } = this.#stop;
    let resourceVersion: string | undefined;
    this.#behind.push(async place => {
      const { items } = await client().list(kind, { ...ofPlace(kind, place), signal });
      return Math.max(0, ...items.map(one => Number(one.metadata.resourceVersion))) > Number(resourceVersion ?? 0);
    });
    while (!signal.aborted) {
      try {
        resourceVersion ??= (await client().list(kind, { signal })).resourceVersion;
        for await (const event of client().watch(kind, { resourceVersion, signal })) {
          if (event.type === 'EXPIRED') return void this.problems.push(`changes of ${kind.kind} were lost`);
          const { object } = event;
          resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
          if (event.type !== 'BOOKMARK') into.push({ rv: Number(resourceVersion), isGone: event.type === 'DELETED', object: object as T });
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof UnreachableError)) return void this.problems.push(`${kind.kind}: ${String(error)}`);
      }
      // Whoever was killed comes back in a moment.
      await sleep(50);
    }
  }

  /** The colours that the primary Service of a place had, one after the other. */
  colors(cluster: string, place: string): string[] {
    const colors: string[] = [];
    for (const { object, isGone } of this.services.get(cluster) ?? []) {
      if (isGone || object.metadata.name !== 'web' || object.metadata.namespace !== place) continue;
      const color = object.spec?.selector?.['harness.io/color'] ?? '';
      if (colors.at(-1) !== color) colors.push(color);
    }
    return colors;
  }

  /** When nobody stood behind the primary Service of a place any more, after somebody had. */
  unserved(cluster: string, place: string): string[] {
    const isOfPlace = ({ object }: Happened) => object.metadata.namespace === place;
    const happened = [...listOf(this.services, cluster), ...listOf(this.deployments, cluster)].filter(isOfPlace);
    return findUnserved(happened).map(rv => `at ${rv} of ${cluster} nobody serves ${place}`);
  }
}

/** Where what happens at a place is found. */
function ofPlace({ kind }: KindRef<KubeObject>, place: string): ListOptions {
  if (kind === WorkflowRun.kind) return { namespace, fieldSelector: `metadata.name=${place}` };
  return kind === ClusterRun.kind ? partsOf(place) : { namespace: place };
}

const listOf = <T>(lists: Map<string, T[]>, name: string): T[] => lists.getOrInsertComputed(name, () => []);

/** The moments at which the Service `web` of one namespace has nobody behind it, once it had. */
export function findUnserved(happened: readonly Happened<Service | Deployment>[]): number[] {
  const moments: number[] = [];
  let selector: Readonly<Record<string, string>> | undefined;
  let wasServed = false;
  const present = new Map<string, Deployment>();
  for (const { object, isGone, rv } of happened.toSorted((a, b) => a.rv - b.rv)) {
    if (isService(object)) {
      if (object.metadata.name === 'web') selector = isGone ? undefined : object.spec?.selector;
    } else if (isGone) present.delete(object.metadata.name!);
    else present.set(object.metadata.name!, object);
    const serving = [...present.values()].filter(one => selector !== undefined && serves(one, selector));
    if (wasServed && serving.length === 0) moments.push(rv);
    // The first canary of all goes before there is anybody else.
    wasServed ||= serving.some(one => !one.metadata.name!.endsWith('-canary'));
  }
  return moments;
}

const isService = (object: Service | Deployment): object is Service => object.kind === Service.kind;

const serves = ({ spec, status }: Deployment, selector: Readonly<Record<string, string>>): boolean =>
  (status?.availableReplicas ?? 0) > 0 &&
  Object.entries(selector).every(([key, value]) => spec?.template.metadata?.labels?.[key] === value);

const away = new Set(['Running', 'Failed', 'TimedOut', 'RollbackFailed']);

/** At no moment of the way forward were more than so many clusters of one run away. */
export function findBusy(parts: readonly Happened<ClusterRun>[], budget: number): string[] {
  const problems: string[] = [];
  const ofRuns = new Map<string, Map<string, ClusterRun>>();
  for (const { object, isGone, rv } of parts) {
    const { metadata, spec } = object;
    const present = ofRuns.getOrInsertComputed(spec.runRef.name, () => new Map<string, ClusterRun>());
    if (isGone) present.delete(metadata.name!);
    else present.set(metadata.name!, object);
    const own = [...present.values()];
    if (isPreparing(spec.runRef.name) || own.some(one => one.spec.grant?.isRollback === true)) continue;
    const busy = own.filter(one => away.has(clusterStateOf(one)));
    if (busy.length > budget) problems.push(`at ${rv} ${busy.length} clusters of ${spec.runRef.name} are away`);
  }
  return problems;
}

/** No cluster of a wave was granted anything before the gates of the waves before it were passed. */
export function findSkippedGates(runs: readonly Happened<WorkflowRun>[], parts: readonly Happened<ClusterRun>[]): string[] {
  const problems: string[] = [];
  for (const { object, rv } of parts) {
    const { runRef, wave, grant } = object.spec;
    if (!grant || grant.isRollback === true || isPreparing(runRef.name)) continue;
    const known = runs.findLast(one => one.rv < rv && one.object.metadata.uid === runRef.uid)?.object.status?.waves ?? [];
    const index = known.findIndex(one => one.name === wave);
    const before = known.slice(0, Math.max(0, index));
    const open = before.flatMap(one => one.gates ?? []).filter(one => one.phase !== 'Successful');
    const isMissing = index === -1 || before.some(one => (one.gates ?? []).length === 0);
    if (open.length > 0 || isMissing) problems.push(`at ${rv} a cluster of ${runRef.name} in wave ${wave} was granted ${grant.type}`);
  }
  return problems;
}
