import { withReadiness } from '../../../api/conditions.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import {
  changesOf,
  knownFirst,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { splitKey, type Key } from '../../../runtime/key.ts';
import type { Egress } from '../../../sources/egress.ts';
import { createSourceCaches } from '../../../sources/source-caches.ts';
import { SourceError } from '../../../sources/source-error.ts';
import { durationMs } from '../../../util/duration.ts';
import { errorText } from '../../../util/error-text.ts';
import { jsonEqual } from '../../../util/json.ts';
import { ServiceDefinition } from '../kinds/service-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { ManifestLook } from './decide-manifest.ts';
import { lookAtArtifact, lookAtManifests, type LookDeps } from './look-at-sources.ts';
import { mergeVersions, type SeenVersion } from './merge-versions.ts';

export interface SourcesDeps {
  readonly hub: KubeClient;
  readonly services: Informer<ServiceDefinition>;
  readonly triggers: Informer<Trigger>;
  readonly egress: Egress;
  readonly signal: AbortSignal;
  now?(): Date;
}

export interface RunningSources {
  readonly controller: RunningController;
  readonly manifests: Manifests;
}

/** What was last found of the manifests of services that a trigger waits for, by the version that it wants. */
export interface Manifests {
  get(key: Key, tagFilter: string | undefined): ManifestLook | undefined;
  onChange(listener: (service: Key) => void): Disposable;
}

const fieldManager = 'drover-artifacts';
const defaultIntervalMs = durationMs('5m');
const leastIntervalMs = 10_000;

/** Looks again and again which versions the artifacts of services have, and at their manifests where a trigger waits for new ones. */
export function runSources({ hub, services, triggers, egress, signal, now }: SourcesDeps): RunningSources {
  const caches = createSourceCaches();
  const looked = new Map<Key, { readonly atMs: number; readonly generation: number | undefined }>();
  /** By the key of the service, then by the version that is wanted. */
  const looks = new Map<Key, Map<string | undefined, ManifestLook>>();
  const listeners = new Set<(service: Key) => void>();
  const ofTrigger = ({ metadata, spec }: Trigger): Key[] =>
    spec.condition.service === undefined ? [] : [`${metadata.namespace}/${spec.condition.service}`];
  const controller = runController(
    { name: 'workflow-sources', reconcile },
    {
      triggers: [
        changesOf(services, undefined, ({ spec }) => spec),
        changesOf(triggers, ofTrigger, ({ spec }) => spec.condition),
        knownFirst(triggers),
      ],
      signal,
      ...(now && { now }),
    },
  );
  return {
    controller,
    manifests: {
      get: (key, tagFilter) => looks.get(key)?.get(tagFilter),
      onChange(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
  };

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const service = services.get(key);
    if (!service || service.metadata.deletionTimestamp !== undefined) {
      looked.delete(key);
      looks.delete(key);
      return settled;
    }
    const waiting = triggers.list().filter(one => ofTrigger(one).includes(key));
    const filters = new Set(waiting.flatMap(({ spec: { condition } }) => (condition.type === 'NewManifest' ? [condition.tagFilter] : [])));
    const artifacts = service.spec.artifacts ?? [];
    if (artifacts.length === 0 && filters.size === 0) return settled;
    const intervalMs = Math.max(
      leastIntervalMs,
      Math.min(...waiting.map(one => durationMs(one.spec.condition.interval) || defaultIntervalMs), defaultIntervalMs),
    );
    const last = looked.get(key);
    const nowMs = ctx.now.getTime();
    const isDue =
      !last ||
      last.generation !== service.metadata.generation ||
      nowMs - last.atMs >= intervalMs ||
      // The clock was put back.
      nowMs < last.atMs ||
      [...filters].some(one => !looks.get(key)?.has(one));
    if (!isDue) return requeue(last.atMs + intervalMs - nowMs);
    const deps: LookDeps = { hub, egress, caches, signal: ctx.signal };
    const problem = await collect(deps, service, ctx);
    await follow(deps, key, service, filters);
    looked.set(key, { atMs: nowMs, generation: service.metadata.generation });
    if (problem !== undefined && !problem.isFinal) return requeue(Math.min(intervalMs, 30_000));
    return requeue(intervalMs);
  }

  async function collect(deps: LookDeps, service: ServiceDefinition, ctx: Context): Promise<SourceError | undefined> {
    const { metadata, spec, status } = service;
    if ((spec.artifacts ?? []).length === 0) {
      if (status?.artifactVersions) await write(service, {}, ctx);
      return undefined;
    }
    const versions: SeenVersion[] = [];
    let problem: SourceError | undefined;
    for (const artifact of spec.artifacts ?? []) {
      const known = (status?.artifactVersions ?? []).filter(one => one.artifact === artifact.name);
      try {
        versions.push(...mergeVersions(known, artifact.name, await lookAtArtifact(deps, metadata.namespace ?? '', artifact), ctx.now));
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        problem = error;
        versions.push(...known);
      }
    }
    const report = problem
      ? { type: 'Ready', status: 'False' as const, reason: 'SourceFailed', message: errorText(problem) }
      : { type: 'Ready', status: 'True' as const, reason: 'Collected', message: 'The versions of its artifacts are known' };
    const next = {
      artifactVersions: versions,
      conditions: withReadiness(status?.conditions, [report], {
        course: problem && (problem.isFinal ? 'Stalled' : 'Reconciling'),
        now: ctx.now,
        generation: metadata.generation,
      }),
      ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    };
    if (jsonEqual({ ...status, ...next }, status)) return problem;
    await write(service, next, ctx);
    return problem;
  }

  async function write({ metadata }: ServiceDefinition, status: ServiceDefinition['status'], { signal: stop }: Context): Promise<void> {
    const target = splitKey(`${metadata.namespace}/${metadata.name}`);
    await hub.apply(ServiceDefinition, { metadata: target, status: status ?? {} }, { subresource: 'status', fieldManager, signal: stop });
  }

  async function follow(deps: LookDeps, key: Key, service: ServiceDefinition, filters: ReadonlySet<string | undefined>): Promise<void> {
    const before = looks.get(key);
    const found = new Map<string | undefined, ManifestLook>();
    for (const filter of filters) found.set(filter, await lookOnce(deps, service, filter, before?.get(filter)));
    if (filters.size > 0) looks.set(key, found);
    else looks.delete(key);
    if ([...found].some(([filter, look]) => !jsonEqual(before?.get(filter), look))) for (const listener of listeners) listener(key);
  }

  async function lookOnce(
    deps: LookDeps,
    service: ServiceDefinition,
    tagFilter: string | undefined,
    before: ManifestLook | undefined,
  ): Promise<ManifestLook> {
    try {
      return await lookAtManifests(deps, service, tagFilter);
    } catch (error) {
      if (deps.signal.aborted || !(error instanceof SourceError)) throw error;
      return { revision: '', version: '', ...before, problem: errorText(error) };
    }
  }
}
