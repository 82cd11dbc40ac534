import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { runHeldContents } from '../../../core/contents/hold-contents.ts';
import type { RenderPool } from '../../../render/render-pool.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Egress } from '../../../sources/egress.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { ProviderClusters } from '../providers/provider-clusters.ts';
import { secretReader } from './read-secrets.ts';
import { serviceRenderer } from './render-service.ts';
import { clusterResolver, type WhyKeptAway } from './resolve-clusters.ts';
import type { RunInputs } from './run-inputs.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { contentHolder } from './take-service.ts';
import { snapshotTaker } from './take-snapshot.ts';

export interface RunInputsDeps {
  readonly hub: KubeClient;
  readonly renderer: RenderPool;
  readonly egress: Egress;
  readonly providers: ProviderClusters;
  readonly whyKeptAway: WhyKeptAway;
}

/** What runs are made of, from the objects of a hub. */
export function hubRunInputs({ hub, renderer, egress, providers, whyKeptAway }: RunInputsDeps): RunInputs {
  return {
    takeSnapshot: snapshotTaker({ hub, egress }),
    resolveClusters: clusterResolver(providers, whyKeptAway),
    renderFor: serviceRenderer({ hub, renderer }),
    readSecrets: secretReader(hub),
  };
}

/** The Contents that a run needs as long as it is there. */
function contentsOfRun(run: KubeObject): string[] {
  const snapshot = (run as WorkflowRun).status?.snapshot as unknown as RunSnapshot | undefined;
  return Object.values(snapshot?.services ?? {}).flatMap(({ bundle, sources }) => [
    bundle,
    ...sources.flatMap(one => (one.form === 'files' ? [] : [one.content])),
  ]);
}

/** Lets the bytes go that no run is made of any more. */
export const runRunContents = (hub: KubeClient, runs: Informer<WorkflowRun>, signal: AbortSignal): RunningController =>
  runHeldContents({ hub, holder: contentHolder, holders: [runs as unknown as Informer], digestsOf: contentsOfRun, signal });
