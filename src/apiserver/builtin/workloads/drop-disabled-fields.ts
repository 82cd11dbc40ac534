import type { PodSpec, PodTemplateSpec, VolumeProjection } from '../../../api/kubernetes.ts';
import { someContainer, visitContainers } from './visit-containers.ts';

/** Removes fields whose feature is off by default, unless the stored object already uses them. In place. */
export function dropDisabledPodFields(spec: PodSpec | undefined, old: PodSpec | undefined): void {
  if (!spec) return;
  dropProjection(spec, old, 'clusterTrustBundle');
  dropProjection(spec, old, 'podCertificate');
  if (spec.schedulingGroup && !old?.schedulingGroup) delete spec.schedulingGroup;
  if (
    someContainer(spec, c => c.lifecycle?.stopSignal !== undefined) &&
    !(old && someContainer(old, c => c.lifecycle?.stopSignal !== undefined))
  )
    dropStopSignals(spec);
}

export function dropDisabledTemplateFields(template: PodTemplateSpec | undefined, old: PodTemplateSpec | undefined): void {
  dropDisabledPodFields(template?.spec, old?.spec);
}

function dropProjection(spec: PodSpec, old: PodSpec | undefined, name: 'clusterTrustBundle' | 'podCertificate'): void {
  const using = (of: PodSpec | undefined) =>
    (of?.volumes ?? []).flatMap(volume => volume.projected?.sources ?? []).filter((source: VolumeProjection) => source[name]);
  if (using(old).length > 0) return;
  for (const source of using(spec)) delete source[name];
}

function dropStopSignals(spec: PodSpec): void {
  visitContainers(spec, '', container => {
    if (container.lifecycle?.stopSignal === undefined) return;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  });
}
