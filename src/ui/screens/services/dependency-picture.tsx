import { useMemo } from 'react';
import { PlaceLink } from '../../app/place.tsx';
import { Graph, type ShownNode } from '../../parts/graph/graph.tsx';
import { Empty } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { judgeService } from './judge-service.ts';
import { keyOf, placeOf, type MultiClusterService } from './service-kinds.ts';

/** Which services wait for which, as a picture and as a table. */
export function DependencyPicture({ services }: { services: readonly MultiClusterService[] }) {
  const nodes = useMemo(() => nodesOf(services), [services]);
  const dependents = services.filter(({ spec }) => (spec.dependsOn ?? []).length > 0);
  if (services.length === 0)
    return (
      <Empty title="No services yet" command="kubectl apply -f examples/multi-cluster-service">
        Services and what they wait for are drawn here.
      </Empty>
    );
  return (
    <div className="stack">
      <p className="muted">
        From left to right: on every cluster a service is delivered after those it depends on.
        {dependents.length === 0 && ' At present no service depends on another; spec.dependsOn names them.'}
      </p>
      <Graph name="Who depends on whom, as a picture" nodes={nodes} />
      <SmallTable
        name="Who depends on whom, as a table"
        heads={['Service', 'State', 'Depends on', 'Needed by']}
        rows={services.map(one => [
          <PlaceLink key="to" to={placeOf(one)}>
            <bdi>{keyOf(one)}</bdi>
          </PlaceLink>,
          <StateBadge key="state" {...judgeService(one)} />,
          one.spec.dependsOn?.join(', ') || '–',
          services
            .filter(other => dependenciesOf(other).includes(keyOf(one)))
            .map(keyOf)
            .join(', ') || '–',
        ])}
      />
    </div>
  );
}

/** A service of a namespace depends on others of it. */
const dependenciesOf = ({ metadata: { namespace }, spec }: MultiClusterService): string[] =>
  (spec.dependsOn ?? []).map(name => (namespace === undefined ? name : `${namespace}/${name}`));

function nodesOf(services: readonly MultiClusterService[]): readonly ShownNode[] {
  const known = new Set(services.map(keyOf));
  const missing = [...new Set(services.flatMap(dependenciesOf))].filter(key => !known.has(key));
  return [
    ...services.map((one): ShownNode => {
      const { tone, word } = judgeService(one);
      return { id: keyOf(one), title: keyOf(one), about: word, tone, to: placeOf(one), after: dependenciesOf(one) };
    }),
    ...missing.map((key): ShownNode => ({ id: key, title: key, about: 'There is none of this name', tone: 'bad', after: [] })),
  ];
}
