/** A vocabulary that people bring along: whose words they are, and by which groups of the API they are spoken. */
export interface Dialect {
  readonly name: string;
  readonly groups: readonly RegExp[];
  /** Whether its kinds are those of members, and the hub has none. */
  readonly isOfMembers?: true;
}

/** The first that fits. */
export const dialects: readonly Dialect[] = [
  { name: 'Drover', groups: [/^drover\.io$/] },
  { name: 'Workflows', groups: [/^delivery\.drover\.io$/] },
  { name: 'k0rdent', groups: [/\.k0rdent\.mirantis\.com$/, /^k0rdent\.mirantis\.com$/] },
  { name: 'Flux', groups: [/\.toolkit\.fluxcd\.io$/] },
  { name: 'Fleet', groups: [/^fleet\.cattle\.io$/] },
  { name: 'Rancher', groups: [/\.cattle\.io$/] },
  { name: 'Harvester', groups: [/(^|\.)harvesterhci\.io$/, /(^|\.)kubevirt\.io$/], isOfMembers: true },
  { name: 'Karmada', groups: [/\.karmada\.io$/] },
  { name: 'KubeFed', groups: [/\.kubefed\.io$/] },
  { name: 'Cluster API', groups: [/(^|\.)cluster\.x-k8s\.io$/] },
  { name: 'Multi-cluster services', groups: [/^multicluster\.x-k8s\.io$/] },
  { name: 'Istio', groups: [/\.istio\.io$/] },
];

/** Whose word a group of the API is; undefined for those of Kubernetes itself. */
export const dialectOf = (group: string): string | undefined =>
  dialects.find(({ groups }) => groups.some(pattern => pattern.test(group)))?.name;
