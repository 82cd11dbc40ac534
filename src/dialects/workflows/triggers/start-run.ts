import { createHash } from 'node:crypto';
import { newObject } from '../../../api/define-kind.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import { printGroups } from '../freezes/starter-groups.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import type { Trigger } from '../kinds/trigger.ts';
import { WorkflowRun, type ArtifactChoice } from '../kinds/workflow-run.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { Start } from './trigger-decision.ts';

/** What versions of artifacts are known. */
export interface ArtifactFacts {
  /** The newest that was seen. */
  lastCollected(service: string, artifact: string | undefined): ArtifactChoice | undefined;
  /** That of the last run that succeeded. */
  lastDeployed(service: string, artifact: string | undefined): ArtifactChoice | undefined;
}

/** The action cannot be done as it is written, with what was received. The message is for people. */
export class StartError extends Error {
  override name = 'StartError';
}

const maxNameLength = 52;
const hashLength = 10;

/** What is started by one occasion has one name. */
export function startedName({ metadata }: Pick<Trigger, 'metadata'>, occasion: string): string {
  const hash = createHash('sha256').update(`${metadata.uid} ${occasion}`).digest('hex').slice(0, hashLength);
  return `${metadata.name!.slice(0, maxNameLength).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** The run that a start is to make. Throws StartError, ExpressionError and UnresolvedExpression. */
export function runToStart(trigger: Trigger, start: Start, facts: ArtifactFacts): WorkflowRun | PipelineRun {
  const { action } = trigger.spec;
  const { namespace = '', name = '' } = trigger.metadata;
  const scope = payloadScope({ ...start.payload, trigger: { name } });
  const own = Object.fromEntries(Object.entries(action.variables ?? {}).map(([key, value]) => [key, renderText(value, scope)]));
  const variables = { ...start.variables, ...own };
  const artifacts = chooseArtifacts(trigger, start, facts, scope);
  const metadata = {
    namespace,
    name: startedName(trigger, start.occasion),
    labels: {
      [deliveryLabels.trigger]: name.slice(0, 63).replace(/[^a-zA-Z0-9]+$/, ''),
      ...(action.workflowRef && { [deliveryLabels.workflow]: action.workflowRef.name.slice(0, 63).replace(/[^a-zA-Z0-9]+$/, '') }),
    },
    annotations: {
      [deliveryAnnotations.triggeredBy]: start.by ?? `trigger/${name}`,
      ...(start.groups && { [deliveryAnnotations.triggeredByGroups]: printGroups(start.groups) }),
    },
  };
  const shared = {
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(artifacts.length > 0 && { artifacts }),
    notes: `Started by trigger ${name}`,
  };
  if (action.pipelineRef) return newObject(PipelineRun, metadata, { pipelineRef: { name: action.pipelineRef.name }, ...shared });
  if (!action.workflowRef) throw new StartError('The action names neither a workflow nor a pipeline');
  return newObject(WorkflowRun, metadata, {
    workflowRef: { name: action.workflowRef.name },
    ...shared,
    ...(start.clusters && { clusters: { only: [...start.clusters] } }),
    ...(start.infrastructure !== undefined && { infrastructureRef: start.infrastructure }),
  });
}

/** The fields of what was received, whatever they are called. */
export const payloadScope =
  (payload: JsonObject): ExpressionScope =>
  path =>
    path
      .split('.')
      .reduce<unknown>(
        (value, key) => (typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined),
        payload,
      );

/** What the action says goes before what came by itself, but for FromPayload. */
function chooseArtifacts({ spec }: Trigger, start: Start, facts: ArtifactFacts, scope: ExpressionScope): ArtifactChoice[] {
  const given = start.artifacts ?? [];
  const chosen = (spec.action.artifacts ?? []).map(({ service, artifact, select, build = '' }): ArtifactChoice => {
    const fits = (one: ArtifactChoice) =>
      (one.service ?? service) === service && (artifact === undefined || (one.artifact ?? artifact) === artifact);
    const found =
      select === 'Build'
        ? { tag: renderText(build, scope) }
        : select === 'FromPayload'
          ? given.find(fits)
          : select === 'LastCollected'
            ? facts.lastCollected(service, artifact)
            : facts.lastDeployed(service, artifact);
    if (!found) throw new StartError(`There is no version of service "${service}" to choose by ${select}`);
    return { ...found, service, ...(artifact !== undefined && { artifact }) };
  });
  const services = new Set(chosen.map(one => one.service));
  return [...chosen, ...given.filter(one => one.service === undefined || !services.has(one.service))];
}
