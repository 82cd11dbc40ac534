/** What clients of a hub saw while it was killed again and again, and the judgement over it. */

export interface Attempt {
  readonly key: string;
  readonly operation: 'create' | 'update' | 'delete';
  /** The content that was written; a deletion carries the content it deleted. */
  readonly sequence: number;
  /** The revision in the answer; undefined when no answer came. */
  acknowledgedRevision?: number;
  /** Found out later by reading. */
  isApplied?: boolean;
}

export interface SeenChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly sequence: number;
  readonly revision: number;
}

export interface FinalObject {
  readonly key: string;
  readonly sequence: number;
  readonly revision: number;
}

export interface History {
  readonly attempts: readonly Attempt[];
  /** One list per watcher, in the order of arrival. */
  readonly watches: readonly (readonly SeenChange[])[];
  readonly final: readonly FinalObject[];
}

export interface Verdict {
  readonly lost: string[];
  readonly phantom: string[];
  readonly outOfOrder: string[];
  readonly missed: string[];
  readonly repeated: string[];
}

export const isClean = (verdict: Verdict) => Object.values(verdict).every((faults: string[]) => faults.length === 0);

/** Judges a history. Every key has one writer, and that writer waits for each answer before it goes on. */
export function judge({ attempts, watches, final }: History): Verdict {
  const verdict: Verdict = { lost: [], phantom: [], outOfOrder: [], missed: [], repeated: [] };
  const byKey = Map.groupBy(attempts, a => a.key);
  const finalByKey = new Map(final.map(f => [f.key, f]));
  for (const [key, own] of byKey) judgeKey(key, own, finalByKey.get(key), verdict);
  for (const { key, sequence } of final) {
    if (!byKey.get(key)?.some(a => a.operation !== 'delete' && a.sequence === sequence))
      verdict.phantom.push(`${key} ends with content ${sequence}, which nobody wrote`);
  }
  judgeRevisions(attempts, verdict);
  for (const [i, seen] of watches.entries()) judgeWatch(`watcher ${i}`, seen, attempts, verdict);
  return verdict;
}

/** The end must be the last acknowledged write, or one after it that got no answer. */
function judgeKey(key: string, own: readonly Attempt[], end: FinalObject | undefined, verdict: Verdict): void {
  const last = own.findLastIndex(a => a.acknowledgedRevision !== undefined);
  const candidates = own.slice(Math.max(last, 0));
  const fits = candidates.some(a => (a.operation === 'delete' ? end === undefined : end?.sequence === a.sequence));
  if (fits || (last < 0 && end === undefined)) return;
  const wanted = own[last];
  verdict.lost.push(
    `${key}: ${wanted?.operation} of content ${wanted?.sequence} was acknowledged, found ${end === undefined ? 'nothing' : `content ${end.sequence}`}`,
  );
}

function judgeRevisions(attempts: readonly Attempt[], verdict: Verdict): void {
  const acknowledged = attempts.filter(a => a.acknowledgedRevision !== undefined && a.operation !== 'delete');
  const owners = new Map<number, Attempt>();
  for (const attempt of acknowledged) {
    const other = owners.get(attempt.acknowledgedRevision!);
    if (other) verdict.outOfOrder.push(`revision ${attempt.acknowledgedRevision} was given to ${other.key} and to ${attempt.key}`);
    owners.set(attempt.acknowledgedRevision!, attempt);
  }
  for (const [key, own] of Map.groupBy(acknowledged, a => a.key)) {
    for (const [i, attempt] of own.entries()) {
      if (i > 0 && attempt.acknowledgedRevision! <= own[i - 1]!.acknowledgedRevision!)
        verdict.outOfOrder.push(`${key}: revision went back to ${attempt.acknowledgedRevision}`);
    }
  }
}

function judgeWatch(watcher: string, seen: readonly SeenChange[], attempts: readonly Attempt[], verdict: Verdict): void {
  const revisions = new Set<number>();
  let previous = 0;
  for (const change of seen) {
    if (revisions.has(change.revision)) verdict.repeated.push(`${watcher}: revision ${change.revision} came twice`);
    else if (change.revision < previous) verdict.outOfOrder.push(`${watcher}: revision ${change.revision} came after ${previous}`);
    revisions.add(change.revision);
    previous = Math.max(previous, change.revision);
  }
  const written = Map.groupBy(attempts, a => `${a.key} ${a.sequence}`);
  for (const { type, key, sequence, revision } of seen) {
    const known = written.get(`${key} ${sequence}`)?.some(a => (type === 'DELETED') === (a.operation === 'delete'));
    if (!known) verdict.phantom.push(`${watcher}: ${type} of ${key} with content ${sequence} at revision ${revision}, which nobody wrote`);
  }
  for (const attempt of attempts) {
    if (attempt.acknowledgedRevision === undefined || attempt.operation === 'delete') continue;
    if (!revisions.has(attempt.acknowledgedRevision))
      verdict.missed.push(`${watcher}: never saw ${attempt.operation} of ${attempt.key} at revision ${attempt.acknowledgedRevision}`);
  }
  const deletions = new Set(seen.filter(s => s.type === 'DELETED').map(s => `${s.key} ${s.sequence}`));
  for (const attempt of attempts) {
    const happened = attempt.acknowledgedRevision !== undefined || attempt.isApplied === true;
    if (attempt.operation === 'delete' && happened && !deletions.has(`${attempt.key} ${attempt.sequence}`))
      verdict.missed.push(`${watcher}: never saw the deletion of ${attempt.key}`);
  }
}
