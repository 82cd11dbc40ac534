import type { KubeObject } from '../../api/object.ts';
import {
  age,
  ageColumn,
  at,
  column,
  conditionOf,
  count,
  entries,
  isTrue,
  list,
  nameColumn,
  nameOf,
  text,
  textOr,
  wide,
  type Printer,
} from './cell.ts';
import { ageOf } from './human-duration.ts';

const rolePrefix = 'node-role.kubernetes.io/';

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return isTrue(node, 'spec', 'unschedulable') ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role') roles.add(value);
  }
  roles.delete('');
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

function nodeAddress(node: KubeObject, type: string): string {
  return textOr(
    '<none>',
    list(node, 'status', 'addresses').find(address => address['type'] === type),
    'address',
  );
}

function kernelVersion(node: KubeObject): string {
  const architecture = text(node, 'status', 'nodeInfo', 'architecture');
  const version = textOr('<unknown>', node, 'status', 'nodeInfo', 'kernelVersion');
  return architecture === '' ? version : `${version} (${architecture})`;
}

/** The two Event kinds differ in the names of fields only. */
interface EventFields {
  object: string;
  message: string;
  source: string;
  first: string;
  last: string;
  count: string;
}

const eventColumns = [
  column('Last Seen'),
  column('Type'),
  column('Reason'),
  column('Object'),
  wide('Subobject'),
  wide('Source'),
  column('Message'),
  wide('First Seen'),
  wide('Count'),
  column('Name', '', { priority: 1, format: 'name' }),
];

function eventPrinter(fields: EventFields): Printer {
  const component = (event: KubeObject) => textOr(text(event, 'reportingController'), event, fields.source, 'component');
  const reportingComponent = (event: KubeObject) => component(event) || text(event, 'reportingComponent');
  const instance = (event: KubeObject) => textOr(text(event, 'reportingInstance'), event, fields.source, 'host');
  return {
    columns: eventColumns,
    cells: (event, now) => {
      const first = ageOf(text(event, fields.first) || text(event, 'eventTime'), now);
      const isSeries = at(event, 'series') !== undefined && at(event, 'series') !== null;
      const last = text(event, fields.last);
      const name = text(event, fields.object, 'name');
      const kind = text(event, fields.object, 'kind').toLowerCase();
      const host = instance(event);
      return [
        isSeries ? ageOf(text(event, 'series', 'lastObservedTime'), now) : last === '' ? first : ageOf(last, now),
        text(event, 'type'),
        text(event, 'reason'),
        name === '' ? kind : `${kind}/${name}`,
        text(event, fields.object, 'fieldPath'),
        host === '' ? reportingComponent(event) : `${reportingComponent(event)}, ${host}`,
        text(event, fields.message).trim(),
        first,
        isSeries ? count(event, 'series', 'count') : count(event, fields.count) || 1,
        nameOf(event),
      ];
    },
  };
}

function quotaCell(quota: KubeObject, isLimit: boolean): string {
  return entries(quota, 'status', 'hard')
    .filter(([resource]) => resource.startsWith('limits.') === isLimit)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${textOr('0', quota, 'status', 'used', resource)}/${text(hard)}`)
    .join(', ');
}

export const corePrinters: Readonly<Record<string, Printer>> = {
  Namespace: {
    columns: [nameColumn, column('Status', 'The status of the namespace'), ageColumn],
    cells: (obj, now) => [nameOf(obj), text(obj, 'status', 'phase'), age(obj, now)],
  },
  ConfigMap: {
    columns: [nameColumn, column('Data'), ageColumn],
    cells: (obj, now) => [nameOf(obj), entries(obj, 'data').length + entries(obj, 'binaryData').length, age(obj, now)],
  },
  Secret: {
    columns: [nameColumn, column('Type'), column('Data'), ageColumn],
    cells: (obj, now) => [nameOf(obj), text(obj, 'type'), entries(obj, 'data').length, age(obj, now)],
  },
  ServiceAccount: {
    columns: [nameColumn, ageColumn],
    cells: (obj, now) => [nameOf(obj), age(obj, now)],
  },
  Node: {
    columns: [
      nameColumn,
      column('Status', 'The status of the node'),
      column('Roles', 'The roles of the node'),
      ageColumn,
      column('Version'),
      wide('Internal-IP'),
      wide('External-IP'),
      wide('OS-Image'),
      wide('Kernel-Version'),
      wide('Container-Runtime'),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      nodeStatus(obj),
      nodeRoles(obj),
      age(obj, now),
      text(obj, 'status', 'nodeInfo', 'kubeletVersion'),
      nodeAddress(obj, 'InternalIP'),
      nodeAddress(obj, 'ExternalIP'),
      textOr('<unknown>', obj, 'status', 'nodeInfo', 'osImage'),
      kernelVersion(obj),
      textOr('<unknown>', obj, 'status', 'nodeInfo', 'containerRuntimeVersion'),
    ],
  },
  Event: eventPrinter({
    object: 'involvedObject',
    message: 'message',
    source: 'source',
    first: 'firstTimestamp',
    last: 'lastTimestamp',
    count: 'count',
  }),
  'events.k8s.io/Event': eventPrinter({
    object: 'regarding',
    message: 'note',
    source: 'deprecatedSource',
    first: 'deprecatedFirstTimestamp',
    last: 'deprecatedLastTimestamp',
    count: 'deprecatedCount',
  }),
  ResourceQuota: {
    columns: [
      nameColumn,
      column('Request', 'Request represents a minimum amount of cpu/memory that a container may consume.'),
      column('Limit', 'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.'),
      ageColumn,
    ],
    cells: (obj, now) => [nameOf(obj), quotaCell(obj, false), quotaCell(obj, true), age(obj, now)],
  },
  ComponentStatus: {
    columns: [
      nameColumn,
      column('Status', 'Status of the component conditions'),
      column('Message', 'Message of the component conditions'),
      column('Error', 'Error of the component conditions'),
    ],
    cells: obj => {
      const healthy = list(obj, 'conditions').find(condition => condition['type'] === 'Healthy');
      const status = healthy === undefined ? 'Unknown' : healthy['status'] === 'True' ? 'Healthy' : 'Unhealthy';
      return [nameOf(obj), status, text(healthy, 'message'), text(healthy, 'error')];
    },
  },
};
