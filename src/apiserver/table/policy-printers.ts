import type { KubeObject } from '../../api/object.ts';
import { goPrint } from '../../util/go-print.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import { autoscalerPrinter } from './autoscaler-printer.ts';
import {
  age,
  ageColumn,
  at,
  boolean,
  column,
  conditionOf,
  count,
  integer,
  isTrue,
  list,
  nameColumn,
  nameOf,
  text,
  textOr,
  wide,
  type Cell,
  type Printer,
} from './cell.ts';
import { humanDuration } from './human-duration.ts';

const numberOr = (otherwise: string, value: Json | undefined): Cell => (typeof value === 'number' ? value : otherwise);

function subjects(binding: KubeObject, kind: string): string {
  return list(binding, 'subjects')
    .filter(subject => subject['kind'] === kind)
    .map(subject => (kind === 'ServiceAccount' ? `${text(subject, 'namespace')}/${text(subject, 'name')}` : text(subject, 'name')))
    .join(', ');
}

function bindingPrinter(kind: string): Printer {
  return {
    columns: [
      nameColumn,
      column('Role'),
      ageColumn,
      wide('Users', `Users in the ${kind}`),
      wide('Groups', `Groups in the ${kind}`),
      wide('ServiceAccounts', `ServiceAccounts in the ${kind}`),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      `${text(obj, 'roleRef', 'kind')}/${text(obj, 'roleRef', 'name')}`,
      age(obj, now),
      subjects(obj, 'User'),
      subjects(obj, 'Group'),
      subjects(obj, 'ServiceAccount'),
    ],
  };
}

const webhookPrinter: Printer = {
  columns: [nameColumn, integer('Webhooks', 'Webhooks indicates the number of webhooks registered in this configuration'), ageColumn],
  cells: (obj, now) => [nameOf(obj), list(obj, 'webhooks').length, age(obj, now)],
};

function policyPrinter(counter: string, description: string, field: string): Printer {
  return {
    columns: [
      nameColumn,
      integer(counter, description),
      column('ParamKind', 'ParamKind specifies the kind of resources used to parameterize this policy'),
      ageColumn,
    ],
    cells: (obj, now) => {
      const kind = at(obj, 'spec', 'paramKind');
      const paramKind = isJsonObject(kind) ? `${text(kind, 'apiVersion')}/${text(kind, 'kind')}` : '<unset>';
      return [nameOf(obj), list(obj, 'spec', field).length, paramKind, age(obj, now)];
    },
  };
}

function paramRefCell(binding: KubeObject): string {
  const ref = at(binding, 'spec', 'paramRef');
  const name = text(ref, 'name');
  if (name !== '') return `${textOr('*', ref, 'namespace')}/${name}`;
  const selector = at(ref, 'selector');
  if (!isJsonObject(selector)) return '<unset>';
  // The generated String of the Go type.
  const expressions = list(selector, 'matchExpressions').map(
    e => `LabelSelectorRequirement{Key:${text(e, 'key')},Operator:${text(e, 'operator')},Values:${goPrint(e['values'] ?? [])},},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${Object.entries((selector['matchLabels'] ?? {}) as object)
    .sort()
    .map(([key, value]) => `${key}: ${String(value)},`)
    .join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

const policyBindingPrinter: Printer = {
  columns: [
    nameColumn,
    column('PolicyName', 'PolicyName indicates the policy definition which the policy binding binded to'),
    column('ParamRef', 'ParamRef indicates the param resource which sets the configuration param'),
    ageColumn,
  ],
  cells: (obj, now) => [nameOf(obj), text(obj, 'spec', 'policyName'), paramRefCell(obj), age(obj, now)],
};

function csrStatus(csr: KubeObject): string {
  const decision = conditionOf(csr, 'Denied') ? 'Denied' : conditionOf(csr, 'Approved') ? 'Approved' : 'Pending';
  const failed = conditionOf(csr, 'Failed') ? ',Failed' : '';
  return `${decision}${failed}${text(csr, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}

function claimState(claim: KubeObject): string {
  const states: string[] = [];
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  if (isDeleted) states.push('deleted');
  if (!isJsonObject(at(claim, 'status', 'allocation'))) {
    if (!isDeleted) states.push('pending');
  } else {
    states.push('allocated');
    if (list(claim, 'status', 'reservedFor').length > 0) states.push('reserved');
  }
  return states.join(',');
}

function apiServiceCells(obj: KubeObject, now: Date): Cell[] {
  const service = at(obj, 'spec', 'service');
  const condition = conditionOf(obj, 'Available');
  const status = textOr('Unknown', condition, 'status');
  const reason = text(condition, 'reason');
  return [
    nameOf(obj),
    isJsonObject(service) ? `${text(service, 'namespace')}/${text(service, 'name')}` : 'Local',
    status === 'True' || reason === '' ? status : `${status} (${reason})`,
    age(obj, now),
  ];
}

const nameAndAge: Printer = { columns: [nameColumn, ageColumn], cells: (obj, now) => [nameOf(obj), age(obj, now)] };

export const policyPrinters: Readonly<Record<string, Printer>> = {
  'autoscaling/HorizontalPodAutoscaler': autoscalerPrinter,
  'autoscaling/Scale': {
    columns: [column('Name'), integer('Desired'), integer('Available'), ageColumn],
    cells: (obj, now) => [nameOf(obj), count(obj, 'spec', 'replicas'), count(obj, 'status', 'replicas'), age(obj, now)],
  },
  'policy/PodDisruptionBudget': {
    columns: [
      nameColumn,
      column('Min Available', 'The minimum number of pods that must be available.'),
      column('Max Unavailable', 'The maximum number of pods that may be unavailable.'),
      integer('Allowed Disruptions', 'Calculated number of pods that may be disrupted at this time.'),
      ageColumn,
    ],
    cells: (obj, now) => [
      nameOf(obj),
      textOr('N/A', obj, 'spec', 'minAvailable'),
      textOr('N/A', obj, 'spec', 'maxUnavailable'),
      count(obj, 'status', 'disruptionsAllowed'),
      age(obj, now),
    ],
  },
  'rbac.authorization.k8s.io/RoleBinding': bindingPrinter('roleBinding'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingPrinter('clusterRoleBinding'),
  'coordination.k8s.io/Lease': {
    columns: [nameColumn, column('Holder'), ageColumn],
    cells: (obj, now) => [nameOf(obj), text(obj, 'spec', 'holderIdentity'), age(obj, now)],
  },
  'scheduling.k8s.io/PriorityClass': {
    columns: [nameColumn, integer('Value'), boolean('Global-Default'), ageColumn, column('PreemptionPolicy')],
    cells: (obj, now) => [nameOf(obj), count(obj, 'value'), isTrue(obj, 'globalDefault'), age(obj, now), text(obj, 'preemptionPolicy')],
  },
  'node.k8s.io/RuntimeClass': {
    columns: [nameColumn, column('Handler'), ageColumn],
    cells: (obj, now) => [nameOf(obj), text(obj, 'handler'), age(obj, now)],
  },
  'certificates.k8s.io/CertificateSigningRequest': {
    columns: [nameColumn, ageColumn, column('SignerName'), column('Requestor'), column('RequestedDuration'), column('Condition')],
    cells: (obj, now) => {
      const seconds = at(obj, 'spec', 'expirationSeconds');
      return [
        nameOf(obj),
        age(obj, now),
        textOr('<none>', obj, 'spec', 'signerName'),
        text(obj, 'spec', 'username'),
        typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>',
        csrStatus(obj),
      ];
    },
  },
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookPrinter,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookPrinter,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': policyPrinter(
    'Validations',
    'Validations indicates the number of validation rules defined in this configuration',
    'validations',
  ),
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': policyPrinter(
    'Mutations',
    'Mutation indicates the number of mutations rules defined in this configuration',
    'mutations',
  ),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': policyBindingPrinter,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': policyBindingPrinter,
  'flowcontrol.apiserver.k8s.io/FlowSchema': {
    columns: [
      nameColumn,
      column('PriorityLevel'),
      column('MatchingPrecedence'),
      column('DistinguisherMethod'),
      ageColumn,
      column('MissingPL', 'references a broken or non-existent PriorityLevelConfiguration'),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      text(obj, 'spec', 'priorityLevelConfiguration', 'name'),
      count(obj, 'spec', 'matchingPrecedence'),
      textOr('<none>', obj, 'spec', 'distinguisherMethod', 'type'),
      age(obj, now),
      textOr('?', conditionOf(obj, 'Dangling'), 'status'),
    ],
  },
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': {
    columns: [
      nameColumn,
      column('Type'),
      column('NominalConcurrencyShares'),
      column('Queues'),
      column('HandSize'),
      column('QueueLengthLimit'),
      ageColumn,
    ],
    cells: (obj, now) => {
      const limited = at(obj, 'spec', 'limited');
      const queuing = at(limited, 'limitResponse', 'queuing');
      return [
        nameOf(obj),
        text(obj, 'spec', 'type'),
        numberOr('<none>', at(limited, 'nominalConcurrencyShares')),
        ...['queues', 'handSize', 'queueLengthLimit'].map(field => numberOr('<none>', at(queuing, field))),
        age(obj, now),
      ];
    },
  },
  'resource.k8s.io/DeviceClass': nameAndAge,
  'resource.k8s.io/ResourceClaimTemplate': nameAndAge,
  'resource.k8s.io/ResourceClaim': {
    columns: [nameColumn, column('State', 'A summary of the current state (allocated, pending, reserved, etc.).'), ageColumn],
    cells: (obj, now) => [nameOf(obj), claimState(obj), age(obj, now)],
  },
  'resource.k8s.io/ResourceSlice': {
    columns: [nameColumn, column('Node'), column('Driver'), column('Pool'), ageColumn],
    cells: (obj, now) => [
      nameOf(obj),
      text(obj, 'spec', 'nodeName'),
      text(obj, 'spec', 'driver'),
      text(obj, 'spec', 'pool', 'name'),
      age(obj, now),
    ],
  },
  'apiregistration.k8s.io/APIService': {
    columns: [
      nameColumn,
      column('Service', 'The reference to the service that hosts this API endpoint.'),
      column('Available', 'Whether this service is available.'),
      ageColumn,
    ],
    cells: apiServiceCells,
  },
};
