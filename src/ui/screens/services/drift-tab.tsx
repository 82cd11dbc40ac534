import type { Work } from '../../../api/work.ts';
import { PlaceLink } from '../../app/place.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { DriftedFields } from '../object/drifted-fields.tsx';
import { droverName, type Cluster, type MultiClusterService, type ServiceSet } from './service-kinds.ts';
import { shownClusters, useServiceWorks } from './service-works.ts';

interface DriftTabProps {
  readonly mcs: MultiClusterService;
  readonly sets: readonly ServiceSet[];
  readonly members: ReadonlyMap<string, Cluster>;
}

/** What others changed of what the service delivered: where, which field, and who owns it now. */
export function DriftTab({ mcs, sets, members }: DriftTabProps) {
  const { works, isLoading, error, leftOut } = useServiceWorks(mcs, sets, members);
  const drifted = works.filter(({ status }) => (status?.drift?.length ?? 0) > 0);
  const looking = works.filter(({ spec }) => spec.sync === 'DetectDrift' || spec.sync === 'CorrectDrift').length;
  return (
    <div className="stack">
      {error && <ErrorNote error={error} about="Works of the service" />}
      {isLoading && <Loading />}
      {!isLoading && looking === 0 && (
        <Empty title="Nobody looks for drift" command={`kubectl explain multiclusterservices.spec.serviceSpec.provider.config`}>
          With provider.config.syncMode ContinuousWithDriftDetection the hub watches what it delivered, changes it back, and names here who
          had changed which field.
        </Empty>
      )}
      {!isLoading && looking > 0 && drifted.length === 0 && (
        <p role="status">
          <StateBadge tone="good" word="As delivered" /> Nobody has changed what was delivered to{' '}
          {looking === 1 ? 'the one cluster that is watched' : `the ${looking} places that are watched`}.
        </p>
      )}
      {drifted.map(work => (
        <section key={work.metadata.uid} className="card stack tight" aria-label={`Drift on ${work.status?.cluster}`}>
          <div className="row">
            <h3>
              <bdi>{work.status?.cluster}</bdi>
            </h3>
            <PlaceLink to={objectPlace(kinds.work, work.metadata)}>Work {work.metadata.name}</PlaceLink>
            <span className="muted">{thenWords(work)}</span>
          </div>
          <DriftedFields drift={work.status?.drift ?? []} />
        </section>
      ))}
      {leftOut > 0 && (
        <p className="muted" role="status">
          The first {shownClusters} clusters are looked at; {leftOut.toLocaleString()} more are not.{' '}
          <code>drover explain {droverName(mcs)}</code> has all.
        </p>
      )}
    </div>
  );
}

const thenWords = ({ spec }: Work): string =>
  spec.sync === 'CorrectDrift' ? 'is changed back' : 'stays until the next change of the service';
