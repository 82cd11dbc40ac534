import type { Cluster } from '../../../api/cluster.ts';
import type { CloudProvider } from '../../../dialects/workflows/kinds/cloud-provider.ts';
import type { InfrastructureDefinition } from '../../../dialects/workflows/kinds/infrastructure-definition.ts';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { kinds } from '../../data/kinds.ts';
import { useList, useObject } from '../../data/use-list.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { whereItRuns } from './where-it-runs.ts';

const mostRows = 20;

/** On which clusters a workflow would run now, and why not on the others. */
export function WhereItRuns({ namespace, name }: { namespace: string; name: string }) {
  const { object: infrastructure } = useObject<InfrastructureDefinition>(deliveryKinds.infrastructureDefinition, { namespace, name });
  const provider = infrastructure?.spec.cloudProviderRef ?? '';
  const { object: cloud } = useObject<CloudProvider>(deliveryKinds.cloudProvider, { name: provider });
  const clusters = useList<Cluster>({ kind: kinds.cluster });
  if (!infrastructure || clusters.state === 'loading') return null;
  // Which clusters another provider has besides, only that one knows.
  const isHub = cloud?.spec.type === 'Drover';
  const all = whereItRuns(infrastructure, isHub ? clusters.items : []);
  const meant = all.filter(one => one.isMeant).length;
  return (
    <details>
      <summary>
        {isHub
          ? `It would run on ${meant} of ${all.length} clusters, and why not on the others`
          : `It would run on ${meant} clusters of ${provider}`}
      </summary>
      <SmallTable
        name="Where it would run"
        heads={['Cluster', 'Would it run there?', 'Why not']}
        rows={all
          .slice(0, mostRows)
          .map(one => [
            <bdi key="name">{one.name}</bdi>,
            <StateBadge key="state" tone={one.isMeant ? 'good' : 'idle'} word={one.isMeant ? 'Yes' : 'No'} />,
            one.why,
          ])}
      />
      {all.length > mostRows && <p className="muted">and {all.length - mostRows} more</p>}
    </details>
  );
}
