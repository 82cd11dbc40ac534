import { ClusterRole, Namespace } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { informer } from '../../../runtime/informer.ts';
import { jsonEqual } from '../../../util/json.ts';
import { accessAnnotations } from './access-names.ts';
import type { ProjectNamespace } from './compile-quota.ts';
import type { PolicyRule } from './rbac-objects.ts';

/** What access to a member depends on, as the member has it. */
export interface FollowedMember extends Disposable {
  readonly client: KubeClient;
  /** Undefined until all have been seen once. */
  namespacesOf(project: string): ProjectNamespace[] | undefined;
  /** What its ClusterRole `view` permits; undefined until that is known. */
  viewRules(): PolicyRule[] | undefined;
}

export interface FollowOptions {
  /** The id of the cluster. */
  readonly id: string;
  /** Whether anybody needs to know what its ClusterRole `view` permits. */
  readonly wantsView: boolean;
  /** All namespaces are known. */
  onKnown(): void;
  /** A namespace has come to a project, has gone from it, or is another now. */
  onProject(project: string): void;
  onView(): void;
  onError(error: unknown): void;
}

const kept = [accessAnnotations.project, accessAnnotations.quota, accessAnnotations.containerLimit];

export function followMember(client: KubeClient, options: FollowOptions): FollowedMember {
  const { id, wantsView, onKnown, onProject, onView, onError } = options;
  const ended = new AbortController();
  const { signal } = ended;
  const projectOf = (namespace: Namespace): string[] => {
    const annotation = namespace.metadata.annotations?.[accessAnnotations.project] ?? '';
    return annotation.startsWith(`${id}:`) ? [annotation.slice(id.length + 1)] : [];
  };
  const namespaces = informer(client, Namespace, { signal, keep: keepOfNamespace, indexes: { project: projectOf }, onError });
  namespaces.subscribe(({ object, old }) => {
    if (!namespaces.hasSynced || (old && jsonEqual(factsOf(object), factsOf(old)) && namespaces.get(object.metadata.name!))) return;
    for (const project of new Set([...projectOf(object), ...(old ? projectOf(old) : [])])) onProject(project);
  });
  namespaces.synced.then(onKnown, () => {});
  const view = wantsView
    ? informer(client, ClusterRole, { signal, fieldSelector: 'metadata.name=view', keep: keepOfRole, onError })
    : undefined;
  view?.subscribe(({ object, old }) => {
    if (!jsonEqual(object.rules, old?.rules)) onView();
  });

  return {
    client,
    namespacesOf: project => (namespaces.hasSynced ? namespaces.by('project', project).map(toProjectNamespace) : undefined),
    viewRules: () => (view?.hasSynced ? (view.get('view')?.rules ?? []) : undefined),
    [Symbol.dispose]: () => ended.abort(),
  };
}

/** Namespaces that are going take no more bindings. */
function keepOfNamespace({ apiVersion, kind, metadata }: Namespace): Namespace {
  const { name = '', uid = '', resourceVersion = '', creationTimestamp = '', annotations = {}, deletionTimestamp } = metadata;
  const own = deletionTimestamp === undefined ? kept.filter(key => annotations[key] !== undefined) : [];
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, creationTimestamp, annotations: Object.fromEntries(own.map(key => [key, annotations[key]!])) },
  };
}

function keepOfRole({ apiVersion, kind, metadata, rules = [] }: ClusterRole): ClusterRole {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion }, rules };
}

const factsOf = ({ metadata }: Namespace) => [metadata.uid, metadata.annotations];

const toProjectNamespace = ({ metadata }: Namespace): ProjectNamespace => ({
  name: metadata.name!,
  createdAt: metadata.creationTimestamp ?? '',
  annotations: metadata.annotations ?? {},
});
