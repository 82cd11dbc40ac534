import { requirementMatches, type Operator } from '../../api/label-query.ts';

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

const operators: Readonly<Record<string, Operator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/** Whether labels satisfy all demands. One without demands matches everything: those for whom it means nothing ask first. */
export function selectorMatches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const hasLabels = Object.entries(matchLabels).every(([key, value]) =>
    requirementMatches({ key, operator: '=', values: [value] }, labels),
  );
  return (
    hasLabels &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const known = operators[operator];
      return known !== undefined && requirementMatches({ key, operator: known, values }, labels);
    })
  );
}
