import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import {
  age,
  ageColumn,
  at,
  boolean,
  column,
  conditionOf,
  containerCells,
  containerColumns,
  count,
  integer,
  labelsCell,
  list,
  nameColumn,
  nameOf,
  selectorCell,
  selectorText,
  text,
  textOr,
  wide,
  type Printer,
} from './cell.ts';
import { ageOf, humanDuration } from './human-duration.ts';
import { podPrinter } from './pod-printer.ts';

const replicaColumns = [
  nameColumn,
  integer('Desired'),
  integer('Current'),
  integer('Ready'),
  ageColumn,
  ...containerColumns,
  wide('Selector'),
];
const replicaCells = (obj: KubeObject, now: Date) => [
  nameOf(obj),
  count(obj, 'spec', 'replicas'),
  count(obj, 'status', 'replicas'),
  count(obj, 'status', 'readyReplicas'),
  age(obj, now),
  ...containerCells(at(obj, 'spec', 'template')),
];
const readyOf = (obj: KubeObject) => `${count(obj, 'status', 'readyReplicas')}/${count(obj, 'spec', 'replicas')}`;

const jobStates = ['Complete', 'Failed', 'Terminating', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(job: KubeObject): string {
  const isIn = (state: string) =>
    state === 'Terminating' ? job.metadata.deletionTimestamp !== undefined : conditionOf(job, state)?.['status'] === 'True';
  return jobStates.find(isIn) ?? 'Running';
}

function jobCompletions(job: KubeObject): string {
  const succeeded = count(job, 'status', 'succeeded');
  const completions = at(job, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = count(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: Date): string {
  const start = text(job, 'status', 'startTime');
  if (start === '') return '';
  const end = text(job, 'status', 'completionTime');
  return humanDuration((end === '' ? now.getTime() : Date.parse(end)) - Date.parse(start));
}

function controllerOf(obj: KubeObject): string {
  const owner = obj.metadata.ownerReferences?.find(ref => ref.controller === true);
  if (owner === undefined) return '<none>';
  const { group } = parseApiVersion(owner.apiVersion);
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}

function suspendCell(cronJob: KubeObject): string {
  const suspend = at(cronJob, 'spec', 'suspend');
  return typeof suspend === 'boolean' ? (suspend ? 'True' : 'False') : '<unset>';
}

export const workloadPrinters: Readonly<Record<string, Printer>> = {
  Pod: podPrinter,
  PodTemplate: {
    columns: [
      nameColumn,
      column('Containers', 'Names of each container in the template.'),
      column('Images', 'Images referenced by each container in the template.'),
      column('Pod Labels', 'The labels for the pod template.'),
    ],
    cells: obj => [nameOf(obj), ...containerCells(at(obj, 'template')), labelsCell(at(obj, 'template', 'metadata', 'labels'))],
  },
  ReplicationController: {
    columns: replicaColumns,
    cells: (obj, now) => [...replicaCells(obj, now), labelsCell(at(obj, 'spec', 'selector'))],
  },
  'apps/ReplicaSet': {
    columns: replicaColumns,
    cells: (obj, now) => [...replicaCells(obj, now), selectorCell(at(obj, 'spec', 'selector'))],
  },
  'apps/Deployment': {
    columns: [
      nameColumn,
      column('Ready', 'Number of the pod with ready state'),
      column('Up-to-date'),
      column('Available'),
      ageColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      readyOf(obj),
      count(obj, 'status', 'updatedReplicas'),
      count(obj, 'status', 'availableReplicas'),
      age(obj, now),
      ...containerCells(at(obj, 'spec', 'template')),
      selectorText(at(obj, 'spec', 'selector')),
    ],
  },
  'apps/StatefulSet': {
    columns: [nameColumn, column('Ready', 'Number of the pod with ready state'), ageColumn, ...containerColumns],
    cells: (obj, now) => [nameOf(obj), readyOf(obj), age(obj, now), ...containerCells(at(obj, 'spec', 'template'))],
  },
  'apps/DaemonSet': {
    columns: [
      nameColumn,
      integer('Desired'),
      integer('Current'),
      integer('Ready'),
      integer('Up-to-date'),
      integer('Available'),
      column('Node Selector'),
      ageColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      ...['desiredNumberScheduled', 'currentNumberScheduled', 'numberReady', 'updatedNumberScheduled', 'numberAvailable'].map(field =>
        count(obj, 'status', field),
      ),
      labelsCell(at(obj, 'spec', 'template', 'spec', 'nodeSelector')),
      age(obj, now),
      ...containerCells(at(obj, 'spec', 'template')),
      selectorCell(at(obj, 'spec', 'selector')),
    ],
  },
  'apps/ControllerRevision': {
    columns: [nameColumn, column('Controller', 'Controller of the object'), column('Revision'), ageColumn],
    cells: (obj, now) => [nameOf(obj), controllerOf(obj), count(obj, 'revision'), age(obj, now)],
  },
  'batch/Job': {
    columns: [
      nameColumn,
      column('Status', 'Status of the job.'),
      column('Completions'),
      column('Duration', 'Time required to complete the job.'),
      ageColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      jobStatus(obj),
      jobCompletions(obj),
      jobDuration(obj, now),
      age(obj, now),
      ...containerCells(at(obj, 'spec', 'template')),
      selectorCell(at(obj, 'spec', 'selector')),
    ],
  },
  'batch/CronJob': {
    columns: [
      nameColumn,
      column('Schedule'),
      column('Timezone'),
      boolean('Suspend'),
      integer('Active'),
      column('Last Schedule'),
      ageColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    cells: (obj, now) => {
      const last = text(obj, 'status', 'lastScheduleTime');
      const job = at(obj, 'spec', 'jobTemplate', 'spec');
      return [
        nameOf(obj),
        text(obj, 'spec', 'schedule'),
        textOr('<none>', obj, 'spec', 'timeZone'),
        suspendCell(obj),
        list(obj, 'status', 'active').length,
        last === '' ? '<none>' : ageOf(last, now),
        age(obj, now),
        ...containerCells(at(job, 'template')),
        selectorCell(at(job, 'selector')),
      ];
    },
  },
};
