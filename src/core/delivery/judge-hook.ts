import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { judgeHealth, type Health } from './judge-health.ts';
import { textAt } from './observed-fields.ts';

/** How far a hook is, as Helm judges it: a Job or Pod must have come to its end, everything else is done when it is there. */
export function judgeHook(obj: KubeObject | undefined): Health {
  if (!obj) return judgeHealth(undefined);
  const { group } = parseApiVersion(obj.apiVersion);
  if (group === 'batch' && obj.kind === 'Job') return judgeHookJob(obj);
  if (group === '' && obj.kind === 'Pod') return judgeHookPod(obj);
  return { health: 'Current', message: 'Resource is current' };
}

function judgeHookJob(obj: KubeObject): Health {
  const { health, message = '' } = judgeHealth(obj);
  // Of a Job that has begun, kstatus says that it is current.
  const isUnderWay = health === 'InProgress' || (health === 'Current' && !message.startsWith('Job Completed'));
  return isUnderWay ? { health: 'InProgress', message: 'Job in progress' } : { health, message };
}

function judgeHookPod(obj: KubeObject): Health {
  const { name = '' } = obj.metadata;
  const phase = textAt(obj, 'status.phase');
  if (phase === 'Succeeded') return { health: 'Current', message: `pod ${name} succeeded` };
  if (phase === 'Failed') return { health: 'Failed', message: `pod ${name} failed` };
  return { health: 'InProgress', message: 'Pod in progress' };
}
