import { withReadiness } from '../../../api/conditions.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { errorText } from '../../../util/error-text.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { DeployFreeze } from '../kinds/deploy-freeze.ts';
import type { FreezeDesk } from './freeze-desk.ts';
import { judgeFreezes, timesOf } from './judge-freezes.ts';

export function freezeDesk(freezes: Informer<DeployFreeze>): FreezeDesk {
  return {
    synced: freezes.synced,
    freezeFor: (subject, now) => judgeFreezes(freezes.list(), subject, now),
    onChange: listener => freezes.subscribe(listener),
  };
}

const fieldManager = 'drover-freezes';
/** Timers cannot wait longer. */
const longestWaitMs = 86_400_000;

/** Says of every freeze whether it counts now. */
export function runFreezes({
  hub,
  freezes,
  signal,
}: {
  hub: KubeClient;
  freezes: Informer<DeployFreeze>;
  signal: AbortSignal;
}): RunningController {
  return runController({ name: 'workflow-freezes', reconcile }, { triggers: [changesOf(freezes)], signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const freeze = freezes.get(key);
    if (!freeze || freeze.metadata.deletionTimestamp !== undefined) return settled;
    const { generation } = freeze.metadata;
    const seen = lookAt(freeze, ctx.now.getTime());
    const isReadable = seen.problem === undefined;
    const report = {
      type: 'Ready',
      status: isReadable ? ('True' as const) : ('False' as const),
      reason: isReadable ? 'Readable' : 'InvalidRule',
      message: seen.problem ?? 'The freeze is understood',
    };
    const status = {
      active: seen.active,
      ...(seen.changeMs !== undefined && { nextChange: timestamp(new Date(seen.changeMs)) }),
      conditions: withReadiness(freeze.status?.conditions, [report], {
        course: isReadable ? undefined : 'Stalled',
        now: ctx.now,
        generation,
      }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    await hub.apply(DeployFreeze, { metadata: { name: key }, status }, { subresource: 'status', fieldManager, signal: ctx.signal });
    return seen.changeMs === undefined ? settled : requeue(Math.min(longestWaitMs, seen.changeMs - ctx.now.getTime()));
  }
}

function lookAt(freeze: DeployFreeze, nowMs: number): { active: boolean; changeMs?: number; problem?: string } {
  try {
    const times = timesOf(freeze);
    const span = times.at(nowMs);
    const changeMs = span ? span.endMs : times.nextStart(nowMs);
    return { active: span !== undefined, ...(changeMs !== undefined && Number.isFinite(changeMs) && { changeMs }) };
  } catch (error) {
    return { active: freeze.spec.kind === 'Deny', problem: errorText(error) };
  }
}
