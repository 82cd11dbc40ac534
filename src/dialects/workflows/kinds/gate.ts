import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { duration, share } from '../../../api/rollout.ts';
import { anyObject, flag, integer, intOrString, list, mapOf, object, oneOf, optional, text, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, deciders, delivery, variable } from './group.ts';

export const gateTypes = ['Approval', 'Wait', 'Window', 'HTTP', 'Analysis', 'Job', 'Expression'] as const;
export type GateType = (typeof gateTypes)[number];

const jobPlaces = ['Hub', 'EachCluster', 'FirstCluster'] as const;

/** What a gate asks for, by its type. Steps of these types have the same fields in `with`. */
export const gateFields = {
  ...deciders,
  variables: optional(list('For Approval: what whoever decides may fill in, and with what unless they do.', variable)),
  duration: duration('For Wait: how long. For Window: how long the window is open.'),
  schedule: optional(text('For Window: when it opens, five fields as cron has them.')),
  timeZone: optional(text('For Window: the time zone of the schedule. UTC when absent.')),
  url: optional(text('For HTTP: the address. Expressions are allowed.')),
  method: optional(text('For HTTP: the method. GET when absent.')),
  headers: optional(mapOf('For HTTP: headers. Expressions are allowed.', text('A value.'))),
  body: optional(text('For HTTP: what is sent. Expressions are allowed.')),
  successCodes: optional(
    list('For HTTP: codes and ranges that are good, such as "200-299". These when absent.', intOrString('A code or a range.')),
  ),
  condition: optional(text('For HTTP: an expression over httpResponseCode and httpResponseBody that must hold besides.')),
  interval: duration('For HTTP: how long between two requests. 10s when absent.'),
  consecutive: optional(integer('For HTTP: how many answers in a row must be good. 1 when absent.', { minimum: 1 })),
  templateRef: optional(text('For Analysis: the GateTemplate.')),
  args: optional(mapOf('For Analysis: ${args.<name>} in the template.', text('A value. Expressions are allowed.'))),
  manifest: optional(anyObject('For Job: a Job of batch/v1. Expressions are allowed.')),
  runOn: optional(oneOf(jobPlaces, 'For Job: where it runs. On the hub when absent.')),
  on: optional(oneOf(jobPlaces, 'The same as runOn, by a name that YAML takes for a truth value unless it is in quotes.')),
  expr: optional(text('For Expression: the expression that must be true.')),
  maxFailures: share('For Analysis and Job on each cluster: how many clusters may fail. None when absent.'),
};

/** Where a Job runs. What nobody checks may have the name that YAML makes of `on`. */
export const jobPlaceOf = (fields: Readonly<Record<string, unknown>>): unknown => fields['runOn'] ?? fields['on'] ?? fields['true'];

const gate = object('A gate: nothing goes on before it is passed.', {
  name: text('The name.', { minLength: 1, maxLength: 63 }),
  type: oneOf(gateTypes, 'What it waits for.'),
  timeout: duration('How long it may take. 1h when absent; for Approval at most 24 days.'),
  onFailure: optional(oneOf(['Fail', 'Pause', 'Rollback'], 'What happens when it is not passed.', { default: 'Fail' })),
  onTimeout: optional(oneOf(['Fail', 'Pass', 'Pause'], 'What happens when it takes too long.', { default: 'Fail' })),
  ...gateFields,
});
export type Gate = TypeOf<typeof gate>;
export const gates = (description: string) => optional(list(description, gate, { maxItems: 20 }));

const metric = object('A measurement.', {
  name: text('The name.', { minLength: 1 }),
  interval: duration('How long between two measurements.'),
  initialDelay: duration('How long before the first one.'),
  count: optional(integer('How many measurements.', { minimum: 1, default: 1 })),
  successCondition: optional(text('An expression over result that is true when all is well.')),
  failureCondition: optional(text('An expression over result that is true when it is not.')),
  failureLimit: optional(integer('How many may be bad.', { minimum: 0, default: 0 })),
  inconclusiveLimit: optional(integer('How many may say neither.', { minimum: 0, default: 0 })),
  consecutiveErrorLimit: optional(integer('How many in a row may not come about.', { minimum: 0, default: 4 })),
  scope: optional(oneOf(['Wave', 'EachCluster'], 'Whether it is made once for a wave, or on each of its clusters.', { default: 'Wave' })),
  dryRun: optional(flag('Whether it is only made, and decides nothing.')),
  provider: object(
    'Where the number comes from. Exactly one.',
    {
      prometheus: optional(
        object('A query to Prometheus.', {
          address: text('The address of the server.', { minLength: 1 }),
          query: text('The query. Expressions are allowed.', { minLength: 1 }),
          headersSecretRef: optional(object('A Secret whose keys are headers.', { name: text('The name of the Secret.') })),
        }),
      ),
      web: optional(
        object('A JSON document.', {
          url: text('The address. Expressions are allowed.', { minLength: 1 }),
          jsonPath: optional(text('Which part of it, such as {$.data.ok}. All of it when absent.')),
          headersSecretRef: optional(object('A Secret whose keys are headers.', { name: text('The name of the Secret.') })),
        }),
      ),
      kubernetes: optional(
        object('An object of the cluster.', {
          resource: text('Which one: [namespace/]Kind/name, for kinds with a group Kind.group/name.', { minLength: 1 }),
          jsonPath: optional(text('Which part of it, such as {.status.readyReplicas}.')),
        }),
      ),
    },
    {
      rules: [
        {
          rule: '[has(self.prometheus), has(self.web), has(self.kubernetes)].filter(given, given).size() == 1',
          message: 'exactly one of prometheus, web and kubernetes is needed',
        },
      ],
    },
  ),
});
export type Metric = TypeOf<typeof metric>;

export const GateTemplate = defineKind({
  ...delivery,
  kind: 'GateTemplate',
  plural: 'gatetemplates',
  shortNames: ['gate'],
  scope: 'Namespaced',
  description: 'Measurements that a gate of type Analysis makes.',
  spec: object('What is measured.', {
    args: optional(list('What ${args.<name>} stands for unless the gate says otherwise.', variable)),
    metrics: list('The measurements. All must succeed.', metric, { minItems: 1, maxItems: 50 }),
  }),
  status: object('What was observed.', conditions, notSeenYet),
  columns: [{ name: 'Metrics', type: 'string', path: '.spec.metrics[*].name' }, ageColumn],
});
export type GateTemplate = ObjectFor<typeof GateTemplate>;
