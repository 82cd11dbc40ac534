import { Secret } from '../../api/builtin-kinds.ts';
import type { Member } from '../delivery/member.ts';
import type { ReleaseKey } from './helm-release.ts';
import { recordOf, recordSelector, type ReleaseRecord } from './release-record.ts';

/** All revisions of a release as Helm or we recorded them on the member, oldest first; also those that nobody can read, which say so. */
export async function readReleases(
  { client }: Pick<Member, 'client'>,
  key: ReleaseKey,
  { signal }: { readonly signal: AbortSignal },
): Promise<ReleaseRecord[]> {
  const { items } = await client.list(Secret, { namespace: key.namespace, labelSelector: recordSelector(key), signal });
  const records = await Promise.all(items.filter(({ type }) => type === 'helm.sh/release.v1').map(recordOf));
  return records.sort((a, b) => a.release.revision - b.release.revision);
}
