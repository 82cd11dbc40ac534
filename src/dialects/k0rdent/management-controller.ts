import { withConditions, type ConditionReport } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { Management } from './kinds/management.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';

export interface ManagementDeps {
  readonly hub: KubeClient;
  readonly managements: Informer<Management>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-management';
const isReady: ConditionReport = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Object is ready' };

/** Says of the Management that it is there: the hub itself is all that would be installed. */
export function runManagement({ hub, managements, signal }: ManagementDeps): RunningController {
  return runController({ name: 'k0rdent-management', reconcile }, { triggers: [changesOf(managements)], signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const management = managements.get(key);
    if (!management || management.metadata.deletionTimestamp !== undefined) return settled;
    const options = { fieldManager, signal: ctx.signal };
    const { generation } = management.metadata;
    await markObject(hub, Management, management, { labels: componentLabels }, options);
    const status = {
      release: management.spec.release,
      conditions: withConditions(management.status?.conditions, [isReady], { now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    await reportStatus(hub, Management, management, status, options);
    return settled;
  }
}
