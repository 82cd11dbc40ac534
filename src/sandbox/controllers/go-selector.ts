import type { LabelSelector } from '../../api/kubernetes.ts';

/** A selector as Go prints the struct, which is how events of real controllers show it. */
export function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const printed = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${printed}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
