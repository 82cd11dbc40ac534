import { ClusterRole, ClusterRoleBinding, Namespace, Role, RoleBinding } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, type Trigger } from '../../../runtime/controller.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { withoutManagedFields } from '../rancher-objects.ts';
import { accessAnnotations, accessLabels, accessManager } from './access-names.ts';

/** Objects of the hub that follow from one thing: a role, a binding, a cluster, a project. Its scope, such as `cluster/c-m-abcdefgh`, stands on each of them. */
export interface HubSets {
  /** Makes the objects of a scope those that are wanted, and no others. One that cannot be made does not keep the others back; its error is thrown at the end. */
  ensure(scope: string, wanted: readonly KubeObject[], signal: AbortSignal): Promise<void>;
  /** Hears of scopes whose objects somebody has changed, and at first of all that have any; without the part before the slash, which is given. */
  changes(ofWhat: string): Trigger[];
}

// Bindings go first and come last: a role that nobody has does no harm.
const kinds: readonly KindRef[] = [Namespace, ClusterRole, Role, ClusterRoleBinding, RoleBinding];

export function hubSets(
  hub: KubeClient,
  { signal, onError }: { signal: AbortSignal; onError(what: string): (error: unknown) => void },
): HubSets {
  const informers = new Map<string, Informer>(
    kinds.map(kind => [
      kind.kind,
      informer<KubeObject>(hub, kind, {
        signal,
        labelSelector: accessLabels.derived,
        keep: withoutManagedFields,
        indexes: { scope: obj => [scopeOf(obj)] },
        onError: onError(kind.kind),
      }),
    ]),
  );
  return { ensure, changes };

  async function ensure(scope: string, wanted: readonly KubeObject[], signal: AbortSignal): Promise<void> {
    const byKind = Map.groupBy(wanted, ({ kind }) => kind);
    const errors: unknown[] = [];
    for (const kind of kinds) {
      for (const obj of byKind.get(kind.kind) ?? []) {
        await ensureObject(kind, marked(obj, scope), signal).catch((error: unknown) => errors.push(error));
        signal.throwIfAborted();
      }
    }
    for (const kind of [...kinds].reverse()) {
      const kept = new Set((byKind.get(kind.kind) ?? []).map(keyOf));
      for (const obj of informers.get(kind.kind)!.by('scope', scope)) if (!kept.has(keyOf(obj))) await remove(kind, obj, signal);
    }
    if (errors.length > 0) throw errors[0];
  }

  async function ensureObject(kind: KindRef, obj: KubeObject, signal: AbortSignal): Promise<void> {
    const present = informers.get(kind.kind)!.get(keyOf(obj));
    if (present && isAsWanted(present, obj)) return;
    const call = { signal, fieldManager: accessManager };
    // The role of a binding cannot be changed.
    if (present && !jsonEqual(present['roleRef'], obj['roleRef'])) await remove(kind, present, signal);
    await hub.apply(kind, obj, call);
  }

  async function remove(kind: KindRef, { metadata }: KubeObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = '', uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return;
    await hub.delete(kind, { namespace, name }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
  }

  function changes(ofWhat: string): Trigger[] {
    const keysOf = (obj: KubeObject): Key[] => {
      const scope = scopeOf(obj);
      return scope.startsWith(`${ofWhat}/`) ? [scope.slice(ofWhat.length + 1)] : [];
    };
    return [...informers.values()].map(one => changesOf(one, keysOf));
  }
}

const scopeOf = ({ metadata }: KubeObject): string => metadata.annotations?.[accessAnnotations.scope] ?? '';

function marked(obj: KubeObject, scope: string): KubeObject {
  const { metadata } = obj;
  return {
    ...obj,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [accessLabels.derived]: 'true' },
      annotations: { ...metadata.annotations, [accessAnnotations.scope]: scope },
    },
  };
}

function isAsWanted(present: KubeObject, wanted: KubeObject): boolean {
  const { metadata: _, ...fields } = wanted;
  const hasAll = (have: Record<string, string> = {}, want: Record<string, string> = {}) =>
    Object.entries(want).every(([key, value]) => have[key] === value);
  return (
    present.metadata.deletionTimestamp === undefined &&
    hasAll(present.metadata.labels, wanted.metadata.labels) &&
    hasAll(present.metadata.annotations, wanted.metadata.annotations) &&
    Object.entries(fields).every(([field, value]) => field === 'apiVersion' || field === 'kind' || jsonEqual(present[field] ?? [], value))
  );
}
