import { timestamp } from '../../util/timestamp.ts';

export interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** What a pass over a terminating namespace found. */
export interface ContentReport {
  /** Objects still there, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects still there, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

const whenDone: readonly { type: string; reason: string; message: string }[] = [
  { type: 'NamespaceDeletionDiscoveryFailure', reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  { type: 'NamespaceContentRemaining', reason: 'ContentRemoved', message: 'All content successfully removed' },
  { type: 'NamespaceFinalizersRemaining', reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
];

/** The conditions after a pass; the same array when nothing is different. */
export function namespaceConditions(
  present: readonly NamespaceCondition[],
  report: ContentReport,
  now: Date,
): readonly NamespaceCondition[] {
  const problems = problemsIn(report);
  let next = present;
  for (const done of whenDone) {
    const problem = problems.get(done.type);
    const wanted = { type: done.type, status: problem ? 'True' : 'False', ...(problem ?? { reason: done.reason, message: done.message }) };
    const i = next.findIndex(c => c.type === done.type);
    const old = next[i];
    if (!old) next = [...next, { ...wanted, lastTransitionTime: timestamp(now) }];
    else if (old.status !== wanted.status || old.reason !== wanted.reason || old.message !== wanted.message)
      next = next.with(i, { ...old, ...wanted, ...(old.status !== wanted.status && { lastTransitionTime: timestamp(now) }) });
  }
  return next;
}

function problemsIn({ remaining, finalizers, failures }: ContentReport): Map<string, { reason: string; message: string }> {
  const problems = new Map<string, { reason: string; message: string }>();
  const lines = (counts: ReadonlyMap<string, number>, line: (what: string, count: number) => string) =>
    [...counts]
      .map(([what, count]) => line(what, count))
      .sort()
      .join(', ');
  if (failures.length > 0)
    problems.set('NamespaceDeletionContentFailure', {
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
    });
  if (remaining.size > 0)
    problems.set('NamespaceContentRemaining', {
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${lines(remaining, (what, count) => `${what} has ${count} resource instances`)}`,
    });
  if (finalizers.size > 0)
    problems.set('NamespaceFinalizersRemaining', {
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${lines(finalizers, (what, count) => `${what} in ${count} resource instances`)}`,
    });
  return problems;
}
