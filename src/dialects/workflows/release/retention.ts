import type { KubeObject } from '../../../api/object.ts';
import { refKey, refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { ReleaseName, ReleaseRecord } from './book.ts';
import { keyOf, keysOf, without } from './compose-work.ts';
import { isMarked } from './marks.ts';
import { openRecordOf, withoutStale } from './release-numbers.ts';
import { knownObjects, recordName } from './release-record.ts';
import type { StepInput } from './step.ts';
import { isConfig, originalName, referencesOf } from './version-config.ts';

export interface RetentionInput {
  readonly release: ReleaseName;
  readonly prefix: string;
  /** Those that stay, without the one that is being made. */
  readonly kept: readonly ReleaseRecord[];
  readonly gone: readonly ReleaseRecord[];
  /** What the Work would hold. */
  readonly objects: readonly KubeObject[];
}

export interface Retained {
  readonly objects: readonly KubeObject[];
  /** What only the member has. */
  readonly remove: readonly ObjectRef[];
}

/** Which of the earlier releases stay when a release is prepared. Once it is open that has been done. */
export function tidied(
  input: StepInput,
  number: number,
  isOutdated: (record: ReleaseRecord) => boolean = () => false,
): { kept: ReleaseRecord[]; gone: ReleaseRecord[] } {
  const { book, settings } = input;
  const others = book.records.filter(record => record.number !== number);
  if (openRecordOf(input)) return { kept: others, gone: [] };
  const succeeded = others.filter(record => record.number < number && record.status === 'Succeeded' && !isOutdated(record));
  const newest = new Set(succeeded.slice(Math.max(0, succeeded.length - settings.historyLimit)));
  const stays = (record: ReleaseRecord) => record.status === 'InProgress' || newest.has(record) || record.number > number;
  // Records of old are not ours to delete.
  const gone = others.filter(record => record.secret !== undefined && (isOutdated(record) || !stays(record)));
  return {
    kept: withoutStale(
      others.filter(record => !gone.includes(record)),
      number,
    ),
    gone,
  };
}

/** Lets the ConfigMaps and Secrets of releases go that nobody refers to any more. */
export function retain({ release, prefix, kept, gone, objects }: RetentionInput): Retained {
  if (gone.length === 0) return { objects, remove: [] };
  const records = gone.filter(({ isOnlyOnMember }) => isOnlyOnMember).map(({ number }) => recordRef(release, number));
  const used = usedConfigs(kept, objects);
  // Who cannot tell what a release refers to leaves everything where it is.
  if (!used) return { objects, remove: records };
  const configs = gone.flatMap(record => versionedIn(record, prefix)).filter(obj => !used.has(keyOf(obj)));
  const present = keysOf(objects);
  const foreign = configs.filter(obj => !present.has(keyOf(obj))).map(refOf);
  return { objects: without(objects, keysOf(configs)), remove: [...records, ...unique(foreign)] };
}

export const recordRef = (release: ReleaseName, number: number): ObjectRef => ({
  group: '',
  version: 'v1',
  kind: 'Secret',
  namespace: release.namespace,
  name: recordName(release, number),
});

/** The ConfigMaps and Secrets that bear the number of a release. Harness does not mark them: there the name must say it. */
export function versionedIn(record: ReleaseRecord, prefix: string): KubeObject[] {
  const ending = `-${record.number}`;
  return knownObjects(record).filter(
    obj =>
      isConfig(obj) &&
      (originalName(obj) !== undefined || (!isMarked(obj, prefix, 'skip-versioning') && (obj.metadata.name ?? '').endsWith(ending))),
  );
}

/** Undefined when the manifest of a release that stays cannot be read. */
function usedConfigs(kept: readonly ReleaseRecord[], objects: readonly KubeObject[]): ReadonlySet<string> | undefined {
  const used = new Set(objects.flatMap(configsOf));
  try {
    for (const record of kept) for (const obj of record.manifest()) used.add(keyOf(obj));
  } catch {
    return undefined;
  }
  return used;
}

export const configsOf = (workload: KubeObject): string[] =>
  referencesOf(workload).map(({ kind, name }) => {
    const { namespace } = workload.metadata;
    return refKey({ group: '', version: 'v1', kind, name, ...(namespace !== undefined && { namespace }) });
  });

const unique = (refs: readonly ObjectRef[]): ObjectRef[] => [...new Map(refs.map(ref => [refKey(ref), ref])).values()];
