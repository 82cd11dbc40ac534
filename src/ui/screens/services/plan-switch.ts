import type { MultiClusterService } from './service-kinds.ts';

/** What a service delivered by before it was made to only plan. */
const modeBefore = 'drover.io/sync-mode-before-plan';

/** The merge patch that lets a service only plan, or deliver as it did before. It goes where the mode is read: a config makes the older fields void. */
export function planSwitch({ metadata, spec }: MultiClusterService, wantsPlan: boolean): object {
  const { provider, syncMode } = spec.serviceSpec ?? {};
  const config = provider?.config as { syncMode?: string } | undefined;
  const hasConfig = config !== undefined || Boolean(provider?.name);
  const present = hasConfig ? config?.syncMode : syncMode;
  const mode = wantsPlan ? 'DryRun' : (metadata.annotations?.[modeBefore] ?? 'Continuous');
  const remembered = wantsPlan ? (present !== undefined && present !== 'DryRun' ? present : null) : null;
  return {
    metadata: { annotations: { [modeBefore]: remembered } },
    spec: { serviceSpec: hasConfig ? { provider: { config: { syncMode: mode } } } : { syncMode: mode } },
  };
}
