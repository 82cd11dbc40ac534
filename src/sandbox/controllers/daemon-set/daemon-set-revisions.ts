import {
  hasSameData,
  numberOf,
  revisionData,
  revisionFor,
  revisionLabel,
  type Revision,
  type RevisionHistory,
} from '../controller-revisions.ts';
import type { StoredDaemonSet } from './daemon-set-pods.ts';
import { shortHash } from '../pod-template-hash.ts';

export interface SettledRevision {
  /** Names the present template on pods. */
  readonly hash: string;
  readonly older: readonly Revision[];
  readonly collisionCount: number | undefined;
}

/** The revision of the present template, made or renumbered as the newest when need be. */
export async function settleRevision(set: StoredDaemonSet, known: readonly Revision[], history: RevisionHistory): Promise<SettledRevision> {
  const { template } = set.spec;
  const data = revisionData(template);
  const same = known.findLast(revision => hasSameData(revision, data));
  const older = known.filter(revision => revision !== same);
  const newestOlder = older.at(-1);
  const next = (newestOlder ? numberOf(newestOlder) : 0n) + 1n;
  const { collisionCount: before } = set.status ?? {};
  if (same) {
    if (numberOf(same) < next) await history.renumber(same, next);
    return { hash: hashOf(same), older, collisionCount: before };
  }
  const { revision, collisionCount } = await history.create(before ?? 0, count => {
    const hash = shortHash(template, count || undefined);
    const labels = { ...template.metadata?.labels, [revisionLabel]: hash };
    return revisionFor(set, { name: `${set.metadata.name}-${hash}`, labels, template, revision: next });
  });
  return { hash: hashOf(revision), older, collisionCount: collisionCount || before };
}

const hashOf = ({ metadata }: Revision): string => metadata.labels?.[revisionLabel] ?? '';

/** Old revisions beyond the number that is kept, as far as no pod is of them. */
export function expiredRevisions(set: StoredDaemonSet, older: readonly Revision[], liveHashes: ReadonlySet<string>): Revision[] {
  const surplus = older.length - (set.spec.revisionHistoryLimit ?? 10);
  return surplus <= 0 ? [] : older.filter(revision => !liveHashes.has(hashOf(revision))).slice(0, surplus);
}
