import { createHash } from 'node:crypto';
import { ControllerRevision } from '../../api/builtin-kinds.ts';
import type { Kind } from '../../api/define-kind.ts';
import { apiVersionOf } from '../../api/object.ts';
import type { RolloutState } from '../../api/rollout.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { revisionsIn } from '../../core/rollouts/cluster-states.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { printJson, sortKeys, type Json } from '../../util/json.ts';
import { systemNamespace } from './kinds/group.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSpec } from './kinds/service-spec.ts';

/** On ControllerRevisions that hold what a MultiClusterService said earlier: its uid, and the revision as statuses call it. */
const labels = { owner: 'drover.io/rollout-of', revision: 'drover.io/rollout-revision' } as const;
const byOwner = 'owner';
/** Besides those that a rollout names. */
const keptBefore = 5;

export const noServices: ServiceSpec = {};

/** What a MultiClusterService wants on its clusters, in a word. */
export function revisionOf({ spec }: MultiClusterService): string {
  const text = printJson(sortKeys((spec.serviceSpec ?? noServices) as Json));
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}

export interface RolloutRevisions {
  readonly synced: Promise<void>;
  /** What a revision said; undefined when nobody knows any more. */
  find(mcs: MultiClusterService, revision: string): ServiceSpec | undefined;
  /** Writes down what a MultiClusterService says now. */
  keep(kind: Kind, mcs: MultiClusterService, signal: AbortSignal): Promise<void>;
  /** Lets the oldest go that no rollout names. */
  tidy(mcs: MultiClusterService, state: RolloutState, signal: AbortSignal): Promise<void>;
}

/** What MultiClusterServices with a rollout said earlier, so that clusters can stay there, and go back. */
export function rolloutRevisions(hub: KubeClient, options: { signal: AbortSignal; onError(error: unknown): void }): RolloutRevisions {
  const stored: Informer<ControllerRevision> = informer(hub, ControllerRevision, {
    ...options,
    labelSelector: labels.owner,
    indexes: { [byOwner]: ({ metadata }) => [metadata.labels?.[labels.owner] ?? ''] },
  });
  const of = ({ metadata }: MultiClusterService) =>
    stored.by(byOwner, metadata.uid ?? '').sort((a, b) => Number(a.revision) - Number(b.revision));
  const named = (mcs: MultiClusterService, revision: string) => of(mcs).find(one => one.metadata.labels?.[labels.revision] === revision);
  return {
    synced: stored.synced,
    find: (mcs, revision) => named(mcs, revision)?.data as ServiceSpec | undefined,
    async keep(kind, mcs, signal) {
      const revision = revisionOf(mcs);
      if (named(mcs, revision)) return;
      const number = Number(of(mcs).at(-1)?.revision ?? 0) + 1;
      await hub.create(ControllerRevision, revisionObject(kind, mcs, { revision, number }), { signal }).catch((error: unknown) => {
        // Written a moment ago, and not seen yet.
        if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
      });
    },
    async tidy(mcs, state, signal) {
      const needed = revisionsIn(state);
      const spare = of(mcs).filter(({ metadata }) => !needed.has(metadata.labels?.[labels.revision] ?? ''));
      for (const { metadata } of spare.slice(0, Math.max(0, spare.length - keptBefore)))
        await hub.delete(ControllerRevision, { namespace: metadata.namespace, name: metadata.name! }, { signal });
    },
  };
}

function revisionObject(
  kind: Kind,
  { metadata, spec }: MultiClusterService,
  about: { revision: string; number: number },
): ControllerRevision {
  const { name = '', uid = '', namespace = systemNamespace } = metadata;
  return {
    apiVersion: apiVersionOf(ControllerRevision),
    kind: ControllerRevision.kind,
    metadata: {
      name: `${kind.kind.toLowerCase()}-${name.slice(0, 200)}-${about.revision}`,
      namespace,
      labels: { [labels.owner]: uid, [labels.revision]: about.revision },
      ownerReferences: [{ apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true }],
    },
    revision: about.number,
    data: (spec.serviceSpec ?? noServices) as never,
  };
}
