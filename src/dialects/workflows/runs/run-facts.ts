import { artifactNames } from '../inputs/artifact-names.ts';
import type { ScopeFacts } from '../inputs/run-scope.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import { deliveryAnnotations } from '../names.ts';
import { pipelineFacts } from '../pipelines/pipeline-facts.ts';
import type { GrantedCluster } from './cluster-grant.ts';
import { phasesOf, type PhaseSpec } from './generate-phases.ts';
import type { RunStatus } from './run-status.ts';

/** A run with the status that it writes itself. */
export type RunWithStatus = Pick<WorkflowRun, 'metadata' | 'spec'> & { readonly status?: RunStatus };
export const withStatus = (run: WorkflowRun): RunWithStatus => run as unknown as RunWithStatus;

/** What expressions find of a run, wherever they stand in it. What belongs to a wave, a cluster or a step is for the caller to add. */
export function factsOfRun(run: RunWithStatus): ScopeFacts {
  const { metadata, status = {} } = run;
  const { engine, startedAt, releaseNo, resolvedClusters, outputs, url } = status;
  const name = metadata.name ?? '';
  const triggeredBy = metadata.annotations?.[deliveryAnnotations.triggeredBy] ?? status.triggeredBy;
  const { lastGood, http } = engine ?? {};
  const pipeline = pipelineFacts(metadata.annotations);
  return {
    run: {
      name,
      displayName: name,
      ...(startedAt !== undefined && { startedAt }),
      ...(triggeredBy !== undefined && { triggeredBy }),
      ...(releaseNo !== undefined && { releaseNo: String(releaseNo) }),
      ...(lastGood && { lastGoodReleaseNo: String(lastGood.releaseNo), lastGoodDeploymentDisplayName: lastGood.name }),
      timestampId: String(Date.parse(metadata.creationTimestamp ?? '') || 0),
      ...(url !== undefined && { url }),
      // A pipeline that is resumed stays the same one.
      ...(pipeline && { pipelineDeploymentUuid: pipeline.uid, pipelineResumeUuid: pipeline.uid }),
    },
    ...(pipeline && { pipeline: { name: pipeline.name, displayName: pipeline.displayName } }),
    ...(lastGood?.artifact && { rollbackArtifact: artifactNames(lastGood.artifact)! }),
    ...(resolvedClusters && { resolved: resolvedClusters }),
    ...((outputs || pipeline) && { context: { ...pipeline?.context, ...outputs } }),
    ...(http && { httpResponseCode: http.code, httpResponseBody: http.body }),
  };
}

/** What expressions find of a phase: other values of variables, another service, and not what other phases keep to themselves. */
export function factsOfPhase(run: RunWithStatus, phaseName: string): Pick<ScopeFacts, 'phaseVariables' | 'service' | 'context'> {
  const { snapshot } = run.status ?? {};
  if (!snapshot) return {};
  const phases = phasesOf(snapshot.workflow.spec, snapshot.provider.type);
  const phase = phases.find(one => one.name === phaseName);
  const overrides = (phase?.variableOverrides ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return {
    ...(overrides.length > 0 && { phaseVariables: Object.fromEntries(overrides) }),
    ...(phase?.serviceRef !== undefined && { service: phase.serviceRef }),
    ...contextWithin(run, phases, phaseName),
  };
}

/** Without what steps of other phases have published for their own phase alone. Nothing when there is no such thing. */
function contextWithin(run: RunWithStatus, phases: readonly PhaseSpec[], phaseName: string): Pick<ScopeFacts, 'context'> {
  const outputs = phases.flatMap(phase =>
    [...phase.groups, ...phase.rollback].flatMap(group =>
      group.steps.flatMap(({ output }) =>
        output ? [{ name: output.name, isSeen: output.scope !== 'Phase' || phase.name === phaseName }] : [],
      ),
    ),
  );
  const seen = new Set(outputs.filter(one => one.isSeen).map(one => one.name));
  const hidden = outputs.filter(({ name }) => !seen.has(name)).map(({ name }) => name);
  const { context } = factsOfRun(run);
  if (!context || hidden.length === 0) return {};
  return { context: Object.fromEntries(Object.entries(context).filter(([name]) => !hidden.includes(name))) };
}

/** What expressions find of a wave. */
export function factsOfWave({ status }: RunWithStatus, waveName: string | undefined): Pick<ScopeFacts, 'wave'> {
  const index = status?.waves?.findIndex(one => one.name === waveName) ?? -1;
  if (index < 0) return {};
  const { name, clusters } = status!.waves![index]!;
  const names = new Map(status!.resolvedClusters?.map(one => [one.id, one.name]));
  return { wave: { name, index, clusters: clusters.map(id => names.get(id) ?? id) } };
}

/** What steps have said of clusters, where it is said once for all of them: what is the same everywhere, or else one after the other, in their order. */
export function factsOfClusters(clusters: readonly (GrantedCluster | undefined)[]): Pick<ScopeFacts, 'k8s'> {
  const values = new Map<string, string[]>();
  for (const cluster of clusters)
    for (const [name, value] of Object.entries(cluster?.status?.outputs ?? {}))
      if (!name.includes('.')) values.getOrInsertComputed(name, () => []).push(value);
  const said = [...values].map(([name, all]) => [name, new Set(all).size === 1 ? all[0]! : all.join(',')] as const);
  return said.length > 0 ? { k8s: Object.fromEntries(said) } : {};
}
