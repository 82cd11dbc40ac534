import type { Key } from '../../../runtime/key.ts';
import { keyOf } from '../../../runtime/key.ts';
import { hasExpressions, renderText } from '../expressions/render-text.ts';
import { runScope } from '../inputs/run-scope.ts';
import type { ArtifactSnapshot } from '../inputs/run-snapshot.ts';
import { isTerminal } from '../kinds/workflow-run.ts';
import { deliveryAnnotations } from '../names.ts';
import { factsOfRun, type RunWithStatus } from './run-facts.ts';
import type { RunInput } from './run-step.ts';
import type { RunStatus } from './run-status.ts';

interface Place {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly workflow: string;
  readonly createdAt: string;
  /** The same, finer. */
  readonly requestedAt: string;
  /** In which order they were seen, for those of which nothing finer than a second is known. */
  readonly seen: number;
  readonly isPreview: boolean;
  /** Undefined before the snapshot is there. */
  line: string | undefined;
  release: string | undefined;
  infrastructure: string | undefined;
  clusters: RunStatus['resolvedClusters'];
  startedAt: string | undefined;
  releaseNo: number | undefined;
  phase: string | undefined;
  /** What it deployed. */
  artifact: ArtifactSnapshot | undefined;
  /** Whether some cluster was changed. */
  hasChanged: boolean;
}

type PlaceFacts = Pick<RunInput, 'queue' | 'isNewest' | 'nextReleaseNo' | 'lastGood'>;

/**
 * Which runs there are and how far, as they were last decided: what a watch tells of one's own writes comes too late for whoever decides about the next run
 * in the meantime.
 */
export interface RunPlaces {
  /** Takes down how far a run is. */
  note(run: RunWithStatus): void;
  /** A run that is gone. Answers who may go on because of that. */
  forget(key: Key): Key[];
  factsFor(run: RunWithStatus): PlaceFacts;
  /** Runs that may go on, or are not the newest any more, because of this one. */
  neighbours(key: Key): Key[];
}

export function runPlaces(): RunPlaces {
  const places = new Map<Key, Place>();
  const releaseNumbers = new Map<string, number>();
  let seen = 0;

  return {
    note(run) {
      const key = keyOf(run);
      const { metadata, status = {} } = run;
      const old = places.get(key);
      const place = old?.uid === metadata.uid ? old! : newPlace(run, seen++);
      place.line ??= lineOf(run);
      place.release ??= releaseOf(status);
      place.infrastructure ??= status.snapshot?.infrastructure.name;
      place.clusters = status.resolvedClusters ?? place.clusters;
      place.startedAt = status.startedAt ?? place.startedAt;
      place.releaseNo = status.releaseNo ?? place.releaseNo;
      place.phase = status.phase ?? place.phase;
      place.artifact ??= status.snapshot?.services[status.snapshot.service]?.artifact;
      place.hasChanged ||= hasChanged(status);
      places.set(key, place);
      const of = `${place.namespace}/${place.workflow}`;
      if (place.releaseNo !== undefined) releaseNumbers.set(of, Math.max(place.releaseNo, releaseNumbers.get(of) ?? 0));
    },
    forget(key) {
      const near = neighbours(key);
      places.delete(key);
      return near;
    },
    factsFor(run) {
      const place = places.get(keyOf(run)) ?? newPlace(run, seen++);
      const ofWorkflow = [...places.values()].filter(one => one.namespace === place.namespace && one.workflow === place.workflow);
      const lastGood = ofWorkflow
        .filter(one => one.phase === 'Succeeded' && !one.isPreview && one.uid !== place.uid && one.releaseNo !== undefined)
        .toSorted((a, b) => b.releaseNo! - a.releaseNo!)[0];
      return {
        queue: queueOf(place, [...places.values()]),
        isNewest: ![...places.values()].some(one => isLater(one, place)),
        nextReleaseNo: (releaseNumbers.get(`${place.namespace}/${place.workflow}`) ?? 0) + 1,
        ...(lastGood && { lastGood: goodOf(lastGood) }),
      };
    },
    neighbours,
  };

  function neighbours(key: Key): Key[] {
    const place = places.get(key);
    if (!place) return [];
    const isNear = (one: Place) => {
      if (one.uid === place.uid || one.isPreview) return false;
      // Also those of other lines: they may have waited for this one until it was known which line is its own.
      if (one.startedAt === undefined && !isTerminal(one.phase)) return one.namespace === place.namespace;
      return one.line === place.line || one.release === place.release;
    };
    return [...places].filter(([, one]) => isNear(one)).map(([near]) => near);
  }
}

function newPlace({ metadata, spec }: RunWithStatus, seen: number): Place {
  const { uid = '', namespace = '', name = '', creationTimestamp = '', annotations = {} } = metadata;
  return {
    uid,
    namespace,
    name,
    workflow: spec.workflowRef.name,
    createdAt: creationTimestamp,
    requestedAt: annotations[deliveryAnnotations.requestedAt] ?? '',
    seen,
    isPreview: spec.mode === 'Preview',
    line: undefined,
    release: undefined,
    infrastructure: undefined,
    clusters: undefined,
    startedAt: undefined,
    releaseNo: undefined,
    phase: undefined,
    artifact: undefined,
    hasChanged: false,
  };
}

const goodOf = ({ releaseNo = 0, name, artifact }: Place) => ({ releaseNo, name, ...(artifact && { artifact }) });

function isEarlier(a: Place, b: Place): boolean {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  return a.requestedAt === b.requestedAt ? a.seen < b.seen : a.requestedAt < b.requestedAt;
}

/** Who goes first: whoever has begun, and whoever came before. Of one whose line is not known yet it is assumed to be the same. */
function queueOf(place: Place, all: readonly Place[]): RunInput['queue'] {
  const { line } = place;
  if (line === undefined || line === '') return { ahead: 0, waiting: 0 };
  const isAhead = (one: Place) => {
    if (one.uid === place.uid || one.isPreview || isTerminal(one.phase)) return false;
    if (one.line === undefined) return one.namespace === place.namespace && isEarlier(one, place);
    return one.line === line && (one.startedAt !== undefined || isEarlier(one, place));
  };
  const ahead = all.filter(isAhead);
  return { ahead: ahead.length, waiting: ahead.filter(one => one.startedAt === undefined).length };
}

/** Whether another run of the same release took its place. One that was put back whole did not. */
function isLater(one: Place, place: Place): boolean {
  if (one.uid === place.uid || one.isPreview || one.release === undefined || one.release !== place.release) return false;
  if (one.startedAt === undefined || place.startedAt === undefined || one.phase === 'RolledBack' || !one.hasChanged) return false;
  const isAfter = one.startedAt === place.startedAt ? isEarlier(place, one) : one.startedAt > place.startedAt;
  return isAfter && (isSameInfrastructure(one, place) || haveClustersInCommon(one, place));
}

const isSameInfrastructure = (a: Place, b: Place): boolean => a.namespace === b.namespace && a.infrastructure === b.infrastructure;

/** A release of the same name elsewhere is another one. */
function haveClustersInCommon(a: Place, b: Place): boolean {
  const ids = new Set(a.clusters?.map(one => one.id));
  return b.clusters?.some(one => ids.has(one.id)) ?? false;
}

function hasChanged({ clusters }: RunStatus): boolean {
  if (!clusters) return false;
  const { running = 0, soaking = 0, succeeded = 0, failed = 0, rolledBack = 0 } = clusters;
  return running + soaking + succeeded + failed + rolledBack > 0;
}

const releaseOf = ({ snapshot }: RunStatus): string | undefined =>
  snapshot && `${snapshot.provider.name}/${snapshot.infrastructure.namespace}/${snapshot.infrastructure.releaseName}`;

/** Runs of the same line wait for each other. Empty: for none. */
export function lineOf(run: RunWithStatus): string | undefined {
  const { snapshot } = run.status ?? {};
  if (!snapshot) return undefined;
  const { unit = 'Infra', key = '' } = (snapshot.workflow.spec['concurrency'] ?? {}) as { unit?: string; key?: string };
  if (unit === 'None') return '';
  const { namespace } = run.metadata;
  if (unit === 'Infra') return `infra ${namespace}/${snapshot.infrastructure.name}`;
  return `custom ${namespace}/${rendered(key, run)}`;
}

function rendered(text: string, run: RunWithStatus): string {
  if (!hasExpressions(text)) return text;
  try {
    return renderText(text, runScope(run.status!.snapshot!, factsOfRun(run)));
  } catch {
    // Those that write the same still wait for each other.
    return text;
  }
}
