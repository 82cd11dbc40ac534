/** A cluster as a provider tells of it. */
export interface ResolvedCluster {
  /** The id of the Cluster of the hub, also the namespace of its Works. */
  readonly id: string;
  /** What people call it; not always unique, and not always the name of the Cluster of the hub. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

type Named = Pick<ResolvedCluster, 'id' | 'name'>;

/** What logs call clusters: by name, and where two have the same, by id as well. In the order of the provider. */
export function clusterTitles(clusters: readonly Named[]): string[] {
  const counts = new Map<string, number>();
  for (const { name } of clusters) counts.set(name, (counts.get(name) ?? 0) + 1);
  return clusters.map(({ id, name }) => (counts.get(name)! > 1 ? `${name} (${id})` : name));
}

/** `[a, b]`, as logs and messages have it. */
export const clustersInWords = (clusters: readonly Named[]): string => `[${clusterTitles(clusters).join(', ')}]`;

/** The value of `${rancher.clusters}`. */
export const clustersExpression = (clusters: readonly Named[]): string => clusterTitles(clusters).join(',');
