import type { KubeObject } from '../../../api/object.ts';
import { isCore } from './pod-template.ts';
import { managedWorkloads } from './managed-workloads.ts';
import { sortObjects } from './sort-objects.ts';
import { resourceTable, unitLog, type UnitLog } from './step-log.ts';
import type { StepInput } from './step.ts';
import { isVersionable, versionConfig } from './version-config.ts';

/** Whether ConfigMaps and Secrets get names of their own in this release. */
const versions = ({ settings, rendered }: StepInput): boolean =>
  settings.versioning.mode === 'Revision' && managedWorkloads(rendered, settings.labelPrefix).length > 0;

/** The manifests in order, with the names that they have in this release. */
export function versionedObjects(input: StepInput, number: number): KubeObject[] {
  const { settings, present } = input;
  const objects = sortObjects(input.rendered);
  if (!versions(input)) return objects;
  const { labelPrefix: prefix, versioning } = settings;
  return versionConfig(objects, { number, prefix, ...(versioning.reuseUnchanged && { reuseFrom: present }) });
}

/** How every unit Prepare begins. */
export function prepareLog(input: StepInput): UnitLog {
  const { rendered, release, settings } = input;
  const log = unitLog('Prepare');
  const isVersioned = (obj: KubeObject) => versions(input) && isVersionable(obj, settings.labelPrefix);
  log.info(`Manifests processed. Found following resources: \n${resourceTable(sortObjects(rendered), isVersioned)}`);
  const rival = rendered.find(obj => (isCore(obj, 'ConfigMap') || isCore(obj, 'Secret')) && obj.metadata.name === release.name);
  if (rival) {
    log.warn('Release Name conflicts with a Secret/ConfigMap resource. Give one of them another name: Harness keeps its history there');
  }
  return log;
}
