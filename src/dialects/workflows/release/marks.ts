import type { KubeObject } from '../../../api/object.ts';

type Texts = Readonly<Record<string, string>> | undefined;

/** What labels, annotations and selectors are called behind the prefix of the workflow. */
export type Mark =
  | 'color'
  | 'track'
  | 'release-name'
  | 'direct-apply'
  | 'managed-workload'
  | 'managed'
  | 'steadyStateCondition'
  | 'skip-versioning'
  | 'skipPruning'
  | 'primary-service'
  | 'stage-service'
  | 'pruning-enabled'
  | 'bg-environment'
  | 'manifest-hash';

/** Read besides the prefix that the workflow has. */
const ownPrefix = 'drover.io';

export const markKey = (prefix: string, mark: Mark): string => `${prefix}/${mark}`;

/** The key under which the mark is there, of the two that may be. */
export function foundKey(texts: Texts, prefix: string, mark: Mark): string | undefined {
  return [prefix, ownPrefix].map(one => markKey(one, mark)).find(key => texts?.[key] !== undefined);
}

export function readMark(texts: Texts, prefix: string, mark: Mark): string | undefined {
  const key = foundKey(texts, prefix, mark);
  return key === undefined ? undefined : texts?.[key];
}

/** Whether an annotation says "true", however it is written. */
export function isMarked({ metadata }: KubeObject, prefix: string, mark: Mark): boolean {
  return String(readMark(metadata.annotations, prefix, mark)).toLowerCase() === 'true';
}

/** Annotations of our own, whatever the prefix. */
export const ownAnnotations = {
  /** On a ConfigMap or Secret whose name bears the number of a release: how the manifest calls it. */
  versionedName: `${ownPrefix}/versioned-name`,
  /** On what a step brings only for its own time. */
  transient: `${ownPrefix}/transient`,
  /** On a workload that was there before Blue/Green: its color. */
  adoptedColor: `${ownPrefix}/adopted-color`,
  run: `${ownPrefix}/run`,
  runUid: `${ownPrefix}/run-uid`,
  wave: `${ownPrefix}/wave`,
  workloadRevisions: `${ownPrefix}/workload-revisions`,
  manifestRef: `${ownPrefix}/manifest-ref`,
} as const;

/** What is removed from a Work stays on the member. */
export const keepOnMember = { 'helm.sh/resource-policy': 'keep' } as const;

export const withAnnotations = (obj: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject => ({
  ...obj,
  metadata: { ...obj.metadata, annotations: { ...obj.metadata.annotations, ...annotations } },
});

export const renamed = (obj: KubeObject, name: string): KubeObject => ({ ...obj, metadata: { ...obj.metadata, name } });
