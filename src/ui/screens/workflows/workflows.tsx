import { useParams } from 'wouter';
import type { ApprovalRequest } from '../../../dialects/workflows/kinds/approval-request.ts';
import type { Pipeline, PipelineRun } from '../../../dialects/workflows/kinds/pipeline.ts';
import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import type { Workflow } from '../../../dialects/workflows/kinds/workflow.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import type { Kind, KubeObject } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { Empty, ErrorNote, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { PhaseBadge } from '../../parts/phase-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DecideButtons } from './decide.tsx';
import { runColumns } from './run-columns.tsx';
import { StartButton } from './start-run.tsx';
import { ageOf, named, pipelinePlace, pipelineRunPlace, runPlace, workflowPlace } from './workflow-places.ts';
import '../../styles/delivery.css';

const tabs = [
  { id: '', title: 'Workflows' },
  { id: 'runs', title: 'Runs' },
  { id: 'pipelines', title: 'Pipelines' },
  { id: 'pipeline-runs', title: 'Runs of pipelines' },
  { id: 'approvals', title: 'Decisions' },
];

/** How services go to clusters step by step, and the runs of it. */
export function Workflows() {
  const { part = '' } = useParams<{ part?: string }>();
  return (
    <Page title="Workflows" isFilled>
      <Tabs tabs={tabs} current={part} base="/workflows" />
      {part === '' && <Definitions />}
      {part === 'runs' && <Runs />}
      {part === 'pipelines' && <Pipelines />}
      {part === 'pipeline-runs' && <PipelineRuns />}
      {part === 'approvals' && <Approvals />}
      {!tabs.some(one => one.id === part) && <NoSuchPart />}
    </Page>
  );
}

interface ThingsProps<T> {
  readonly name: string;
  readonly kind: Kind;
  readonly columns: readonly Column<T>[];
  readonly sort?: string;
  readonly about: string;
  readonly command: string;
  placeOf?(one: T): string;
  rowEnd?(one: T): React.ReactNode;
}

function Things<T extends KubeObject>({ name, kind, columns, sort = 'name', about, command, placeOf, rowEnd }: ThingsProps<T>) {
  const { namespace } = useScope();
  const { items, state, error } = useList<T>({ kind, namespace });
  return (
    <>
      {error && <ErrorNote error={error} about={name} />}
      <Table
        name={name}
        rows={items}
        columns={columns}
        keyOf={one => one.metadata.uid!}
        state={state}
        sort={sort}
        {...(placeOf && { onOpen: (one: T) => go(placeOf(one)) })}
        {...(rowEnd && { rowEnd })}
        empty={
          <Empty title={`No ${name.toLowerCase()} yet`} command={command}>
            {about}
          </Empty>
        }
      />
    </>
  );
}

const nameColumn = <T extends KubeObject>(placeOf: (one: T) => string): Column<T> => ({
  id: 'name',
  title: 'Name',
  width: 'minmax(8rem, 1.2fr)',
  value: ({ metadata }) => metadata.name,
  cell: one => (
    <PlaceLink to={placeOf(one)}>
      <bdi>{one.metadata.name}</bdi>
    </PlaceLink>
  ),
});
const namespaceColumn = {
  id: 'ns',
  title: 'Namespace',
  width: 'minmax(8rem, 1fr)',
  value: ({ metadata }: KubeObject) => metadata.namespace,
} as const;
const ageColumn = {
  id: 'age',
  title: 'Age',
  width: '5rem',
  value: ageOf,
  cell: ({ metadata }: KubeObject) => <Time at={metadata.creationTimestamp} />,
} as const;

const workflowColumns: readonly Column<Workflow>[] = [
  nameColumn(workflowPlace),
  namespaceColumn,
  { id: 'type', title: 'Type', width: '7.5rem', value: ({ spec }) => spec.type },
  { id: 'service', title: 'Service', width: 'minmax(6rem, 1fr)', value: ({ spec }) => spec.serviceRef },
  { id: 'infrastructure', title: 'Infrastructure', width: 'minmax(7rem, 1fr)', value: ({ spec }) => spec.infrastructureRef },
  {
    id: 'last',
    title: 'Last run',
    width: 'minmax(15rem, 1.6fr)',
    value: ({ status }) => status?.lastPhase,
    cell: ({ metadata, status }) =>
      status?.lastRun === undefined ? (
        <span className="muted">Never</span>
      ) : (
        <span className="row">
          <PhaseBadge phase={status.lastPhase} />
          <PlaceLink to={runPlace(named(metadata.namespace, status.lastRun))}>{status.lastRun}</PlaceLink>
        </span>
      ),
  },
  { id: 'description', title: 'What for', width: 'minmax(7rem, 2fr)', value: ({ spec }) => spec.description },
  ageColumn,
];

function Definitions() {
  return (
    <Things<Workflow>
      name="Workflows"
      kind={deliveryKinds.workflow}
      columns={workflowColumns}
      placeOf={workflowPlace}
      rowEnd={one => <StartButton key={one.metadata.uid} plan={one} isIconOnly />}
      about="A workflow says how a service goes to its clusters: all at once, as a canary or blue-green, in waves, with gates between."
      command="kubectl apply -f examples/canary"
    />
  );
}

function Runs() {
  return (
    <Things<WorkflowRun>
      name="Runs"
      kind={deliveryKinds.workflowRun}
      columns={runColumns}
      sort="age"
      placeOf={runPlace}
      about="A run of a workflow shows here how far it is on every cluster."
      command="drover run WORKFLOW"
    />
  );
}

const pipelineColumns: readonly Column<Pipeline>[] = [
  nameColumn(pipelinePlace),
  namespaceColumn,
  { id: 'stages', title: 'Stages', width: 'minmax(14rem, 2fr)', value: ({ spec }) => spec.stages.map(one => one.name).join(' → ') },
  { id: 'description', title: 'What for', width: 'minmax(12rem, 2fr)', value: ({ spec }) => spec.description },
  {
    id: 'last',
    title: 'Last run',
    width: 'minmax(9rem, 1fr)',
    value: ({ status }) => status?.lastRun,
    cell: ({ metadata, status }) =>
      status?.lastRun === undefined ? (
        <span className="muted">Never</span>
      ) : (
        <PlaceLink to={pipelineRunPlace(named(metadata.namespace, status.lastRun))}>{status.lastRun}</PlaceLink>
      ),
  },
  ageColumn,
];

function Pipelines() {
  return (
    <Things<Pipeline>
      name="Pipelines"
      kind={deliveryKinds.pipeline}
      columns={pipelineColumns}
      placeOf={pipelinePlace}
      rowEnd={one => <StartButton key={one.metadata.uid} plan={one} isIconOnly />}
      about="A pipeline is workflows and approvals, one after the other or at the same time."
      command="kubectl explain pipelines.spec"
    />
  );
}

const pipelineRunColumns: readonly Column<PipelineRun>[] = [
  nameColumn(pipelineRunPlace),
  namespaceColumn,
  {
    id: 'phase',
    title: 'Phase',
    width: '9rem',
    value: ({ status }) => status?.phase,
    cell: ({ status }) => <PhaseBadge phase={status?.phase} why={status?.message} />,
  },
  { id: 'pipeline', title: 'Pipeline', value: ({ spec }) => spec.pipelineRef.name },
  { id: 'by', title: 'By', value: ({ status }) => status?.triggeredBy },
  { id: 'message', title: 'Message', width: 'minmax(12rem, 2fr)', value: ({ status }) => status?.message },
  ageColumn,
];

function PipelineRuns() {
  return (
    <Things<PipelineRun>
      name="Runs of pipelines"
      kind={deliveryKinds.pipelineRun}
      columns={pipelineRunColumns}
      sort="age"
      placeOf={pipelineRunPlace}
      about="A run of a pipeline shows here which stage it is in."
      command="drover run pipeline/NAME"
    />
  );
}

const phaseOf = ({ status }: ApprovalRequest): string => status?.phase ?? 'Pending';

const approvalColumns: readonly Column<ApprovalRequest>[] = [
  {
    id: 'run',
    title: 'Run',
    width: 'minmax(9rem, 1fr)',
    value: ({ spec }) => spec.runRef.name,
    cell: ({ metadata, spec }) => {
      const place = spec.runRef.kind === 'PipelineRun' ? pipelineRunPlace : runPlace;
      return <PlaceLink to={place(named(metadata.namespace, spec.runRef.name))}>{spec.runRef.name}</PlaceLink>;
    },
  },
  namespaceColumn,
  {
    id: 'phase',
    title: 'Phase',
    width: '8rem',
    value: one => `${phaseOf(one) === 'Pending' ? '0' : '1'} ${phaseOf(one)}`,
    cell: one => <PhaseBadge phase={phaseOf(one) === 'Pending' ? 'Waiting' : phaseOf(one)} why={one.status?.message} />,
  },
  { id: 'message', title: 'What is to be decided', width: 'minmax(14rem, 2fr)', value: ({ spec }) => spec.message },
  { id: 'where', title: 'Wave or step', value: ({ spec }) => spec.wave ?? spec.step },
  {
    id: 'given',
    title: 'Approvals',
    width: '7rem',
    isNumber: true,
    value: ({ spec }) => spec.decisions?.length ?? 0,
    cell: ({ spec }) => `${spec.decisions?.filter(one => one.decision === 'Approve').length ?? 0}/${spec.minApprovals ?? 1}`,
  },
  { id: 'until', title: 'Until', width: '7rem', value: ({ spec }) => spec.expiresAt, cell: ({ spec }) => <Time at={spec.expiresAt} /> },
  {
    id: 'decide',
    title: 'Decide',
    width: '7rem',
    value: () => '',
    cell: one => <DecideButtons request={one} isSmall />,
  },
  ageColumn,
];

function Approvals() {
  return (
    <Things<ApprovalRequest>
      name="Decisions"
      kind={deliveryKinds.approvalRequest}
      columns={approvalColumns}
      sort="phase"
      about="What runs wait for somebody to decide stands here, with the decisions of the past."
      command="drover get approvalrequests -A"
    />
  );
}
