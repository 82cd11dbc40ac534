import { createHash } from 'node:crypto';
import { planWaves } from '../../../core/rollouts/plan-waves.ts';
import type { InputFault, Resolution } from '../inputs/run-inputs.ts';
import { clusterTitles, type ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import { failRun } from './end-run.ts';
import { failedStep } from './handle-failure.ts';
import { resolvingStep } from './run-plan.ts';
import { stand, type Draft } from './run-step.ts';
import { beginRecord, endRecord, findRecord, isDue, isOver, say } from './step-records.ts';

/** Finds the clusters, once for the whole run. True when there is no need for it any more. */
export function resolveRun(draft: Draft): boolean {
  const { status, input } = draft;
  const placed = resolvingStep(draft.plan!);
  if (!placed || status.resolvedClusters !== undefined) return true;
  const way = { round: 0, leg: 0, wave: undefined };
  const record = findRecord(draft, placed, way) ?? beginRecord(draft, placed, way);
  // That there are none was ignored: steps on clusters say so.
  if (isOver(record)) return true;
  if (status.startedAt !== undefined) status.phase = 'Resolving';
  if (!isDue(draft, record)) return false;
  if (!input.answer || 'snapshot' in input.answer) {
    draft.wants = 'clusters';
    return false;
  }
  const resolution: Resolution = 'resolution' in input.answer ? input.answer.resolution : { lines: [], fault: input.answer.fault };
  say(draft, record, resolution.lines);
  if ('fault' in resolution) {
    endRecord(draft, record, 'Failed', resolution.fault.message);
    draft.engine.breach = failureOf(resolution.fault);
    failedStep(draft, placed, record, [resolution.fault.failureType]);
    return false;
  }
  endRecord(draft, record, 'Succeeded');
  return takeClusters(draft, resolution.eligible);
}

const failureOf = ({ failureType, reason, message }: InputFault) => ({ type: failureType, reason, message });

/** Writes down the whole plan. False when it cannot be carried out. */
function takeClusters(draft: Draft, clusters: readonly ResolvedCluster[]): boolean {
  const { status, rollout, input } = draft;
  const titles = clusterTitles(clusters);
  const idOf = new Map(titles.map((title, i) => [title, clusters[i]!.id]));
  const planned = clusters.map(({ id, name, labels }, i) => ({ name: titles[i]!, aliases: [name, id], labels }));
  const plan = planWaves(planned, rollout);
  status.resolvedClusters = clusters.map(({ id, name }) => ({ id, name }));
  status.waves = plan.waves.map(wave => ({ name: wave.name, phase: 'Pending', clusters: wave.clusters.map(title => idOf.get(title)!) }));
  const rest = plan.unassigned.map(title => idOf.get(title)!);
  if (rest.length > 0 && rollout.unassigned === 'Fail') {
    const message = `no wave selects ${plan.unassigned.slice(0, 3).join(', ')}`;
    failRun(draft, { type: 'ApplicationError', reason: 'UnassignedClusters', message });
    return false;
  }
  const blind = clusters.filter(({ id }) => input.seeCluster(id)?.isMeant === false).map(one => one.id);
  if (blind.length > 0) draft.engine.blind = blind;
  status.waves.at(-1)!.clusters.push(...rest);
  for (const id of rest) stand(draft, id, { state: 'Skipped', reason: 'NotSelected' });
  status.planHash = planHash(draft);
  if (input.previewHash === undefined || input.previewHash === status.planHash) return true;
  const message = input.previewHash === null ? 'There is no such preview' : 'What would be done is not what the preview showed';
  failRun(draft, { type: 'ApplicationError', reason: 'PlanStale', message });
  return false;
}

/** Covers manifests, artifacts, clusters and waves: everything that a run is made from, and who gets it in which order. */
function planHash({ status: { snapshot, waves = [] } }: Draft): string {
  const covered = { snapshot, waves: waves.map(({ name, clusters }) => ({ name, clusters })) };
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(covered)))
    .digest('hex')}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
