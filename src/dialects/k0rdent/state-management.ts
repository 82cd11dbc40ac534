import { withConditions } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { defaultProvider, k0rdentLabels } from './kinds/group.ts';
import { StateManagementProvider } from './kinds/management.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import { selectorMatches } from '../../api/label-selector.ts';

export interface StateManagementDeps {
  readonly hub: KubeClient;
  readonly providers: Informer<StateManagementProvider>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-providers';

/** The labels of the ServiceSets that Drover delivers, which k0rdent's own controller would. */
export const builtInLabels = { [k0rdentLabels.adapter]: 'kcm-controller-manager' } as const;

const conditionTypes = ['AdapterReady', 'ProvisionerCRDsReady', 'ProvisionerReady', 'RBACReady', 'Ready'] as const;

/** Whether Drover is what delivers for the provider: the built-in one, or another whose ServiceSets are the same. */
export function isBuiltIn({ metadata, spec }: StateManagementProvider): boolean {
  return metadata.name === defaultProvider || (spec.selector !== undefined && selectorMatches(spec.selector, builtInLabels));
}

export function providerStatus(provider: StateManagementProvider, now: Date): NonNullable<StateManagementProvider['status']> {
  const ready = isBuiltIn(provider);
  const said = ready
    ? { status: 'True' as const, reason: 'Succeeded', message: 'Drover delivers' }
    : {
        status: 'False' as const,
        reason: 'Failed',
        message: `no adapter delivers for its selector; ServiceSets with the label ${k0rdentLabels.adapter}=kcm-controller-manager are delivered`,
      };
  const { generation } = provider.metadata;
  const reports = conditionTypes.map(type => ({ type, ...said }));
  return {
    ready,
    conditions: withConditions(provider.status?.conditions, reports, { now, generation }),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

/** Says of providers whether somebody delivers for them. */
export function runStateManagement({ hub, providers, signal }: StateManagementDeps): RunningController {
  return runController({ name: 'k0rdent-providers', reconcile }, { triggers: [changesOf(providers)], signal, firstDelayMs: 500 });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const provider = providers.get(key);
    if (!provider || provider.metadata.deletionTimestamp !== undefined) return settled;
    const options = { fieldManager, signal: ctx.signal };
    await markObject(hub, StateManagementProvider, provider, { labels: componentLabels }, options);
    await reportStatus(hub, StateManagementProvider, provider, providerStatus(provider, ctx.now), options);
    return settled;
  }
}
