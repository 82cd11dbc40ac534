import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import { reloadManager, workAnnotations } from '../../api/work.ts';
import { log } from '../../runtime/log.ts';
import { printJson, sortKeys, type Json } from '../../util/json.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import { mountedRefs } from './mounted-refs.ts';

const workloads = new Set(['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet']);
/** Several may change at once. */
const gatherMs = 500;
const retryMs = 5_000;

/**
 * Follows workloads and what their pods use, and restarts a workload when that changes. What it was when it was last looked at is in an annotation of the
 * workload, so that a change that nobody was there to see is noticed too.
 */
export function reloadWorkloads(member: Member, refs: Iterable<ObjectRef>, signal: AbortSignal): void {
  for (const ref of refs) if (workloads.has(`${ref.group}/${ref.kind}`)) followWorkload(member, ref, signal);
}

function followWorkload(member: Member, ref: ObjectRef, signal: AbortSignal): void {
  const mounted = new Map<string, { readonly following: Disposable; state?: { readonly obj: KubeObject | undefined } }>();
  let workload: KubeObject | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  const following = member.watches.follow(ref, obj => {
    workload = obj;
    followMounted(obj ? mountedRefs(obj) : []);
    lookIn(gatherMs);
  });
  signal.addEventListener(
    'abort',
    () => {
      clearTimeout(timer);
      following[Symbol.dispose]();
      followMounted([]);
    },
    { once: true },
  );

  function followMounted(wanted: readonly ObjectRef[]): void {
    const keys = new Set(wanted.map(refKey));
    for (const [key, one] of mounted) {
      if (keys.has(key)) continue;
      one.following[Symbol.dispose]();
      mounted.delete(key);
    }
    for (const one of wanted) {
      const key = refKey(one);
      if (mounted.has(key)) continue;
      const entry: { following: Disposable; state?: { obj: KubeObject | undefined } } = {
        following: member.watches.follow(one, obj => {
          entry.state = { obj };
          lookIn(gatherMs);
        }),
      };
      mounted.set(key, entry);
    }
  }

  function lookIn(ms: number): void {
    if (!signal.aborted) timer ??= setTimeout(look, ms).unref();
  }

  function look(): void {
    timer = undefined;
    if (isBusy || !workload || workload.metadata.deletionTimestamp !== undefined) return;
    if ([...mounted.values()].some(({ state }) => state === undefined)) return;
    const digest = digestOf(new Map([...mounted].map(([key, { state }]) => [key, state!.obj])));
    const before = workload.metadata.annotations?.[workAnnotations.mounted];
    if (before === digest || (before === undefined && mounted.size === 0)) return;
    isBusy = true;
    mark(member, workload, { digest, mustRestart: before !== undefined }, signal)
      .catch((err: unknown) => {
        if (signal.aborted) return;
        log.warn('workload not restarted', { cluster: member.name, kind: ref.kind, name: ref.name, err });
        lookIn(retryMs);
      })
      .finally(() => {
        isBusy = false;
      });
  }
}

/** What pods see of the objects they use; one that is missing counts as such. */
function digestOf(objects: ReadonlyMap<string, KubeObject | undefined>): string {
  const contents = [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, obj]) => [key, contentOf(obj)]);
  return createHash('sha256')
    .update(printJson(sortKeys(contents as Json)))
    .digest('hex')
    .slice(0, 32);
}

function contentOf(obj: KubeObject | undefined): Json {
  if (!obj) return null;
  const { data = null, binaryData = null } = obj as { data?: Json; binaryData?: Json };
  return [data, binaryData];
}

/** Pods are replaced when their template changes, as with `kubectl rollout restart`. A restart keeps the mark on the pods, so that the next one differs. */
async function mark(
  member: Member,
  workload: KubeObject & { spec?: { template?: KubeObject } },
  { digest, mustRestart }: { readonly digest: string; readonly mustRestart: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { metadata, spec } = workload;
  const annotations = { [workAnnotations.mounted]: digest };
  const onPods = mustRestart ? digest : spec?.template?.metadata?.annotations?.[workAnnotations.mounted];
  const found = await member.kinds.find(refOf(workload), signal);
  if (!found) return;
  const { name = '', namespace, uid } = metadata;
  await member.client.apply(
    found,
    {
      metadata: { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }), annotations },
      ...(onPods !== undefined && { spec: { template: { metadata: { annotations: { [workAnnotations.mounted]: onPods } } } } }),
    } as never,
    { fieldManager: reloadManager, force: true, signal },
  );
}
