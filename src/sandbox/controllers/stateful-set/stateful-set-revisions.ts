import { hasSameData, numberOf, revisionData, revisionFor, type Revision, type RevisionHistory } from '../controller-revisions.ts';
import { shortHash } from '../pod-template-hash.ts';
import { revisionOfPod, type Revisions, type StoredStatefulSet } from './stateful-set-pods.ts';
import type { StoredPod } from '../pod-state.ts';

const hashLabel = 'controller.kubernetes.io/hash';
const longestPrefix = 223;

/** The revision of the present template, made or renumbered as the newest when need be, and the one that pods come from. */
export async function settleRevisions(
  set: StoredStatefulSet,
  known: readonly Revision[],
  history: RevisionHistory,
): Promise<Revisions & { readonly collisionCount: number }> {
  const { template } = set.spec;
  const data = revisionData(template);
  const newest = known.at(-1);
  const next = (newest ? numberOf(newest) : 0n) + 1n;
  const same = known.findLast(revision => hasSameData(revision, data));
  const { collisionCount = 0, currentRevision } = set.status ?? {};

  const settled = same
    ? { revision: same === newest ? same : await history.renumber(same, next), collisionCount }
    : await history.create(collisionCount, count => {
        const hash = shortHash(data, count);
        const name = `${set.metadata.name.slice(0, longestPrefix)}-${hash}`;
        return revisionFor(set, { name, labels: { ...template.metadata?.labels, [hashLabel]: hash }, template, revision: next });
      });
  const current = known.find(({ metadata }) => metadata.name === currentRevision) ?? settled.revision;
  return { current, update: settled.revision, collisionCount: settled.collisionCount };
}

/** Old revisions that no pod uses, beyond the number that is kept. */
export function expiredRevisions(
  set: StoredStatefulSet,
  known: readonly Revision[],
  { current, update }: Revisions,
  pods: readonly StoredPod[],
): Revision[] {
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOfPod)]);
  const unused = known.filter(({ metadata }) => !live.has(metadata.name));
  return unused.slice(0, Math.max(0, unused.length - (set.spec.revisionHistoryLimit ?? 10)));
}
