import type { KubeObject } from '../../src/api/object.ts';
import { HttpTarget, readKubeconfig, type Answer } from './http-target.ts';

const collections = {
  Namespace: '/api/v1/namespaces',
  Pod: '/api/v1/pods',
  Event: '/api/v1/events',
  ResourceQuota: '/api/v1/resourcequotas',
  ReplicationController: '/api/v1/replicationcontrollers',
  Deployment: '/apis/apps/v1/deployments',
  ReplicaSet: '/apis/apps/v1/replicasets',
  StatefulSet: '/apis/apps/v1/statefulsets',
  DaemonSet: '/apis/apps/v1/daemonsets',
  ControllerRevision: '/apis/apps/v1/controllerrevisions',
  PodDisruptionBudget: '/apis/policy/v1/poddisruptionbudgets',
  HorizontalPodAutoscaler: '/apis/autoscaling/v2/horizontalpodautoscalers',
} as const;

export type WorkloadKind = keyof typeof collections;

/** What controllers made of a namespace, without what differs by chance: names, times and numbers of versions. */
export type Snapshot = Record<string, unknown>;

/** One of two clusters that are asked the same and must end up the same. */
export class WorkloadSide implements Disposable {
  readonly name: string;
  readonly #target: HttpTarget;
  readonly #namespace: string;

  constructor(name: string, kubeconfig: string, namespace: string) {
    this.name = name;
    this.#namespace = namespace;
    this.#target = new HttpTarget(readKubeconfig(kubeconfig));
  }

  async open(): Promise<void> {
    expectCode(await this.#target.request('POST', collections.Namespace, { metadata: { name: this.#namespace } }), 201);
  }

  async create(kind: WorkloadKind, name: string, obj: object): Promise<void> {
    const apiVersion = collections[kind]
      .split('/')
      .slice(collections[kind].startsWith('/api/') ? 2 : 2, -1)
      .join('/');
    const body = { apiVersion, kind, ...obj, metadata: { name, ...(obj as { metadata?: object }).metadata } };
    expectCode(await this.#target.request('POST', this.#path(kind), body), 201);
  }

  async patch(kind: WorkloadKind, name: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/strategic-merge-patch+json' };
    expectCode(await this.#target.request('PATCH', `${this.#path(kind)}/${name}`, body, headers), 200);
  }

  async delete(kind: WorkloadKind, name: string, propagationPolicy = 'Background'): Promise<void> {
    expectCode(await this.#target.request('DELETE', `${this.#path(kind)}/${name}`, { propagationPolicy }), 200);
  }

  async get<T = KubeObject>(kind: WorkloadKind, name: string): Promise<T> {
    const answer = await this.#target.request('GET', `${this.#path(kind)}/${name}`);
    expectCode(answer, 200);
    return answer.json<T>();
  }

  async list(kind: WorkloadKind): Promise<KubeObject[]> {
    return (await this.#target.request('GET', this.#path(kind))).json<{ items: KubeObject[] }>().items;
  }

  /** The objects of these kinds, and what was told about them. */
  async snapshot(kinds: readonly WorkloadKind[]): Promise<Snapshot> {
    const objects: Snapshot = {};
    for (const kind of kinds) objects[kind] = (await this.list(kind)).map(essence).toSorted(byText);
    const told: readonly WorkloadKind[] = kinds.filter(kind => kind !== 'Pod');
    const events = (await this.list('Event')).filter(event => told.includes((event['involvedObject'] as { kind: WorkloadKind }).kind));
    objects['Events'] = countEvents(events);
    return rename(objects, await this.#chanceNames());
  }

  [Symbol.dispose](): void {
    this.#target.close();
  }

  /** Hashes and random endings of names, and what to call them instead. */
  async #chanceNames(): Promise<[string, string][]> {
    const revision = 'deployment.kubernetes.io/revision';
    const names: [string, string][] = [];
    for (const { metadata } of await this.list('ReplicaSet')) {
      const hash = metadata.labels?.['pod-template-hash'];
      if (hash !== undefined) names.push([hash, `<template ${metadata.annotations?.[revision]}>`]);
    }
    for (const { metadata, ...rest } of await this.list('ControllerRevision')) {
      const hash = metadata.labels?.['controller.kubernetes.io/hash'] ?? metadata.labels?.['controller-revision-hash'];
      if (hash !== undefined) names.push([hash, `<revision ${rest['revision'] as number}>`]);
    }
    return names;
  }

  #path(kind: WorkloadKind): string {
    const path = collections[kind];
    const plural = path.slice(path.lastIndexOf('/') + 1);
    return `${path.slice(0, -plural.length)}namespaces/${this.#namespace}/${plural}`;
  }
}

function expectCode(answer: Answer, code: number): void {
  if (answer.code !== code) throw new Error(`answered ${answer.code}: ${answer.text.slice(0, 300)}`);
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

function essence({ metadata, ...rest }: KubeObject): unknown {
  const { name, generateName, labels, annotations, generation } = metadata;
  const owners = metadata.ownerReferences?.map(({ kind, name: owner, controller, blockOwnerDeletion }) => ({
    kind,
    owner,
    controller,
    blockOwnerDeletion,
  }));
  if ('volumes' in ((rest['spec'] ?? {}) as object)) {
    // Of pods only what their controllers gave them.
    const { hostname, subdomain, tolerations, affinity } = rest['spec'] as Record<string, unknown>;
    return withoutTimes({ name, generateName, labels, annotations, owners, hostname, subdomain, tolerations, affinity });
  }
  return withoutTimes({ name, labels, annotations, generation, owners, ...rest });
}

const times = new Set(['lastTransitionTime', 'lastUpdateTime', 'lastScaleTime', 'creationTimestamp', 'startTime', 'lastProbeTime']);

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, member]) => !times.has(key) && member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutTimes(member)]));
}

/** `kind: type reason message (component)`, and how many events say it. Pods that are gone are known by their form only. */
function countEvents(events: readonly KubeObject[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of events) {
    const { kind } = event['involvedObject'] as { kind: string };
    const { component } = event['source'] as { component: string };
    const message = (event['message'] as string).replace(/(pod: \S+-)[a-z0-9]{5}$/, '$1<any>');
    const text = `${kind}: ${event['type'] as string} ${event['reason'] as string} ${message} (${component})`;
    // How often something is said again, and a failure tried again, depends on the clock.
    counts[text] = event['type'] === 'Warning' ? 1 : (counts[text] ?? 0) + 1;
  }
  return counts;
}

const ofTheGone = /-[bcdfghjklmnpqrstvwxz2456789]{7,10}(?=[^a-z0-9])/g;
const refusedPod = /(pods \\"[a-z]+-)[a-z0-9]{5}(\\")/g;

/** Longer names first, so that a name within another is not taken for itself. */
function rename(value: Snapshot, names: readonly [string, string][]): Snapshot {
  let text = JSON.stringify(value);
  for (const [from, to] of names.toSorted(([a], [b]) => b.length - a.length)) text = text.replaceAll(from, to);
  text = text.replaceAll(ofTheGone, '-<gone>').replaceAll(refusedPod, '$1<any>$2');
  const parsed = JSON.parse(text) as Snapshot;
  for (const [kind, list] of Object.entries(parsed)) if (Array.isArray(list)) parsed[kind] = list.toSorted(byText);
  parsed['Events'] = Object.fromEntries(
    Object.entries(parsed['Events'] as Record<string, number>).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  return parsed;
}
