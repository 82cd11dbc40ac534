import type { KubeObject } from '../../data/kinds.ts';

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

/** The pods of a workload, as servers are asked for them. Undefined when it names none. */
export function selectorOf(workload: KubeObject): string | undefined {
  const { matchLabels = {}, matchExpressions = [] } = (workload['spec'] as { selector?: Selector } | undefined)?.selector ?? {};
  const parts = [
    ...Object.entries(matchLabels).map(pair => pair.join('=')),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key;
      if (operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join()})`;
    }),
  ];
  return parts.length === 0 ? undefined : parts.join();
}
