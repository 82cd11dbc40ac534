import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { fragmentOf } from './adopt-workload.ts';
import { composeWork, find, merged, nextWork } from './compose-work.ts';
import { badInstances, wantedInstances } from './instances.ts';
import { keepOnMember, withAnnotations } from './marks.ts';
import { parseRef } from './parse-refs.ts';
import { templateLabelsOf, withReplicas } from './pod-template.ts';
import { refLine, unitLog } from './step-log.ts';
import type { NextWork, OfflineInput, StepBegin, StepInput } from './step.ts';

const workloadOf = (input: OfflineInput): ObjectRef | string => parseRef(String(input.with['workload'] ?? '').trim(), input);

export function neededOfScale(input: OfflineInput): ObjectRef[] {
  const ref = workloadOf(input);
  return typeof ref === 'string' ? [] : [ref];
}

export function beginScale(input: StepInput): StepBegin {
  const log = unitLog('Scale');
  const failed = (message: string): StepBegin => ({ outcome: 'failed', message, lines: log.error(message).failed().lines });
  const ref = workloadOf(input);
  if (typeof ref === 'string') return failed(ref);
  const live = input.live(ref);
  const held = find(input.present, ref);
  if (!live && !held) return failed(`${refLine(ref)} not found.`);
  const replicas = wantedInstances({ with: input.with, live: live ?? held });
  if (replicas === undefined) return failed(badInstances(input.with['instances']));

  const base = held ?? withAnnotations(fragmentOf(live!), keepOnMember);
  log.info(`Scaling ${refLine(ref)} to ${replicas}`);
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(merged(input.present, [withReplicas(base, replicas)]), input.book.records), { lines: log.lines }),
    await: input.with['skipSteadyStateCheck'] === true ? [] : [ref],
  };
}

export function endScale({ present, book }: StepInput, result: 'steady' | 'failed'): NextWork {
  const log = unitLog('Scale');
  return nextWork(composeWork(present, book.records), { lines: (result === 'steady' ? log.done() : log.failed()).lines });
}

/** The color that production has left needs no pods any more, when the time to go back quickly is over. */
export function scaleDownOld({ present, book, clusterRun }: StepInput): NextWork {
  const { blueGreen } = clusterRun;
  const old = blueGreen?.swapped && blueGreen.primaryColorBefore !== '' ? blueGreen.primaryColorBefore : undefined;
  const log = unitLog('Scale');
  const isOld = (obj: KubeObject) =>
    old !== undefined &&
    ['Deployment', 'DeploymentConfig', 'StatefulSet'].includes(obj.kind) &&
    Object.values(templateLabelsOf(obj)).includes(old);
  const idle = present.filter(isOld).map(obj => withReplicas(obj, 0));
  for (const obj of idle) log.info(`Scaling ${refLine(refOf(obj))} to 0`);
  return nextWork(composeWork(merged(present, idle), book.records), { lines: idle.length > 0 ? log.done().lines : [] });
}
