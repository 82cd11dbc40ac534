import { requirementMatches, type Operator, type Requirement } from './label-query.ts';
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
export function selectorMatches(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selectorTest(selector)(labels);
}

/** As `selectorMatches`, for asking about many. */
export function selectorTest(selector: LabelSelector): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const demands = selectorDemands(selector);
  const isKnown = (selector.matchExpressions ?? []).every(({ operator }) => operators[operator] !== undefined);
  return labels => isKnown && demands.every(demand => requirementMatches(demand, labels));
}

/** Its demands one by one, those with unknown operators left out. */
export function selectorDemands({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Requirement[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: '=' as const, values: [value] })),
    ...matchExpressions.flatMap(({ key, operator, values = [] }) => {
      const known = operators[operator];
      return known === undefined ? [] : [{ key, operator: known, values }];
    }),
  ];
}
