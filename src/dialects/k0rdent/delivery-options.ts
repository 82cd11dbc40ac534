import type { DeliveryOptions, DriftExclusion, Work } from '../../api/work.ts';
import { isDuration } from '../../util/duration.ts';
import type { DeliveryConfig, SyncMode } from './effective-config.ts';
import type { HelmOptions } from './kinds/service-spec.ts';

/** The options of a template with those of a service over them, field by field. */
export function mergeHelmOptions(template: HelmOptions | undefined, service: HelmOptions | undefined): HelmOptions {
  const nested = ['labels', 'installOptions', 'upgradeOptions', 'uninstallOptions'] as const;
  const merged: Record<string, unknown> = { ...template, ...service };
  for (const name of nested) if (template?.[name] && service?.[name]) merged[name] = { ...template[name], ...service[name] };
  return merged as HelmOptions;
}

const defaultHistory = 2;
const defaultTimeout = '5m';

/** How a Work delivers what Helm would with these options, defaults included. k0rdent rolls back after a failure unless it is told not to. */
export function deliveryOptions(
  helm: HelmOptions,
  { reloader, maxConsecutiveFailures }: Pick<DeliveryConfig, 'reloader' | 'maxConsecutiveFailures'>,
): DeliveryOptions {
  const { installOptions: install, upgradeOptions: upgrade } = helm;
  return {
    wait: helm.wait ?? true,
    atomic: helm.atomic ?? true,
    hooks: !(helm.disableHooks || (install?.disableHooks && upgrade?.disableHooks)),
    crds: helm.skipCRDs ? 'Skip' : upgrade?.upgradeCRDs ? 'CreateReplace' : 'Create',
    history: upgrade?.maxHistory ?? defaultHistory,
    createNamespace: install?.createNamespace ?? helm.createNamespace ?? true,
    prune: true,
    order: 'ByKind',
    timeout: isDuration(helm.timeout) ? helm.timeout : defaultTimeout,
    force: upgrade?.force ?? false,
    takeOwnership: install?.takeOwnership || upgrade?.takeOwnership || false,
    ...(maxConsecutiveFailures !== undefined && { maxFailures: maxConsecutiveFailures }),
    ...(reloader && { reload: true }),
  };
}

/** The same for plain manifests. */
export function policyOptions(
  config: Pick<DeliveryConfig, 'reloader' | 'maxConsecutiveFailures'>,
  createNamespaces: boolean,
): DeliveryOptions {
  return { ...deliveryOptions({}, config), createNamespace: createNamespaces, createAllNamespaces: createNamespaces };
}

const syncs: Record<SyncMode, NonNullable<Work['spec']['sync']>> = {
  OneTime: 'Once',
  Continuous: 'Continuous',
  ContinuousWithDriftDetection: 'CorrectDrift',
  DryRun: 'DryRun',
};

export const syncOf = ({ syncMode }: DeliveryConfig): NonNullable<Work['spec']['sync']> => syncs[syncMode];

/** What others may change: whole objects that are ignored, and paths that are excluded. */
export function exclusionsOf({ driftIgnore, driftExclusions }: DeliveryConfig): DriftExclusion[] {
  return [
    ...driftIgnore.map(target => ({ target: { ...target }, paths: ['/*'] })),
    ...driftExclusions.map(({ paths, target }) => ({ paths: [...paths], ...(target && { target: { ...target } }) })),
  ];
}
