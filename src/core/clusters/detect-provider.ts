import type { Node } from '../../api/builtin-kinds.ts';

interface Signs {
  readonly version: string | undefined;
  readonly nodes: readonly Node[];
  /** API groups that the cluster serves. */
  readonly groups: ReadonlySet<string>;
}

const hasGroup =
  (ending: string) =>
  ({ groups }: Signs) =>
    [...groups].some(group => group === ending || group.endsWith(`.${ending}`));
const versionSays =
  (pattern: RegExp) =>
  ({ version = '' }: Signs) =>
    pattern.test(version);
const nodeHas =
  (isSign: (node: Node) => boolean) =>
  ({ nodes }: Signs) =>
    nodes.some(isSign);
const label = (node: Node, start: string) => Object.keys(node.metadata.labels ?? {}).some(key => key.startsWith(start));

// What runs on top comes first: Harvester is built on RKE2, and OpenShift runs in every cloud.
const providers: readonly [name: string, isIt: (signs: Signs) => boolean][] = [
  ['harvester', hasGroup('harvesterhci.io')],
  ['openshift', hasGroup('config.openshift.io')],
  ['rke2', versionSays(/\+rke2/)],
  ['k3s', versionSays(/\+k3s/)],
  ['eks', versionSays(/-eks-/)],
  ['gke', versionSays(/-gke\./)],
  ['aks', nodeHas(node => label(node, 'kubernetes.azure.com/cluster'))],
  ['eks', nodeHas(node => label(node, 'eks.amazonaws.com/'))],
  ['gke', nodeHas(node => label(node, 'cloud.google.com/gke-'))],
  ['kwok', nodeHas(node => node.metadata.annotations?.['kwok.x-k8s.io/node'] !== undefined)],
];

/** The distribution of a cluster, or undefined where nothing tells. */
export function detectProvider(signs: Signs): string | undefined {
  return providers.find(([, isIt]) => isIt(signs))?.[0];
}
