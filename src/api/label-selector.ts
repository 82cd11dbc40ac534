import { requirementMatches, type Operator } from './label-query.ts';
import { list, mapOf, object, oneOf, optional, text } from './schema.ts';

/** The field of a kind that selects objects by their labels. */
export const labelSelector = (description: string) =>
  object(description, {
    matchLabels: optional(mapOf('Labels that must be there with these values.', text('A value.'))),
    matchExpressions: optional(
      list(
        'Demands on labels.',
        object('One demand.', {
          key: text('The label.'),
          operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'What is demanded.'),
          values: optional(list('The values, for In and NotIn.', text('A value.'))),
        }),
      ),
    ),
  });

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
