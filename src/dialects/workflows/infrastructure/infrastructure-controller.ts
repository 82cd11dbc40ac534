import { clusterConditions, type Cluster } from '../../../api/cluster.ts';
import { findCondition, withReadiness } from '../../../api/conditions.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { isMissing } from '../../../client/missing-object.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { CloudProvider } from '../kinds/cloud-provider.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { courseOf, previewSelection, readinessOf } from './preview-selection.ts';
import type { ResolvedCluster } from './resolved-cluster.ts';

export interface InfrastructureDeps {
  readonly hub: KubeClient;
  readonly infrastructures: Informer<InfrastructureDefinition>;
  readonly providers: Informer<CloudProvider>;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** The clusters of a provider as it was last asked; undefined before that. */
  clustersOf(provider: CloudProvider): readonly ResolvedCluster[] | undefined;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-infrastructure';
/** What people can read. */
const maxListed = 2000;

/** Keeps it visible which clusters each infrastructure would choose. */
export function runInfrastructures(deps: InfrastructureDeps): RunningController {
  const { hub, infrastructures, providers, clusters, clustersOf, signal } = deps;
  const all = (): Key[] => infrastructures.list().map(keyOf);
  const of = ({ metadata }: CloudProvider): Key[] =>
    infrastructures.list().flatMap(one => (one.spec.cloudProviderRef === metadata.name ? [keyOf(one)] : []));
  return runController(
    { name: 'infrastructures', reconcile },
    {
      triggers: [
        changesOf(infrastructures, undefined, ({ spec }) => spec),
        changesOf(providers, of, ({ spec, status }) => [spec.type, status?.lastSync]),
        changesOf(clusters, all, one => [
          one.metadata.labels,
          one.metadata.deletionTimestamp,
          findCondition(one, clusterConditions.ready)?.status,
        ]),
      ],
      signal,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const infrastructure = infrastructures.get(key);
    if (!infrastructure || infrastructure.metadata.deletionTimestamp !== undefined) return settled;
    const provider = providers.get(infrastructure.spec.cloudProviderRef);
    const known = provider && clustersOf(provider);
    // A hub that began anew has not asked yet: what was known before is no worse for that.
    if (provider && !known && infrastructure.status?.observedGeneration === infrastructure.metadata.generation) return settled;
    const { matched, report } = previewSelection({
      infrastructure,
      provider,
      clusters: known,
      clusterById: id => clusters.by('id', id)[0],
    });
    const before = infrastructure.status;
    const { generation } = infrastructure.metadata;
    const listed = matched.slice(0, maxListed);
    const idsOf = (list: readonly { id: string }[] = []) => list.map(one => one.id);
    const isSame = before?.matchedCount === matched.length && jsonEqual(idsOf(before.matched), idsOf(listed));
    const status = {
      matched: [...listed],
      matchedCount: matched.length,
      lastResolved: (isSame && before?.lastResolved) || timestamp(ctx.now),
      conditions: withReadiness(before?.conditions, [report, readinessOf(report)], { course: courseOf(report), now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    if (!jsonEqual(before, status)) await write(infrastructure, status, ctx.signal);
    return settled;
  }

  async function write(
    { metadata }: InfrastructureDefinition,
    status: NonNullable<InfrastructureDefinition['status']>,
    stop: AbortSignal,
  ): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const target = { namespace, name, ...(uid !== undefined && { uid }) };
    try {
      await hub.apply(InfrastructureDefinition, { metadata: target, status }, { fieldManager, subresource: 'status', signal: stop });
    } catch (error) {
      if (!isMissing(error, { name })) throw error;
    }
  }
}
