import { withReadiness } from '../../../api/conditions.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import {
  changesOf,
  knownFirst,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import { errorText } from '../../../util/error-text.ts';
import { jsonEqual } from '../../../util/json.ts';
import { ExpressionError, UnresolvedExpression } from '../expressions/expression-error.ts';
import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import type { ServiceDefinition } from '../kinds/service-definition.ts';
import { Trigger, type TriggerType } from '../kinds/trigger.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { artifactFacts } from './artifact-facts.ts';
import { nextTrigger, type TriggerWorld } from './next-trigger.ts';
import type { Manifests } from './sources-controller.ts';
import { runToStart, StartError } from './start-run.ts';
import type { Start, TriggerDecision } from './trigger-decision.ts';

export interface TriggersDeps {
  readonly hub: KubeClient;
  readonly triggers: Informer<Trigger>;
  readonly services: Informer<ServiceDefinition>;
  readonly infrastructures: Informer<InfrastructureDefinition>;
  readonly pipelineRuns: Informer<PipelineRun>;
  readonly runs: Informer<WorkflowRun>;
  readonly manifests?: Manifests;
  /** Where requests go. */
  addressOf(trigger: Trigger): string | undefined;
  readonly signal: AbortSignal;
  now?(): Date;
}

export type StartedRun = WorkflowRun | PipelineRun;

const fieldManager = 'drover-triggers';
/** A clock may be set while a moment is waited for. */
const longestWaitMs = 300_000;
const refusing = [400, 403, 404, 422];

/** Makes the run of a start, or finds that it was made. Throws StartError, and StatusError when the hub refuses it. */
export async function startRun(
  deps: Pick<TriggersDeps, 'hub' | 'services' | 'runs'>,
  trigger: Trigger,
  start: Start,
  signal: AbortSignal,
): Promise<StartedRun> {
  const { namespace = '' } = trigger.metadata;
  const facts = artifactFacts(
    name => deps.services.get(`${namespace}/${name}`),
    deps.runs.list().filter(run => run.metadata.namespace === namespace),
  );
  const run = runToStart(trigger, start, facts);
  const kind: KindRef<KubeObject> = run.kind === PipelineRun.kind ? PipelineRun : WorkflowRun;
  return (await createMissing(deps.hub, kind, run, { fieldManager, signal })) as StartedRun;
}

/** Starts what Triggers say is to be started, and writes on them what they did. */
export function runTriggers(deps: TriggersDeps): RunningController {
  const { hub, triggers, services, infrastructures, pipelineRuns, runs, manifests, signal, now } = deps;
  const those = (namespace: string | undefined, types: readonly TriggerType[], isAbout: (trigger: Trigger) => boolean): Key[] =>
    triggers
      .list()
      .filter(one => one.metadata.namespace === namespace && types.includes(one.spec.condition.type) && isAbout(one))
      .map(keyOf);
  const ofService = ({ metadata }: ServiceDefinition) =>
    those(metadata.namespace, ['NewArtifact'], one => one.spec.condition.service === metadata.name);
  const ofInfrastructure = ({ metadata }: InfrastructureDefinition) =>
    those(metadata.namespace, ['ClusterJoined'], one => one.spec.condition.infrastructureRef === metadata.name);
  const ofPipelineRun = ({ metadata, spec }: PipelineRun) =>
    those(metadata.namespace, ['PipelineCompletion'], one => one.spec.condition.pipeline === spec.pipelineRef.name);
  const ofRun = ({ metadata, spec }: WorkflowRun) =>
    those(metadata.namespace, ['ClusterJoined'], one => one.spec.action.workflowRef?.name === spec.workflowRef.name);
  const ofManifests = (service: Key) => {
    const [namespace, name] = service.split('/');
    return those(namespace, ['NewManifest'], one => one.spec.condition.service === name);
  };
  return runController(
    { name: 'workflow-triggers', reconcile },
    {
      triggers: [
        changesOf(triggers),
        changesOf(services, ofService, ({ status }) => status?.artifactVersions),
        changesOf(infrastructures, ofInfrastructure, ({ status }) => status?.matched),
        changesOf(pipelineRuns, ofPipelineRun, ({ status }) => status?.phase),
        changesOf(runs, ofRun, ({ status }) => status?.phase),
        ...(manifests
          ? [{ synced: Promise.resolve(), start: (add: (key: Key) => void) => manifests.onChange(one => ofManifests(one).forEach(add)) }]
          : []),
        knownFirst(services, infrastructures, pipelineRuns, runs),
      ],
      signal,
      ...(now && { now }),
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const known = triggers.get(key);
    if (!known || known.metadata.deletionTimestamp !== undefined) return settled;
    const first = nextTrigger(known, worldOf(known), ctx.now);
    // What is started counts from what was written last, which may not have come here yet.
    const trigger = first.starts.length === 0 ? known : await hub.get(Trigger, splitKey(key), { signal: ctx.signal });
    if (!trigger || trigger.metadata.deletionTimestamp !== undefined) return settled;
    const decision = trigger === known ? first : nextTrigger(trigger, worldOf(trigger), ctx.now);
    const started: StartedRun[] = [];
    let { message } = decision;
    for (const start of decision.starts) {
      try {
        started.push(await startRun(deps, trigger, start, ctx.signal));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        message = errorText(error);
      }
    }
    await report(trigger, { ...decision, ...(message !== undefined && { message }) }, started.at(-1), ctx);
    const { wakeAt } = decision;
    return wakeAt === undefined ? settled : requeue(Math.min(longestWaitMs, Math.max(0, wakeAt.getTime() - ctx.now.getTime())));
  }

  function worldOf({ metadata: { namespace }, spec }: Trigger): TriggerWorld {
    const here = <T extends KubeObject>(all: Informer<T>) => all.list().filter(one => one.metadata.namespace === namespace);
    return {
      findService: name => services.get(`${namespace}/${name}`),
      findInfrastructure: name => infrastructures.get(`${namespace}/${name}`),
      pipelineRuns: () => here(pipelineRuns),
      runs: () => here(runs),
      manifests: manifests?.get(`${namespace}/${spec.condition.service}`, spec.condition.tagFilter),
    };
  }

  /** With the version that was read: what was decided from an older one is not written, and not done twice because it has a name. */
  async function report(
    trigger: Trigger,
    { seen, nextFire, message }: TriggerDecision,
    started: StartedRun | undefined,
    ctx: Context,
  ): Promise<void> {
    const { generation } = trigger.metadata;
    const { lastFired, lastRun, message: said, conditions } = trigger.status ?? {};
    const url = deps.addressOf(trigger);
    const text = message ?? (started ? `Started ${started.metadata.name}` : said === 'Paused' ? undefined : said);
    const isHurt = message !== undefined && message !== 'Paused';
    const status: NonNullable<Trigger['status']> = {
      ...(url !== undefined && { url }),
      ...((started || lastFired) && { lastFired: started ? ctx.now.toISOString() : lastFired! }),
      ...((started || lastRun) && { lastRun: started?.metadata.name ?? lastRun! }),
      ...(nextFire && trigger.spec.paused !== true && { nextFire: nextFire.toISOString() }),
      ...(text !== undefined && { message: text }),
      ...(Object.keys(seen).length > 0 && { seen }),
      conditions: withReadiness(
        conditions,
        [{ type: 'Ready', status: isHurt ? 'False' : 'True', reason: isHurt ? 'NotStarted' : 'Watching', message: message ?? '' }],
        { course: isHurt ? 'Stalled' : undefined, now: ctx.now, generation },
      ),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    if (jsonEqual(status, trigger.status)) return;
    await hub.update(Trigger, { ...trigger, status }, { subresource: 'status', fieldManager, signal: ctx.signal });
  }
}

/** What only a change of the trigger, or of what it starts, can help. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof StartError || error instanceof ExpressionError || error instanceof UnresolvedExpression) return true;
  return error instanceof StatusError && refusing.includes(error.code);
}
