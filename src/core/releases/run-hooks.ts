import type { KubeObject } from '../../api/object.ts';
import { conflict, StatusError } from '../../api/status.ts';
import { deliveryManager, workReasons } from '../../api/work.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { errorText } from '../../util/error-text.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import { explainRefusal } from '../delivery/explain-refusal.ts';
import type { Member } from '../delivery/member.ts';
import { refOf } from '../delivery/object-ref.ts';
import { retryRefused } from '../delivery/retry-refused.ts';
import type { ReleaseHook } from './helm-release.ts';
import {
  deleteHookObject,
  hookObjects,
  presentHookObjects,
  restoreLifetime,
  waitHookEnd,
  withLongLife,
  type HookObject,
} from './hook-objects.ts';
import type { OpenRecord } from './open-record.ts';
import { isPassing } from './release-error.ts';
import type { ReleaseContext } from './release-input.ts';

export type HookEvent =
  'pre-install' | 'post-install' | 'pre-upgrade' | 'post-upgrade' | 'pre-rollback' | 'post-rollback' | 'pre-delete' | 'post-delete';

/** On a hook's object: the revision that it was created for. */
export const revisionAnnotation = 'drover.io/revision';
/** On a hook's object: the event and the attempt, since one revision may run the same hook for several. */
export const runAnnotation = 'drover.io/hook-run';

interface RunHooksOptions {
  readonly timeoutMs: number;
  readonly ctx: ReleaseContext;
}

interface DueHook {
  readonly hook: ReleaseHook;
  /** Among all hooks of the release. */
  readonly index: number;
  /** Names it in the progress. */
  readonly key: string;
}

/** The hooks of an event in the order of Helm: by weight, then by name; the record has them by kind. */
export function dueHooks(hooks: readonly ReleaseHook[], event: HookEvent): DueHook[] {
  return hooks
    .map((hook, index) => ({ hook, index, key: `${event}/${index}` }))
    .filter(({ hook }) => hook.events.includes(event))
    .sort((a, b) => a.hook.weight - b.hook.weight || compare(a.hook.name, b.hook.name));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Runs the hooks of an event, one after the other, each to its end. Safe to call again after the process died anywhere: the record says which
 * hook was begun and which have ended, and the object of a hook says for which run it was created, so that none runs twice.
 */
export async function runHooks(member: Member, open: OpenRecord, event: HookEvent, { timeoutMs, ctx }: RunHooksOptions): Promise<void> {
  const { signal } = ctx;
  const due = dueHooks(open.release.hooks, event);
  const run = `${event}.${open.progress.attempt}`;
  for (const [i, one] of due.entries()) {
    if (open.progress.ended.includes(one.key)) continue;
    try {
      await runHook(one);
    } catch (error) {
      if (isPassing(error, signal)) throw error;
      await deleteByPolicy([one], 'hook-failed');
      await deleteByPolicy(due.slice(0, i), 'hook-succeeded');
      throw error;
    }
    failpoint('releases.afterHook');
  }
  await deleteByPolicy(due.toReversed(), 'hook-succeeded');

  /** One hook, from whatever state the record says it is in. */
  async function runHook({ hook, index, key }: DueHook): Promise<void> {
    if (open.progress.begun !== key) await beginHook({ hook, index, key });
    else if (hook.lastRun.phase === 'Failed') throw hookError(hook, open.progress.problem ?? 'it failed');

    const { startedAt = ctx.now().toISOString() } = open.release.hooks[index]!.lastRun;
    try {
      await createAndWait(hook);
    } catch (error) {
      if (isPassing(error, signal)) throw error;
      // Written down before its objects go: a hook that failed does not run again for this revision.
      const problem = errorText(error);
      await open.changeHook(index, { startedAt, completedAt: ctx.now().toISOString(), phase: 'Failed' }, { problem });
      throw hookError(hook, problem, error);
    }
    failpoint('releases.afterHookEnd');
    const ended = [...open.progress.ended, key];
    await open.changeHook(index, { startedAt, completedAt: ctx.now().toISOString(), phase: 'Succeeded' }, { ended, begun: undefined });
    for (const one of await hookObjects(member, open.release, hook, signal)) await restoreLifetime(member, one, signal);
  }

  /** Makes room, then writes down that the hook is about to be created. */
  async function beginHook({ hook, index, key }: DueHook): Promise<void> {
    if (policiesOf(hook).includes('before-hook-creation')) {
      for (const one of await presentHookObjects(member, open.release, hook, signal)) {
        // A process that was thought to be dead is ahead of us; the next try reads what it wrote.
        if (isOfThisRun(one.obj)) throw conflict(one.kind, one.obj.metadata.name ?? '', 'another process runs this hook');
        await deleteHookObject(member, one, { timeoutMs, signal });
      }
    }
    await open.changeHook(index, { startedAt: ctx.now().toISOString(), phase: 'Running' }, { begun: key });
    failpoint('releases.afterHookRecord');
  }

  async function createAndWait(hook: ReleaseHook): Promise<void> {
    const created: KubeObject[] = [];
    for (const one of await hookObjects(member, open.release, hook, signal)) {
      created.push((await ofThisRun(one)) ?? (await create(one)));
    }
    const { revision, status } = open.release;
    const first = created[0];
    ctx.onProgress?.({ revision, status, step: 'Hooks', ...(first && { object: refOf(first) }) });
    await waitHookEnd(member, created, { timeoutMs, signal });
  }

  async function ofThisRun({ kind, obj }: HookObject): Promise<KubeObject | undefined> {
    const { namespace, name = '' } = obj.metadata;
    const present = await member.client.get(kind, { namespace, name }, { signal });
    return present && isOfThisRun(present) ? present : undefined;
  }

  async function create(one: HookObject): Promise<KubeObject> {
    const ref = refOf(one.obj);
    try {
      const created = await retryRefused(() => createOrFind(one), { signal });
      failpoint('releases.afterHookCreate');
      return created;
    } catch (error) {
      signal.throwIfAborted();
      throw explainRefusal('apply', ref, error);
    }
  }

  async function createOrFind(one: HookObject): Promise<KubeObject> {
    try {
      return await member.client.create(one.kind, marked(withLongLife(one.obj)), { fieldManager: deliveryManager, signal });
    } catch (error) {
      // The answer of an earlier try was lost, or a process that was thought to be dead was quicker.
      const present = error instanceof StatusError && error.reason === 'AlreadyExists' ? await ofThisRun(one) : undefined;
      if (present) return present;
      throw error;
    }
  }

  /** Deletes objects of hooks whose policy says so, and only those of this very run. */
  async function deleteByPolicy(hooks: readonly DueHook[], policy: 'hook-succeeded' | 'hook-failed'): Promise<void> {
    for (const { hook } of hooks) {
      if (!policiesOf(hook).includes(policy)) continue;
      for (const one of await presentHookObjects(member, open.release, hook, signal)) {
        if (!isOfThisRun(one.obj)) continue;
        await deleteHookObject(member, one, { timeoutMs, signal });
        failpoint('releases.afterHookDelete');
      }
    }
  }

  function marks(): Record<string, string> {
    return { [revisionAnnotation]: String(open.release.revision), [runAnnotation]: run };
  }

  function marked(obj: KubeObject): KubeObject {
    return { ...obj, metadata: { ...obj.metadata, annotations: { ...obj.metadata.annotations, ...marks() } } };
  }

  function isOfThisRun({ metadata: { annotations = {} } }: KubeObject): boolean {
    return Object.entries(marks()).every(([name, value]) => annotations[name] === value);
  }
}

function hookError(hook: ReleaseHook, problem: string, cause?: unknown): DeliveryError {
  const inner = cause instanceof DeliveryError ? cause : undefined;
  const reason = inner?.reason === workReasons.timedOut ? workReasons.timedOut : workReasons.hookFailed;
  const words = `hook ${hook.path} failed`;
  return new DeliveryError(reason, cause === undefined ? `${words}: ${problem}` : words, { object: inner?.object, cause });
}

/** Helm's default. */
const policiesOf = ({ deletePolicies }: ReleaseHook): readonly string[] =>
  deletePolicies.length === 0 ? ['before-hook-creation'] : deletePolicies;
