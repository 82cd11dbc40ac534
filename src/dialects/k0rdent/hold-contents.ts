import type { KubeClient } from '../../client/kube-client.ts';
import * as core from '../../core/contents/hold-contents.ts';
import type { RunningController } from '../../runtime/controller.ts';
import { contentAnnotation } from './template-content.ts';

const holder = 'k0rdent';

/** Keeps a Content from being collected though no Work names it. False when there is none. */
export const holdContent = (hub: KubeClient, digest: string, signal: AbortSignal): Promise<boolean> =>
  core.holdContent(hub, holder, digest, signal);

/** Lets Contents go that no template and no source names any more. */
export const runHeldContents = (deps: Omit<core.HeldContentsDeps, 'holder' | 'digestsOf'>): RunningController =>
  core.runHeldContents({
    ...deps,
    holder,
    digestsOf({ metadata }) {
      const digest = metadata.annotations?.[contentAnnotation];
      return digest === undefined ? [] : [digest];
    },
  });
