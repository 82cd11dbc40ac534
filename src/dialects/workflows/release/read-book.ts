import type { KubeObject } from '../../../api/object.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { ReleaseBook, ReleaseName, ReleaseRecord } from './book.ts';
import { isLegacyHistory, readLegacyHistory } from './legacy-history.ts';
import { isRecord, readRecord, recordNumber, type LargeManifests } from './release-record.ts';

export interface BookOptions {
  readonly labelPrefix?: string;
  readonly large?: LargeManifests;
}

/**
 * What the releases of a cluster were: from the Work, and from what only the member has, which a hub that was lost or Harness wrote. Of the same release
 * the record in the Work counts, then one of ours on the member, then one of old.
 */
export function readBook(
  inWork: readonly KubeObject[],
  onMember: readonly KubeObject[],
  release: ReleaseName,
  { labelPrefix = 'harness.io', large }: BookOptions = {},
): ReleaseBook {
  const records = new Map<number, ReleaseRecord>();
  const add = (record: ReleaseRecord) => records.has(record.number) || records.set(record.number, record);
  for (const obj of inWork) {
    const number = recordNumber(obj, release);
    if (number !== undefined) add(readRecord(obj, number, labelPrefix, large));
  }
  for (const obj of onMember) {
    const number = recordNumber(obj, release);
    if (number !== undefined) add({ ...readRecord(withoutServerFields(obj), number, labelPrefix, large), isOnlyOnMember: true });
  }
  for (const obj of onMember) if (isLegacyHistory(obj, release)) readLegacyHistory(obj, release).forEach(add);
  return { records: [...records.values()].sort((a, b) => a.number - b.number) };
}

/** What a Work holds besides the records. */
export const withoutRecords = (objects: readonly KubeObject[], release: ReleaseName): KubeObject[] =>
  objects.filter(obj => !isRecord(obj, release));

/** Where a member keeps records: Secrets that bear the labels, and the history of old. */
export function placesOfRecords({ name, namespace }: ReleaseName): { labelSelector: string; legacy: readonly ObjectRef[] } {
  const legacy = ['ConfigMap', 'Secret'].map(kind => ({ group: '', version: 'v1', kind, namespace, name }));
  return { labelSelector: `owner=harness,release=${name}`, legacy };
}

/** A record that was read on a member becomes part of the Work. */
function withoutServerFields(obj: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, ...rest } = obj.metadata;
  if (Object.keys(rest).length === 0) return obj;
  return {
    ...obj,
    metadata: { ...(name && { name }), ...(namespace && { namespace }), ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}
