import type { LogLine, LogUnit } from '../logs/run-logs.ts';
import { unitLog } from '../release/step-log.ts';
import { memberStepTypes, type MemberStepType } from '../kinds/step.ts';

/** What of `release/` a granted step is; undefined for what nobody knows. A Job is applied as files are. */
export function memberStepOf(type: string): MemberStepType | undefined {
  if (type === 'Job') return 'Apply';
  return memberStepTypes.find(one => one === type);
}

/** Steps that put the manifests of the service on a member: these are asked for first. */
export const deploys: ReadonlySet<string> = new Set(['RollingDeploy', 'CanaryDeploy', 'StageDeploy']);

/** Steps that need the manifests of the service. */
export const rendersService: ReadonlySet<string> = new Set([...deploys, 'TrafficSplit']);

/** Steps whose objects are applied under a unit of their own. */
export const hasApplyUnit: ReadonlySet<string> = new Set([...deploys, 'Apply', 'Job']);

/** Steps with one unit for all they do, which their end closes. */
const ownUnits: Readonly<Record<string, LogUnit>> = {
  Delete: 'Delete',
  Scale: 'Scale',
  SwapServices: 'Swap Service Selectors',
  TrafficSplit: 'Traffic Split',
};

/** What is said of a step that could not be applied. */
export function failedUnit(type: string, message: string): readonly LogLine[] {
  const own = ownUnits[type];
  if (own !== undefined) return unitLog(own).error(message).lines;
  return unitLog(type === 'RollingRollback' ? 'Rollback' : 'Apply')
    .error(message)
    .failed().lines;
}
