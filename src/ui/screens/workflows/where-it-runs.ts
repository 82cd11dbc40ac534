import type { Cluster } from '../../../api/cluster.ts';
import { whyKeptAway } from '../../../api/cluster-taints.ts';
import type { LabelSelector } from '../../../api/label-selector.ts';
import { unmetDemands } from '../../../api/unmet-demands.ts';
import { hub } from '../../data/kinds.ts';
import type { InfrastructureDefinition } from '../../../dialects/workflows/kinds/infrastructure-definition.ts';

export interface RunPlace {
  readonly name: string;
  readonly isMeant: boolean;
  /** Why not, or what is the matter with it. */
  readonly why: string;
}

/** Every cluster: whether the next run would go there, which the hub has found out, and why not. Those where it would first. */
export function whereItRuns({ spec, status }: InfrastructureDefinition, clusters: readonly Cluster[]): readonly RunPlace[] {
  const matched = status?.matched ?? [];
  const ids = new Set(matched.map(one => one.id));
  const meant = matched.map(({ name, ready }) => ({ name, isMeant: true, why: ready ? '' : 'it is not ready' }));
  const others = clusters.filter(one => !ids.has(one.status?.id ?? '') && one.metadata.name !== hub);
  return [...meant, ...others.map(one => ({ name: one.metadata.name ?? '', isMeant: false, why: whyNotRun(spec, one) }))];
}

/** Why an infrastructure does not choose a cluster of the hub. */
export function whyNotRun(spec: InfrastructureDefinition['spec'], cluster: Cluster): string {
  const { name = '', labels = {} } = cluster.metadata;
  const { clusterNames = [], clusterSelector = {}, exclude = {} } = spec;
  const isNamed = (names: readonly string[]) => names.includes(name) || names.includes(cluster.status?.id ?? '');
  if (clusterNames.length > 0 && !isNamed(clusterNames)) return 'it is not one of the clusters that are named';
  if (isNamed(exclude.clusterNames ?? [])) return 'it is excluded by name';
  const unmet = [...unmetCriteria(spec, labels), ...unmetDemands(clusterSelector as LabelSelector, labels)];
  if (unmet.length > 0) return unmet.join(', ');
  const { selector = {} } = exclude;
  if (Object.keys(selector).length > 0 && unmetDemands(selector as LabelSelector, labels).length === 0) return 'its labels exclude it';
  return whyKeptAway(cluster, false) ?? 'the hub does not choose it now; the infrastructure says why';
}

const isLater = (text: string): boolean => text.includes('${');

function unmetCriteria(
  { clusterSelectionCriteria: criteria = [] }: InfrastructureDefinition['spec'],
  labels: Record<string, string>,
): string[] {
  return criteria.flatMap(({ labelName, labelValues }) => {
    if (isLater(labelName) || isLater(labelValues)) return [`${labelName} must be ${labelValues}, which is known when it runs`];
    const values = labelValues.split(',').map(one => one.trim());
    return unmetDemands({ matchExpressions: [{ key: labelName.trim(), operator: 'In', values }] }, labels);
  });
}
