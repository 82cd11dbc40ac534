import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import { PlaceLink } from '../../app/place.tsx';
import { PhaseBadge } from '../../parts/phase-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Time } from '../../parts/time.tsx';
import { ageOf, named, runPlace, workflowPlace } from './workflow-places.ts';

/** What is known of runs. */
export const runColumns: readonly Column<WorkflowRun>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(8rem, 1.2fr)',
    value: ({ metadata }) => metadata.name,
    cell: one => (
      <PlaceLink to={runPlace(one)}>
        <bdi>{one.metadata.name}</bdi>
      </PlaceLink>
    ),
  },
  { id: 'ns', title: 'Namespace', width: 'minmax(8rem, 1fr)', value: ({ metadata }) => metadata.namespace },
  {
    id: 'workflow',
    title: 'Workflow',
    width: 'minmax(6rem, 1fr)',
    value: ({ spec }) => spec.workflowRef.name,
    cell: ({ metadata, spec }) => (
      <PlaceLink to={workflowPlace(named(metadata.namespace, spec.workflowRef.name))}>{spec.workflowRef.name}</PlaceLink>
    ),
  },
  {
    id: 'phase',
    title: 'Phase',
    width: '9rem',
    value: ({ status }) => status?.phase,
    cell: ({ status }) => <PhaseBadge phase={status?.phase} why={status?.message} />,
  },
  {
    id: 'clusters',
    title: 'Clusters done',
    width: '8.5rem',
    isNumber: true,
    value: ({ status }) => status?.clusters?.succeeded ?? 0,
    cell: ({ status }) => status?.clusters && `${status.clusters.succeeded ?? 0}/${status.clusters.total}`,
  },
  { id: 'failed', title: 'Failed', width: '5.5rem', isNumber: true, value: ({ status }) => status?.clusters?.failed ?? 0 },
  { id: 'mode', title: 'Mode', width: '6.5rem', isExtra: true, value: ({ spec }) => spec.mode },
  { id: 'by', title: 'By', width: 'minmax(6rem, 1fr)', value: ({ status }) => status?.triggeredBy },
  { id: 'message', title: 'Message', width: 'minmax(8rem, 2fr)', value: ({ status }) => status?.message },
  {
    id: 'age',
    title: 'Age',
    width: '5rem',
    value: ageOf,
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];
