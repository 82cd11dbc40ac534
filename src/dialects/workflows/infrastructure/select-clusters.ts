import { selectorTest, type LabelSelector } from '../../../api/label-selector.ts';
import type { ResolvedCluster } from './resolved-cluster.ts';

/** The fields of an InfrastructureDefinition that choose clusters, after their expressions were rendered. */
export interface ClusterSelection {
  readonly clusterSelectionCriteria?: readonly Criterion[];
  readonly clusterSelector?: LabelSelector;
  readonly clusterNames?: readonly string[];
  readonly exclude?: { readonly clusterNames?: readonly string[]; readonly selector?: LabelSelector };
  readonly allowAllClusters?: boolean;
}

export interface Criterion {
  readonly labelName: string;
  /** Separated by commas: one of them. */
  readonly labelValues: string;
}

type Test = (cluster: ResolvedCluster) => boolean;

/** The clusters that fulfil everything, in their order. */
export function selectClusters<T extends ResolvedCluster>(selection: ClusterSelection, clusters: readonly T[]): T[] {
  const tests = [...criteriaTests(selection), ...otherTests(selection)];
  const isExcluded = exclusionTest(selection.exclude);
  return clusters.filter(cluster => tests.every(test => test(cluster)) && !isExcluded(cluster));
}

/** Whether nothing chooses, so that every cluster would be chosen though nobody said that all are meant. */
export function isEmptySelection(selection: ClusterSelection): boolean {
  if (selection.allowAllClusters === true) return false;
  const { clusterSelectionCriteria: criteria = [] } = selection;
  if (criteria.length > 0) return criteria.every(isBlank);
  return (selection.clusterNames ?? []).length === 0 && !demands(selection.clusterSelector);
}

export const emptySelectionMessage =
  'The cluster selection criteria are empty and would select every cluster: set allowAllClusters to mean that';

function criteriaTests({ clusterSelectionCriteria: criteria = [], allowAllClusters = false }: ClusterSelection): Test[] {
  // Where all are meant, criteria that variables left blank ask for nothing. Elsewhere a blank one matches no cluster.
  if (allowAllClusters && criteria.every(isBlank)) return [];
  return criteria.map(({ labelName, labelValues }) => {
    const name = labelName.trim();
    const values = new Set(valuesOf(labelValues));
    return ({ labels }) => Object.hasOwn(labels, name) && values.has(labels[name]!);
  });
}

function otherTests({ clusterSelector, clusterNames = [] }: ClusterSelection): Test[] {
  const tests: Test[] = [];
  if (clusterSelector && demands(clusterSelector)) {
    const matches = selectorTest(clusterSelector);
    tests.push(({ labels }) => matches(labels));
  }
  if (clusterNames.length > 0) tests.push(namedTest(clusterNames));
  return tests;
}

function exclusionTest({ clusterNames = [], selector }: NonNullable<ClusterSelection['exclude']> = {}): Test {
  const isNamed = namedTest(clusterNames);
  const matches = selector && demands(selector) ? selectorTest(selector) : () => false;
  return cluster => isNamed(cluster) || matches(cluster.labels);
}

/** By what people call it, or by its id. */
export function namedTest(names: readonly string[]): (cluster: Pick<ResolvedCluster, 'id' | 'name'>) => boolean {
  const wanted = new Set(names);
  return ({ id, name }) => wanted.has(name) || wanted.has(id);
}

const valuesOf = (text: string): string[] =>
  text
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '');

const isBlank = ({ labelName, labelValues }: Criterion): boolean => labelName.trim() === '' || valuesOf(labelValues).length === 0;

const demands = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean =>
  Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
