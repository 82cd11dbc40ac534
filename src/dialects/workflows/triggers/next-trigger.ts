import { errorText } from '../../../util/error-text.ts';
import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import type { PipelineRun } from '../kinds/pipeline.ts';
import type { ServiceDefinition } from '../kinds/service-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import { decideArtifact, newestVersions, versionText } from './decide-artifact.ts';
import { decideCompletion } from './decide-completion.ts';
import { decideJoined } from './decide-joined.ts';
import { decideManifest, type ManifestLook } from './decide-manifest.ts';
import { decideSchedule } from './decide-schedule.ts';
import { releaseFacts } from './release-facts.ts';
import { restsUntil, type TriggerDecision } from './trigger-decision.ts';

/** What triggers look at, of their namespace. */
export interface TriggerWorld {
  findService(name: string): ServiceDefinition | undefined;
  findInfrastructure(name: string): InfrastructureDefinition | undefined;
  pipelineRuns(): readonly PipelineRun[];
  runs(): readonly WorkflowRun[];
  /** Of the service of the trigger; undefined before it was looked at. */
  readonly manifests: ManifestLook | undefined;
}

/** What a trigger is to start now, for those that look for themselves. */
export function nextTrigger(trigger: Trigger, world: TriggerWorld, now: Date): TriggerDecision {
  const { seen = {} } = trigger.status ?? {};
  try {
    const decision = decide(trigger, world, now);
    if (trigger.spec.paused === true) return { ...decision, starts: [], message: 'Paused' };
    return withInterval(trigger, decision, now);
  } catch (error) {
    return { starts: [], seen, message: errorText(error) };
  }
}

function decide(trigger: Trigger, world: TriggerWorld, now: Date): TriggerDecision {
  const { condition, action } = trigger.spec;
  switch (condition.type) {
    case 'Schedule':
      return decideSchedule(trigger, { newest: newestOf(trigger, world) }, now);
    case 'NewArtifact':
      return decideArtifact(trigger, world.findService(condition.service ?? ''));
    case 'NewManifest':
      return decideManifest(trigger, world.manifests);
    case 'PipelineCompletion':
      return decideCompletion(trigger, world.pipelineRuns(), now);
    case 'ClusterJoined': {
      const { infrastructureRef } = condition;
      const released = releaseFacts(world.runs(), action.workflowRef?.name ?? '', infrastructureRef);
      return decideJoined(trigger, { infrastructure: world.findInfrastructure(infrastructureRef ?? ''), ...released });
    }
    case 'Webhook':
    case 'GitEvent':
      return { starts: [], seen: {} };
  }
}

/** Names the newest artifacts of the services that the action is about. */
function newestOf({ spec }: Trigger, world: TriggerWorld): string {
  const services = [
    ...new Set([spec.condition.service, ...(spec.action.artifacts ?? []).map(one => one.service)].filter(one => one !== undefined)),
  ];
  return services
    .flatMap(name =>
      [...newestVersions(world.findService(name), spec.condition)].map(([artifact, one]) => `${name}/${artifact}:${versionText(one)}`),
    )
    .join(' ');
}

/** What comes too soon waits; of several the last one is enough. */
function withInterval(trigger: Trigger, decision: TriggerDecision, now: Date): TriggerDecision {
  const { spec, status } = trigger;
  if (spec.minInterval === undefined || decision.starts.length === 0) return decision;
  const wakeAt = restsUntil(trigger, now);
  if (wakeAt) return { ...decision, starts: [], seen: status?.seen ?? {}, wakeAt, message: 'Waits for its least interval' };
  return { ...decision, starts: decision.starts.slice(-1) };
}
