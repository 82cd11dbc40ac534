import { useState } from 'react';
import type { PlannedObject } from '../../../api/work.ts';
import { pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { FieldChanges } from '../../parts/field-changes.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { planSwitch } from './plan-switch.ts';
import {
  droverName,
  isPlanOnly,
  keyOf,
  kindOf,
  kubectlName,
  type Cluster,
  type MultiClusterService,
  type ServiceSet,
} from './service-kinds.ts';
import { objectTitle, shownClusters, targetOf, useServiceWorks } from './service-works.ts';

const tones: Readonly<Record<string, Tone>> = {
  Install: 'good',
  Create: 'good',
  Upgrade: 'info',
  Change: 'info',
  'Update Values': 'info',
  Delete: 'bad',
  Conflict: 'warn',
};

interface PlanTabProps {
  readonly mcs: MultiClusterService;
  readonly sets: readonly ServiceSet[];
  readonly members: ReadonlyMap<string, Cluster>;
}

/** What a delivery would do, of a service that only plans: release by release, then cluster by cluster each object and field. */
export function PlanTab(props: PlanTabProps) {
  const { mcs } = props;
  if (isPlanOnly(mcs)) return <Plan {...props} />;
  return (
    <Empty title="It delivers what it says" command={`drover diff ${droverName(mcs)} -f changed.yaml`} action={<PlanSwitch mcs={mcs} />}>
      Whoever wants to see first what a change would do lets the service only plan: nothing on the clusters changes, and object by object,
      field by field, the plan stands here until it is let go. Whoever edits the service in this page is shown the same before it is saved,
      and the command does it for a changed file.
    </Empty>
  );
}

function Plan({ mcs, sets, members }: PlanTabProps) {
  const own = sets.filter(({ spec }) => spec.multiClusterService === keyOf(mcs));
  const reports = own.flatMap(set => (set.status?.releaseReports ?? []).map(report => ({ cluster: targetOf(set), ...report })));
  const { works, isLoading, error, leftOut } = useServiceWorks(mcs, sets, members);
  const planned = works
    .flatMap(({ metadata, status }) => (status?.plan ? [{ id: metadata.uid!, cluster: status.cluster ?? '', plan: status.plan }] : []))
    .toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
  return (
    <div className="stack">
      <div className="row">
        <StateBadge tone="info" word="Only plans" />
        <span className="grow">Nothing of this has happened. It happens when the service may deliver again.</span>
        <PlanSwitch mcs={mcs} />
      </div>
      {error && <ErrorNote error={error} about="Plans" />}
      <h2>Releases</h2>
      {reports.length === 0 && <p className="muted">No cluster has said yet what would happen.</p>}
      {reports.length > 0 && (
        <SmallTable
          name="What would happen to releases"
          heads={['Cluster', 'Release', 'Would', 'Version', 'About']}
          rows={reports.map(one => [
            members.get(one.cluster)?.metadata.name ?? one.cluster,
            `${one.releaseNamespace}/${one.releaseName}`,
            <StateBadge key="action" tone={tones[one.action] ?? 'idle'} word={one.action} />,
            one.chartVersion ?? '–',
            one.message,
          ])}
        />
      )}
      <h2>Objects</h2>
      {isLoading && <Loading />}
      {!isLoading && planned.length === 0 && <p className="muted">No plan has been made of objects yet.</p>}
      {planned.map(({ id, cluster, plan }) => (
        <ClusterPlan key={id} cluster={cluster} plan={plan} />
      ))}
      {leftOut > 0 && (
        <p className="muted" role="status">
          The first {shownClusters} clusters are shown; {leftOut.toLocaleString()} more are planned for.
        </p>
      )}
      <CommandLine command={`drover diff ${droverName(mcs)}`} />
    </div>
  );
}

/** What would happen on one cluster. Values of Secrets are masked where the plan is made. */
function ClusterPlan({ cluster, plan }: { cluster: string; plan: readonly PlannedObject[] }) {
  const changing = plan.filter(one => one.action !== 'Keep');
  const kept = plan.length - changing.length;
  return (
    <section className="card stack tight" aria-label={`Plan for ${cluster}`}>
      <div className="row">
        <h3>
          <bdi>{cluster}</bdi>
        </h3>
        <span className="muted">
          {changing.length === 0 ? 'no object would change' : `${changing.length} would change`}
          {kept > 0 && `, ${kept} would stay as they are`}
        </span>
      </div>
      {changing.map(one => (
        <details key={objectTitle(one)} open={changing.length <= 5}>
          <summary>
            <StateBadge tone={tones[one.action] ?? 'idle'} word={one.action} /> {objectTitle(one)}{' '}
            {one.fields && <span className="muted">{one.fields.length === 1 ? 'one field' : `${one.fields.length} fields`}</span>}
          </summary>
          {one.fields ? (
            <FieldChanges
              name={`Fields of ${objectTitle(one)} on ${cluster}`}
              fields={one.fields.map(({ path, have, want }) => ({ path, before: have, after: want }))}
              heads={{ before: 'Now', after: 'Would be' }}
            />
          ) : (
            <p className="muted">{wordsOf[one.action]}</p>
          )}
        </details>
      ))}
    </section>
  );
}

const wordsOf: Readonly<Record<PlannedObject['action'], string>> = {
  Create: 'It is not there yet.',
  Change: 'Its fields are not listed: only the first fifty of a release are.',
  Delete: 'It would go.',
  Keep: '',
};

/** Lets a service only plan, or deliver again. */
function PlanSwitch({ mcs }: { mcs: MultiClusterService }) {
  const [isOpen, setOpen] = useState(false);
  const kind = kindOf(mcs);
  const { namespace, name = '' } = mcs.metadata;
  const isAllowed = useMay({ verb: 'patch', kind, namespace, name });
  const isPlanning = isPlanOnly(mcs);
  const body = planSwitch(mcs, !isPlanning);
  if (!isAllowed) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {isPlanning ? 'Deliver' : 'Only plan'}
      </button>
      {isOpen && (
        <ActionDialog
          title={isPlanning ? `Let ${keyOf(mcs)} deliver?` : `Let ${keyOf(mcs)} only plan?`}
          verb={isPlanning ? 'Deliver' : 'Only plan'}
          command={`kubectl patch ${kubectlName(mcs)} --type=merge -p '${JSON.stringify(body)}'`}
          onClose={() => setOpen(false)}
          onDo={() => request(pathOf(kind, { namespace, name }), { method: 'PATCH', contentType: 'application/merge-patch+json', body })}
        >
          <p>
            {isPlanning
              ? 'What the plan says happens on its clusters, by its rollout if it has one.'
              : 'What runs stays as it is. Changes of the service are planned and wait until you let it deliver.'}
          </p>
        </ActionDialog>
      )}
    </>
  );
}
