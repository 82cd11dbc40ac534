import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Taint, Toleration } from '../../api/kubernetes.ts';

/** What of a node decides whether a pod may stand on it. */
export interface NodeTraits {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** Whether a node has what the pod's node selector and its required node affinity ask for. */
export function matchesNodeAffinity(spec: PodSpec, node: NodeTraits): boolean {
  for (const key in spec.nodeSelector) if (node.labels[key] !== spec.nodeSelector[key]) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || matchesNodeSelectorTerms(required.nodeSelectorTerms, node);
}

/** Terms are alternatives; an empty one matches nothing. */
export function matchesNodeSelectorTerms(terms: readonly NodeSelectorTerm[], node: NodeTraits): boolean {
  return terms.some(term => matchesNodeSelectorTerm(term, node));
}

export function matchesNodeSelectorTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: NodeTraits): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every(requirement => meets(requirement, node.labels[requirement.key])) &&
    matchFields.every(requirement => meets(requirement, requirement.key === 'metadata.name' ? node.name : undefined))
  );
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return compares(operator, value, values[0]);
    default:
      return false;
  }
}

const integer = /^[+-]?[0-9]+$/;

function compares(operator: 'Gt' | 'Lt', value: string | undefined, bound: string | undefined): boolean {
  if (value === undefined || bound === undefined || !integer.test(value) || !integer.test(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

export function tolerates({ key = '', operator = 'Equal', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  if (operator === 'Gt' || operator === 'Lt') return compares(operator, taint.value, value);
  return key !== '' && value === (taint.value ?? '');
}

/** The first taint with one of these effects that nobody tolerates. */
export function untoleratedTaint(
  tolerations: readonly Toleration[] | undefined,
  taints: readonly Taint[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(taint => effects.includes(taint.effect) && !(tolerations ?? []).some(one => tolerates(one, taint)));
}
