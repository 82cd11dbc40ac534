import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { clusterStates } from '../../../api/rollout.ts';
import { flag, integer, list, mapOf, object, oneOf, optional, text, time, wholeObject, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, delivery } from './group.ts';

const grant = object('The step that the cluster may do now.', {
  id: integer('Grows with every step that is granted: the number of the step in the run.', { minimum: 1 }),
  phase: text('The phase.'),
  group: text('The group.'),
  step: text('The name of the step.'),
  type: text('What it does.'),
  position: integer('Where the step is among all of the run.'),
  with: optional(wholeObject('What the step is told.')),
  timeout: optional(text('How long it may take.')),
  progressDeadline: optional(text('How long the cluster may take in all.')),
  isRollback: optional(flag('Whether it undoes.')),
  isLast: optional(flag('Whether the cluster is done when the step is.')),
  attempt: integer('Which attempt it is, from 1.'),
});
export type Grant = TypeOf<typeof grant>;

const standing = object('What the run says of the cluster without asking it, until the next step is granted.', {
  state: oneOf(clusterStates, 'Where the cluster is. Aborted: whatever it waits for is cut short.'),
  reason: optional(text('Why, in one CamelCase word for programs.')),
  message: optional(text('Why, for people.')),
});
export type Standing = TypeOf<typeof standing>;

const stepResult = object('What came of the step that was last granted.', {
  status: oneOf(['Running', 'Succeeded', 'Failed', 'Skipped', 'TimedOut'], 'Where it is.'),
  message: optional(text('Why, for people.')),
  failureType: optional(text('Which kind of failure.')),
  startedAt: optional(time('When it began.')),
  finishedAt: optional(time('When it ended.')),
});
export type StepResult = TypeOf<typeof stepResult>;

export const ClusterRun = defineKind({
  ...delivery,
  kind: 'ClusterRun',
  plural: 'clusterruns',
  shortNames: ['crun'],
  scope: 'Namespaced',
  description: "One cluster's part of a WorkflowRun. Made and changed by the hub alone.",
  spec: object('What the cluster may do.', {
    runRef: object('The WorkflowRun.', { name: text('Its name.'), uid: text('Its uid.') }),
    cluster: object('The cluster.', { id: text('Its id.'), name: text('Its name.') }),
    wave: text('The wave.'),
    grant: optional(grant),
    standing: optional(standing),
  }),
  status: object(
    'How far the cluster is.',
    {
      phase: optional(oneOf(clusterStates, 'Where it is.')),
      startedAt: optional(time('When the cluster began with its first step.')),
      grant: optional(integer('The grant of which step speaks.')),
      step: optional(stepResult),
      steps: optional(
        list(
          'The steps that are over, in order.',
          object('A step.', {
            grant: integer('Its grant.'),
            name: text('Its name.'),
            type: text('What it does.'),
            status: text('What came of it.'),
            message: optional(text('Why, for people.')),
          }),
        ),
      ),
      checkpoint: optional(
        object('What was being done.', {
          grant: integer('The grant.'),
          half: oneOf(['begin', 'end'], 'Which half of the step.'),
          at: optional(time('When the half began.')),
          awaits: optional(list('The objects that must be steady before the step ends.', wholeObject('An object of the member.'))),
          result: optional(oneOf(['Succeeded', 'Failed', 'TimedOut'], 'What the step comes to when its end is written.')),
          failureType: optional(text('Which kind of failure that is.')),
          message: optional(text('Why, for people.')),
        }),
      ),
      releaseNumber: optional(integer('The release that the run made on this cluster.')),
      previousRelease: optional(integer('The last release before it that succeeded.')),
      canary: optional(
        object('The canary.', {
          workload: text('The workload, and what belongs to it, as Delete takes it.'),
          instances: integer('How many pods.'),
        }),
      ),
      blueGreen: optional(
        object('The colours.', {
          primaryService: text('The primary Service.'),
          stageService: text('The stage Service.'),
          primaryColorBefore: text('The colour of the primary Service before the run. Empty when there was none.'),
          stageColor: text('The colour that was deployed.'),
          swapped: flag('Whether the Services were swapped.'),
        }),
      ),
      exchange: optional(
        object('Which selectors two Services get that have nothing to do with colours.', {
          position: integer('The step, by where it is in the run.'),
          selectors: list('What they are to select, the first Service first.', mapOf('Labels.', text('A value.'))),
        }),
      ),
      outputs: optional(mapOf('What ${k8s.<name>} stands for on this cluster.', text('A value.'))),
      pods: optional(list('The pods that the last deployment had when it was steady, at most a hundred.', text('A name.'))),
      failure: optional(
        object('Why it failed.', {
          type: text('Which kind of failure.'),
          reason: text('Why, in one CamelCase word for programs.'),
          message: text('Why, for people.'),
        }),
      ),
      preview: optional(
        object('What the run would do here.', {
          create: optional(list('Objects that would be made.', text('An object.'))),
          update: optional(list('Objects that would change.', text('An object.'))),
          prune: optional(list('Objects that would be deleted.', text('An object.'))),
          unchanged: optional(integer('How many would stay as they are.')),
          errors: optional(list('What the cluster would refuse.', text('Why.'))),
          releaseNumber: optional(integer('The release it would be.')),
          seen: optional(
            list(
              'What was there, so that a run that goes by this preview can tell what has changed since.',
              object('An object.', {
                group: text('The API group, empty for the core.'),
                version: text('The version.'),
                kind: text('The kind.'),
                namespace: optional(text('The namespace. Absent for objects of the whole cluster.')),
                name: text('The name.'),
                digest: text('A digest of what people mean by the object. Empty when it was not there.'),
              }),
            ),
          ),
        }),
      ),
      scaleDownAt: optional(time('When the colour that production has left is scaled down.')),
      drift: optional(
        list(
          'What others have changed of the release since it was deployed, at most fifty fields.',
          object('A field.', {
            object: text('The object, as namespace/Kind/name.'),
            path: text('The field, such as ".spec.replicas". Empty: the object as a whole is gone.'),
            manager: optional(text('The field manager that changed it, where the cluster knows.')),
          }),
        ),
      ),
      soak: optional(
        object('What is seen while the cluster is watched.', {
          since: time('When it was first looked at.'),
          restarts: optional(mapOf('How often the containers of pods had restarted then, by the uid of the pod.', integer('A number.'))),
          illSince: optional(time('Since when it is unhealthy.')),
          isCertain: optional(flag('Whether that will not pass by itself.')),
          message: optional(text('Why, for people.')),
        }),
      ),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Cluster', type: 'string', path: '.spec.cluster.name' },
    { name: 'Wave', type: 'string', path: '.spec.wave', priority: 1 },
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'Step', type: 'string', path: '.spec.grant.step', priority: 1 },
    { name: 'Release', type: 'integer', path: '.status.releaseNumber', priority: 1 },
    { name: 'Message', type: 'string', path: '.status.failure.message', priority: 1 },
    ageColumn,
  ],
});
export type ClusterRun = ObjectFor<typeof ClusterRun>;
