import { withConditions, type ConditionReport } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { componentsStatus } from './components.ts';
import { singleton } from './kinds/group.ts';
import { Management, type Release } from './kinds/management.ts';
import type { ProviderTemplate } from './kinds/template.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';

export interface ManagementDeps {
  readonly hub: KubeClient;
  readonly managements: Informer<Management>;
  readonly releases: Informer<Release>;
  readonly providerTemplates: Informer<ProviderTemplate>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-management';
const isReady: ConditionReport = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Object is ready' };

/** Says of the Management that it is there: the hub itself is all that would be installed. */
export function runManagement({ hub, managements, releases, providerTemplates, signal }: ManagementDeps): RunningController {
  const it = () => [singleton];
  const triggers = [changesOf(managements), changesOf(releases, it), changesOf(providerTemplates, it)];
  return runController({ name: 'k0rdent-management', reconcile }, { triggers, signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const management = managements.get(key);
    if (!management || management.metadata.deletionTimestamp !== undefined) return settled;
    const options = { fieldManager, signal: ctx.signal };
    const { generation } = management.metadata;
    await markObject(hub, Management, management, { labels: componentLabels }, options);
    const status = {
      release: management.spec.release,
      ...componentsStatus(management.spec, releases.get(management.spec.release), name => providerTemplates.get(name)),
      conditions: withConditions(management.status?.conditions, [isReady], { now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    await reportStatus(hub, Management, management, status, options);
    return settled;
  }
}
