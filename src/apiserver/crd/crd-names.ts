import type { KubeObject } from '../../api/object.ts';
import { crdSpec, crdStatus, findCondition, type CrdCondition, type CrdNames } from './crd-object.ts';

export interface NamesDecision {
  readonly acceptedNames: Partial<CrdNames>;
  readonly namesAccepted: CrdCondition;
  readonly established: CrdCondition;
}

/** Which of its names a definition may have, given what the other definitions of its group have already been given. */
export function decideNames(crd: KubeObject, others: readonly KubeObject[]): NamesDecision {
  const { group, names } = crdSpec(crd);
  const accepted = crdStatus(crd).acceptedNames ?? {};
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of [crd, ...others]) {
    if (crdSpec(other).group !== group) continue;
    const { plural = '', singular = '', shortNames = [], kind = '', listKind = '' } = crdStatus(other).acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  const problems: { reason: string; message: string }[] = [];
  const inUse = (name: string, own: string, used: ReadonlySet<string>): string | undefined =>
    name === own || !used.has(name) ? undefined : `${JSON.stringify(name)} is already in use`;
  const choose = (field: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string>): string => {
    const message = inUse(names[field] ?? '', accepted[field] ?? '', used);
    if (message === undefined) return names[field] ?? '';
    problems.push({ reason: `${field[0]!.toUpperCase()}${field.slice(1)}Conflict`, message });
    return accepted[field] ?? '';
  };

  const plural = choose('plural', resources);
  const singular = choose('singular', resources);
  const shortNames = chooseShortNames();
  const kind = choose('kind', kinds);
  const listKind = choose('listKind', kinds);
  const namesAccepted = problems.at(-1)
    ? condition('NamesAccepted', 'False', problems.at(-1)!.reason, problems.at(-1)!.message)
    : condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
  return {
    acceptedNames: {
      plural,
      ...(singular !== '' && { singular }),
      ...(shortNames.length > 0 && { shortNames }),
      kind,
      ...(listKind !== '' && { listKind }),
      ...(names.categories && { categories: names.categories }),
    },
    namesAccepted,
    established: decideEstablished(crd, namesAccepted.status === 'True'),
  };

  function chooseShortNames(): string[] {
    const own = accepted.shortNames ?? [];
    const conflicts = (names.shortNames ?? []).filter(name => !own.includes(name)).flatMap(name => inUse(name, '', resources) ?? []);
    if (conflicts.length === 0) return names.shortNames ?? [];
    problems.push({ reason: 'ShortNamesConflict', message: conflicts.length === 1 ? conflicts[0]! : `[${conflicts.join(', ')}]` });
    return own;
  }
}

function decideEstablished(crd: KubeObject, areNamesAccepted: boolean): CrdCondition {
  const old = findCondition(crd, 'Established');
  if (old?.status !== 'True' && areNamesAccepted)
    return condition('Established', 'False', 'Installing', 'the initial names have been accepted');
  return old ?? condition('Established', 'False', 'NotAccepted', 'not all names are accepted');
}

export const condition = (type: string, status: string, reason: string, message: string): CrdCondition => ({
  type,
  status,
  reason,
  message,
});

/** The conditions with one set: its time changes only with its status. */
export function withCondition(conditions: readonly CrdCondition[], next: CrdCondition, now: string): CrdCondition[] {
  const old = conditions.find(candidate => candidate.type === next.type);
  if (!old) return [...conditions, { ...next, lastTransitionTime: now }];
  const lastTransitionTime = old.status === next.status && old.lastTransitionTime ? old.lastTransitionTime : now;
  return conditions.map(candidate => (candidate === old ? { ...next, lastTransitionTime } : candidate));
}
