import { goQuote } from '../../util/go-quote.ts';
import { kustomizeFacts } from './facts.ts';

export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What names a resource: its kind, name and namespace, as far as they are known. */
export interface ResId extends Gvk {
  readonly name: string;
  readonly namespace: string;
  readonly isClusterScoped: boolean;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const at = apiVersion.indexOf('/');
  return at < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
}

export const apiVersionOf = ({ group, version }: Gvk): string => (group === '' ? version : `${group}/${version}`);

export const gvkText = ({ group, version, kind }: Gvk): string => `${kind || '[noKind]'}.${version || '[noVer]'}.${group || '[noGrp]'}`;

export const idText = (id: ResId): string => `${gvkText(id)}/${id.name || '[noName]'}.${id.namespace || '[noNs]'}`;

/** As Go's `%#v` prints it. */
export function goSyntaxOfId({ group, version, kind, isClusterScoped, name, namespace }: ResId): string {
  const gvk = `resid.Gvk{Group:${goQuote(group)}, Version:${goQuote(version)}, Kind:${goQuote(kind)}, isClusterScoped:${isClusterScoped}}`;
  return `resid.ResId{Gvk:${gvk}, Name:${goQuote(name)}, Namespace:${goQuote(namespace)}}`;
}

export const sameGvk = (a: Gvk, b: Gvk): boolean => a.group === b.group && a.version === b.version && a.kind === b.kind;

/** Whether a kind is one of those a selector means; what the selector leaves empty fits all. */
export function isSelected(gvk: Gvk, selector: Gvk): boolean {
  if (selector.group !== '' && gvk.group !== selector.group) return false;
  if (selector.version !== '' && gvk.version !== selector.version) return false;
  return selector.kind === '' || gvk.kind === selector.kind;
}

/** Stands for the namespace of what has none. */
export const notANamespace = '_non_namespaceable_';

export function effectiveNamespace({ isClusterScoped, namespace }: ResId): string {
  if (isClusterScoped) return notANamespace;
  return namespace === '' ? 'default' : namespace;
}

export const sameNameAndKind = (a: ResId, b: ResId): boolean => a.name === b.name && sameGvk(a, b);

export const sameId = (a: ResId, b: ResId): boolean => sameNameAndKind(a, b) && effectiveNamespace(a) === effectiveNamespace(b);

/** The kinds that come first and last when resources, or rules about them, are sorted. */
export const orderFirst: readonly string[] = [
  'Namespace',
  'ResourceQuota',
  'StorageClass',
  'CustomResourceDefinition',
  'ServiceAccount',
  'PodSecurityPolicy',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'Endpoints',
  'Service',
  'LimitRange',
  'PriorityClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
];
export const orderLast: readonly string[] = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

export function kindRanks(first: readonly string[], last: readonly string[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  first.forEach((kind, i) => ranks.set(kind, i - first.length));
  last.forEach((kind, i) => ranks.set(kind, i + 1));
  return ranks;
}

const usualRanks = kindRanks(orderFirst, orderLast);

export const gvkSortText = ({ group, version, kind }: Gvk): string => `${group || '~G'}_${version || '~V'}_${kind || '~K'}`;

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function compareGvk(a: Gvk, b: Gvk): number {
  const ranks = (usualRanks.get(a.kind) ?? 0) - (usualRanks.get(b.kind) ?? 0);
  return ranks !== 0 ? ranks : compareText(gvkSortText(a), gvkSortText(b));
}

export const builtinClusterScoped: ReadonlySet<string> = new Set(kustomizeFacts.clusterScoped);
