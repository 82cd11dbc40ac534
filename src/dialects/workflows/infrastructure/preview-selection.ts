import { clusterConditions, type Cluster } from '../../../api/cluster.ts';
import { findCondition, type ConditionReport, type Course } from '../../../api/conditions.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { ExpressionError, UnresolvedExpression } from '../expressions/expression-error.ts';
import type { CloudProvider } from '../kinds/cloud-provider.ts';
import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { renderSelection } from './render-selection.ts';
import type { ResolvedCluster } from './resolved-cluster.ts';
import { resolveMessages } from './resolve-messages.ts';
import { emptySelectionMessage, isEmptySelection, selectClusters } from './select-clusters.ts';

export interface PreviewInput {
  readonly infrastructure: InfrastructureDefinition;
  readonly provider: CloudProvider | undefined;
  /** Those of the provider; undefined while nobody knows. */
  readonly clusters: readonly ResolvedCluster[] | undefined;
  clusterById(id: string): Cluster | undefined;
}

export interface Preview {
  readonly matched: readonly { readonly id: string; readonly name: string; readonly ready: boolean }[];
  readonly report: ConditionReport;
}

const type = 'Resolved';

/** What only a change of the infrastructure helps; providers and clusters may come. */
const needsPerson: readonly string[] = ['EmptySelection', 'InvalidExpression'];
/** What a run must say is no fault of what it is made from. */
const knownLater = 'UnresolvedExpression';

export const readinessOf = (report: ConditionReport): ConditionReport => ({
  ...report,
  type: 'Ready',
  ...(report.reason === knownLater && { status: 'True' }),
});

export function courseOf({ status, reason }: ConditionReport): Course | undefined {
  if (status === 'True' || reason === knownLater) return undefined;
  return needsPerson.includes(reason) ? 'Stalled' : 'Reconciling';
}

/** Which clusters an infrastructure would choose now, as far as that can be told before a run begins. */
export function previewSelection({ infrastructure, provider, clusters, clusterById }: PreviewInput): Preview {
  const { metadata, spec } = infrastructure;
  const none = (status: 'False' | 'Unknown', reason: string, message: string): Preview => ({
    matched: [],
    report: { type, status, reason, message },
  });
  if (!provider) return none('False', 'NotFound', `There is no CloudProvider "${spec.cloudProviderRef}"`);
  if (!clusters) return none('Unknown', 'NotAskedYet', `The clusters of provider "${spec.cloudProviderRef}" are not known yet`);
  try {
    const selection = renderSelection(spec as unknown as JsonObject, scopeOf(infrastructure));
    if (isEmptySelection(selection)) return none('False', 'EmptySelection', emptySelectionMessage);
    const chosen = selectClusters(selection, clusters);
    if (chosen.length === 0) return none('False', 'NoEligibleCluster', resolveMessages.noneEligible);
    const isReady = (id: string) => findCondition(clusterById(id), clusterConditions.ready)?.status === 'True';
    return {
      matched: chosen.map(({ id, name }) => ({ id, name, ready: isReady(id) })),
      report: { type, status: 'True', reason: 'Resolved', message: `Clusters of provider "${provider.metadata.name}" match` },
    };
  } catch (error) {
    if (error instanceof UnresolvedExpression) {
      return none('Unknown', knownLater, `\${${error.expression}} is known when a run begins`);
    }
    if (error instanceof ExpressionError) return none('False', 'InvalidExpression', `${metadata.name}: ${error.message}`);
    throw error;
  }
}

/** What is known without a run. */
function scopeOf({ metadata, spec }: InfrastructureDefinition): ExpressionScope {
  const known: Readonly<Record<string, string>> = {
    'infra.name': metadata.name ?? '',
    'infra.cloudProvider.name': spec.cloudProviderRef,
    'env.name': spec.environmentRef,
  };
  return path => (Object.hasOwn(known, path) ? known[path] : undefined);
}
