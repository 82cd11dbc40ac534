import { workAnnotations, type Work } from '../../api/work.ts';
import { keyOf, type Key } from '../../runtime/key.ts';

/** Names a release on a member: the namespace of the cluster on the hub, then namespace and name of the release. */
export type ReleaseKey = string;

export function releaseKeyOf({ metadata, spec }: Work): ReleaseKey {
  return `${metadata.namespace}/${spec.release.namespace}/${spec.release.name}`;
}

/** Charts compete for releases; everything else competes object by object. */
export const isChart = ({ spec }: Work): boolean => spec.chart !== undefined;

/** How informers of Works find them by other than their name. */
export const workIndexes = {
  /** The cluster: its namespace on the hub. */
  cluster: ({ metadata }: Work) => [metadata.namespace ?? ''],
  release: (work: Work) => (isChart(work) ? [releaseKeyOf(work)] : []),
  /** The Works that this one waits for. */
  after: ({ metadata, spec }: Work) => (spec.after ?? []).map(name => `${metadata.namespace}/${name}`),
  /** A label and its value, as `key=value`. */
  label: ({ metadata }: Work) => Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
  /** The bytes that it needs. */
  content: (work: Work) => digestsOf(work),
} as const;

export function digestsOf({ metadata, spec }: Work): string[] {
  const besides = metadata.annotations?.[workAnnotations.contents]?.split(',') ?? [];
  return [spec.chart?.content, spec.kustomization?.content, spec.content, ...besides].filter(
    one => one !== undefined && one !== '',
  ) as string[];
}

/** What is worked on at once: a whole release with all its claims, or one Work. */
export function queueKeyOf(work: Work): Key {
  return isChart(work) ? `release ${releaseKeyOf(work)}` : `work ${keyOf(work)}`;
}
