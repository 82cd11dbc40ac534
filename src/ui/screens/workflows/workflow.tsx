import { useMemo } from 'react';
import { useParams } from 'wouter';
import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import type { Workflow } from '../../../dialects/workflows/kinds/workflow.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { objectPlace } from '../../data/kinds.ts';
import { useList, useObject } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Table } from '../../parts/table/table.tsx';
import { runColumns } from './run-columns.tsx';
import { StartButton } from './start-run.tsx';
import { WhereItRuns } from './where-it-runs-card.tsx';
import { runPlace } from './workflow-places.ts';
import '../../styles/delivery.css';

/** One workflow: what it does, in which waves, and its runs. */
export function WorkflowScreen() {
  const { ns = '', name = '' } = useParams<{ ns: string; name: string }>();
  const kind = deliveryKinds.workflow;
  const { object: workflow, listed } = useObject<Workflow>(kind, { namespace: ns, name });
  const above = [{ title: 'Workflows', to: '/workflows' }];
  const yaml = `${objectPlace(kind, { namespace: ns, name })}/yaml`;
  useShortcut('edit', () => go(yaml));
  if (!workflow)
    return (
      <Page title={name} above={above}>
        {listed.error ? (
          <ErrorNote error={listed.error} about={name} />
        ) : listed.state === 'loading' ? (
          <Loading />
        ) : (
          <Empty title="It is not there" command={`drover get workflows -n ${ns}`} />
        )}
      </Page>
    );
  const { spec } = workflow;
  return (
    <Page
      title={name}
      above={above}
      beside={<span className="tag">{spec.type}</span>}
      actions={
        <>
          <StartButton plan={workflow} />
          <PlaceLink className="button" to={yaml}>
            <Icon name="edit" />
            YAML
          </PlaceLink>
        </>
      }
    >
      {spec.description && <p>{spec.description}</p>}
      <div className="sides">
        <section className="card section" aria-label="What and where">
          <h2>What and where</h2>
          <dl className="facts">
            <dt>Service</dt>
            <dd>{spec.serviceRef ?? '–'}</dd>
            <dt>Environment</dt>
            <dd>{spec.environmentRef ?? 'that of the infrastructure'}</dd>
            <dt>Infrastructure</dt>
            <dd>{spec.infrastructureRef ?? '–'}</dd>
            <dt>At a time</dt>
            <dd>{spec.concurrency?.unit === 'None' ? 'runs do not wait for each other' : 'one run, others wait'}</dd>
          </dl>
        </section>
        <section className="card section" aria-label="Waves">
          <h2>Waves</h2>
          <Waves workflow={workflow} />
        </section>
      </div>
      {(spec.phases ?? []).length > 0 && <Phases workflow={workflow} />}
      <Variables workflow={workflow} />
      {spec.infrastructureRef && <WhereItRuns namespace={ns} name={spec.infrastructureRef} />}
      <h2>Runs</h2>
      <RunsOf workflow={workflow} />
    </Page>
  );
}

function Waves({ workflow }: { workflow: Workflow }) {
  const waves = workflow.spec.rollout?.waves ?? [];
  if (waves.length === 0) return <p className="muted">All clusters at once.</p>;
  return (
    <SmallTable
      name="Waves, in order"
      heads={['Wave', 'Clusters', 'Before', 'Then watched', 'After']}
      rows={waves.map(one => [
        one.name,
        whichClusters(one),
        (one.before ?? []).map(gate => `${gate.name} (${gate.type})`).join(', ') || '–',
        one.soak ?? '–',
        (one.after ?? []).map(gate => `${gate.name} (${gate.type})`).join(', ') || '–',
      ])}
    />
  );
}

type WaveSpec = NonNullable<NonNullable<Workflow['spec']['rollout']>['waves']>[number];

function whichClusters({ clusterNames, clusterSelector, count, remainder }: WaveSpec): string {
  if (clusterNames) return clusterNames.join(', ');
  if (remainder) return 'all that are left';
  if (count !== undefined) return String(count);
  return Object.entries(clusterSelector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

function Phases({ workflow }: { workflow: Workflow }) {
  const rows = (workflow.spec.phases ?? []).flatMap(phase =>
    (phase.groups ?? []).flatMap(group => (group.steps ?? []).map(step => [phase.name, group.name, step.name, step.type])),
  );
  return (
    <>
      <h2>Steps</h2>
      <SmallTable name="Steps, in order" heads={['Phase', 'Group', 'Step', 'What it does']} rows={rows} />
    </>
  );
}

function Variables({ workflow }: { workflow: Workflow }) {
  const variables = workflow.spec.variables ?? [];
  if (variables.length === 0) return null;
  return (
    <>
      <h2>Variables</h2>
      <SmallTable
        name="Variables"
        heads={['Name', 'Unless given', 'Values', 'What for']}
        rows={variables.map(one => [
          <span key="name">
            {one.name}
            {one.required && <span className="muted"> needed</span>}
          </span>,
          one.default ?? '–',
          one.allowedValues?.join(', ') || (one.type ?? 'Text'),
          one.description ?? '',
        ])}
      />
    </>
  );
}

function RunsOf({ workflow }: { workflow: Workflow }) {
  const { namespace, name } = workflow.metadata;
  const { items, state } = useList<WorkflowRun>({ kind: deliveryKinds.workflowRun, namespace });
  const rows = useMemo(() => items.filter(one => one.spec.workflowRef.name === name), [items, name]);
  const columns = useMemo(() => runColumns.filter(one => one.id !== 'workflow' && one.id !== 'ns'), []);
  return (
    <Table
      name="Runs"
      rows={rows}
      columns={columns}
      keyOf={one => one.metadata.uid!}
      state={state}
      sort="age"
      onOpen={one => go(runPlace(one))}
      empty={<Empty title="It has never run" command={`drover run ${name} -n ${namespace}`} />}
    />
  );
}
