import { baseName } from '../go/base-name.ts';
import { compareText } from '../go/go-bytes.ts';
import { readHead, type Head } from './manifest-head.ts';

export interface Manifest {
  /** The template it came from. */
  readonly path: string;
  readonly content: string;
  readonly kind: string;
}

export interface Hook extends Manifest {
  readonly name: string;
  readonly events: readonly string[];
  readonly weight: number;
  readonly deletePolicies: readonly string[];
  readonly outputLogPolicies: readonly string[];
}

const hookEvents = new Set([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
]);

/** Kinds in the order in which they are installed; all others come after them by name. */
export const installOrder: readonly string[] = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

const rank = new Map(installOrder.map((kind, i) => [kind, i]));

function byKind(a: Manifest, b: Manifest): number {
  const first = rank.get(a.kind);
  const second = rank.get(b.kind);
  if (first === undefined && second === undefined) return compareText(a.kind, b.kind);
  return (first ?? Infinity) - (second ?? Infinity);
}

/** The documents of all rendered files, hooks apart, each in the order of installation. Throws when one is no YAML. */
export function sortManifests(files: ReadonlyMap<string, string>): { hooks: Hook[]; manifests: Manifest[] } {
  const hooks: Hook[] = [];
  const manifests: Manifest[] = [];
  for (const path of [...files.keys()].sort(compareText)) {
    if (baseName(path).startsWith('_')) continue;
    for (const content of splitDocuments(files.get(path)!)) {
      const head = readHead(path, content);
      const manifest = { path, content, kind: head.kind };
      const events = head.annotations['helm.sh/hook'];
      if (events === undefined) manifests.push(manifest);
      else {
        const hook = hookOf(manifest, head, events);
        if (hook) hooks.push(hook);
      }
    }
  }
  return { hooks: hooks.sort(byKind), manifests: manifests.sort(byKind) };
}

/** Documents of a file; what lies between separators and is empty does not count. */
export function splitDocuments(text: string): string[] {
  return trimStart(text)
    .split(/^---[ \t]*/m)
    .filter(document => trimStart(document) !== '')
    .map(trimStart);
}

const trimStart = (text: string): string => text.replace(/^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, '');

const words = (text: string | undefined): string[] => (text === undefined ? [] : text.split(',').map(word => word.trim().toLowerCase()));

function hookOf(manifest: Manifest, { name, annotations }: Head, types: string): Hook | undefined {
  const events = words(types).map(event => (event === 'test-success' ? 'test' : event));
  if (!events.every(event => hookEvents.has(event))) return undefined;
  const weight = annotations['helm.sh/hook-weight'] ?? '';
  return {
    ...manifest,
    name,
    events,
    weight: /^[+-]?[0-9]+$/.test(weight) ? Number(weight) : 0,
    deletePolicies: words(annotations['helm.sh/hook-delete-policy']),
    outputLogPolicies: words(annotations['helm.sh/hook-output-log-policy']),
  };
}
