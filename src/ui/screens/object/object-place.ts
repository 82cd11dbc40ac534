import { useParams } from 'wouter';
import { hub, kindKey, type Kind } from '../../data/kinds.ts';
import { useKind } from '../explore/explore.tsx';

export interface ObjectAt {
  readonly kind: Kind;
  readonly cluster: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly tab: string;
  /** Its address on this page. */
  readonly base: string;
}

/** The object that the address names; undefined while its kind is looked for. */
export function useObjectAt(): ObjectAt | undefined {
  const params = useParams<Record<string, string>>();
  const decoded = (name: string) => decodeURIComponent(params[name] ?? '');
  const group = decoded('group') === 'core' ? '' : decoded('group');
  const cluster = decoded('cluster') || hub;
  const kind = useKind({ group, version: decoded('version'), plural: decoded('plural') }, cluster);
  if (kind === 'looking') return undefined;
  const namespace = decoded('ns') === '_' ? undefined : decoded('ns');
  const name = decoded('name');
  const base = `/explore/${kindKey(kind)}/${[cluster, namespace ?? '_', name].map(encodeURIComponent).join('/')}`;
  return { kind, cluster, namespace, name, tab: params['*'] ?? '', base };
}

/** Kinds that have pods, or are pods. */
export const withLogs: ReadonlySet<string> = new Set([
  'pods',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'jobs.batch',
]);
