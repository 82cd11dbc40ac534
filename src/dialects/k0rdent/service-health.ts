import { createHash } from 'node:crypto';
import { findCondition, type ConditionReport } from '../../api/conditions.ts';
import { workConditions, type BrokenRule, type DeliveredObject, type Work } from '../../api/work.ts';
import { printJson } from '../../util/json.ts';

/** The kinds that k0rdent has rules for when nobody gives any. */
const ruledKinds = new Set([
  'apps/Deployment',
  'apps/StatefulSet',
  'apps/DaemonSet',
  '/Pod',
  '/PersistentVolumeClaim',
  '/PersistentVolume',
]);
const builtInRule = 'built-in';
const shown = 3;

/** Why the release of a chart that was applied does not count as deployed yet: a condition for each kind. None: it does. */
export function unhealthyKinds({ status }: Work): ConditionReport[] {
  const late = (status?.objects ?? []).filter(isUnhealthy).map((one): BrokenRule => ({ ...one, rule: builtInRule }));
  const broken = [...late, ...(status?.brokenRules ?? [])];
  return [...Map.groupBy(broken, ({ kind }) => kind)].map(([kind, found]) => ({
    type: `ServiceHealth${kind}`,
    status: 'False',
    reason: `${kind}Unhealthy`,
    message: `${new Set(found.map(nameOf)).size} ${kind} unhealthy: ${listed(found)}`,
  }));
}

/** Names what was applied and what it was judged by. */
export function fingerprintOf(work: Work | undefined): string | undefined {
  const { healthRules = [] } = work?.spec ?? {};
  const inputs = work?.status?.delivered?.inputs;
  if (healthRules.length === 0 || inputs === undefined) return inputs;
  return `sha256:${createHash('sha256')
    .update(printJson([inputs, healthRules]))
    .digest('hex')}`;
}

/** Whether the Work has rules and has not said yet what came of them. */
export const areRulesOpen = (work: Work): boolean =>
  (work.spec.healthRules ?? []).length > 0 && findCondition(work, workConditions.healthy)?.status === 'False';

function isUnhealthy({ group, kind, health, outrankedBy }: DeliveredObject): boolean {
  return outrankedBy === undefined && ruledKinds.has(`${group}/${kind}`) && health !== 'Current' && health !== 'Terminating';
}

const nameOf = ({ namespace, name }: BrokenRule): string => (namespace === undefined ? name : `${namespace}/${name}`);

function listed(found: readonly BrokenRule[]): string {
  const words = found.slice(0, shown).map(one => `${nameOf(one)} (${one.message ?? 'not ready'}, rule ${one.rule})`);
  return `${words.join('; ')}${found.length > shown ? `; …and ${found.length - shown} more` : ''}`;
}
