import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager } from '../../api/work.ts';
import { judgeHook } from '../delivery/judge-hook.ts';
import type { Member } from '../delivery/member.ts';
import { missingKind } from '../delivery/explain-refusal.ts';
import { refOf } from '../delivery/object-ref.ts';
import { readManifests } from '../delivery/read-manifests.ts';
import { waitHealthy } from '../delivery/wait-healthy.ts';
import type { HelmRelease, ReleaseHook } from './helm-release.ts';
import { waitGone } from './wait-gone.ts';

export interface HookObject {
  readonly kind: KindRef;
  readonly obj: KubeObject;
}

interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What the manifest of a hook says, with names and namespaces as the member will have them. */
export async function hookObjects(
  member: Member,
  { name, namespace }: HelmRelease,
  hook: ReleaseHook,
  signal: AbortSignal,
): Promise<HookObject[]> {
  const objects = await readManifests(member, hook.manifest, { namespace, owner: { release: { name, namespace } }, signal });
  const found: HookObject[] = [];
  for (const obj of objects) {
    const kind = await member.kinds.find(refOf(obj), signal);
    if (!kind) throw missingKind('apply', refOf(obj));
    found.push({ kind, obj });
  }
  return found;
}

/** Those objects of a hook that are on the member and may be deleted there, whoever created them. */
export async function presentHookObjects(
  member: Member,
  release: HelmRelease,
  hook: ReleaseHook,
  signal: AbortSignal,
): Promise<HookObject[]> {
  // As Helm: with a definition everything that was made by it would go as well.
  if (hook.kind === 'CustomResourceDefinition') return [];
  const found: HookObject[] = [];
  for (const { kind, obj } of await hookObjects(member, release, hook, signal)) {
    const { namespace, name = '' } = obj.metadata;
    const present = await member.client.get(kind, { namespace, name }, { signal });
    if (present) found.push({ kind, obj: { ...present, apiVersion: apiVersionOf(kind), kind: kind.kind } });
  }
  return found;
}

/** Deletes an object and waits until it is gone. */
export async function deleteHookObject(member: Member, { kind, obj }: HookObject, { timeoutMs, signal }: WaitOptions): Promise<void> {
  const { namespace, name = '', uid } = obj.metadata;
  try {
    const options = { propagationPolicy: 'Background', ...(uid !== undefined && { preconditions: { uid } }), signal } as const;
    await member.client.delete(kind, { namespace, name }, options);
  } catch (error) {
    // Somebody else deleted it and created another one.
    if (!(error instanceof StatusError && error.code === 409)) throw error;
  }
  await waitGone(member, kind, obj, { timeoutMs, signal });
}

/** Waits until Jobs and Pods have come to their end. What a watch still knows of objects of the same name does not count. */
export async function waitHookEnd(member: Member, created: readonly KubeObject[], { timeoutMs, signal }: WaitOptions): Promise<void> {
  for (const one of created) {
    const { uid } = one.metadata;
    let wasSeen = false;
    await waitHealthy(member, [refOf(one)], {
      timeoutMs,
      signal,
      judge(obj) {
        if (obj?.metadata.uid === uid) {
          wasSeen = true;
          return judgeHook(obj);
        }
        return wasSeen
          ? { health: 'Failed', message: 'it was deleted before it had ended' }
          : { health: 'InProgress', message: 'not seen yet' };
      },
    });
  }
}

/** How long a Job that would go by itself stays until its end was written down: without its object nobody could say that it ran. */
const leastLifetimeSeconds = 3600;

const lifetimeOf = ({ spec }: KubeObject): number | undefined =>
  (spec as { ttlSecondsAfterFinished?: number } | undefined)?.ttlSecondsAfterFinished;

const isShortLived = (obj: KubeObject): boolean => obj.kind === 'Job' && (lifetimeOf(obj) ?? Infinity) < leastLifetimeSeconds;

export function withLongLife(obj: KubeObject): KubeObject {
  if (!isShortLived(obj)) return obj;
  return { ...obj, spec: { ...(obj['spec'] as object), ttlSecondsAfterFinished: leastLifetimeSeconds } };
}

/** Gives a Job the lifetime that the chart says, once its end is written down. */
export async function restoreLifetime({ client }: Member, { kind, obj }: HookObject, signal: AbortSignal): Promise<void> {
  if (!isShortLived(obj)) return;
  const { namespace, name = '' } = obj.metadata;
  const body = { spec: { ttlSecondsAfterFinished: lifetimeOf(obj) ?? 0 } };
  try {
    await client.patch(kind, { namespace, name }, { type: 'merge', body }, { fieldManager: deliveryManager, signal });
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
