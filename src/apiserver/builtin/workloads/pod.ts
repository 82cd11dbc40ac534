import { at } from '../../../api/field-error.ts';
import type { Pod, PodAffinityTerm, PodSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { warningsForIp } from '../../validation/ip.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { dropDisabledPodFields } from './drop-disabled-fields.ts';
import { setPodCondition } from './pod-conditions.ts';
import { setPodDefaults } from './pod-defaults.ts';
import { computeQosClass } from './pod-resources.ts';
import { resetFieldsOfPod } from './pod-reset-fields.ts';
import { preparePodStatusUpdate } from './pod-subresources.ts';
import { podOptions } from './pod-validation-options.ts';
import { hostnameWarning, warningsForPod } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import { appArmorPrefix, appArmorProfileOf } from './validate-pod-annotations.ts';
import { validateAppArmorProfile } from './validate-container-security.ts';
import { validatePodStatusUpdate } from './validate-pod-status.ts';
import { specOf, validatePodCreate, validatePodUpdate } from './validate-pod-update.ts';

const asPod = (obj: KubeObject) => obj as unknown as Pod;

export const podKind: BuiltinKind = {
  setDefaults: obj => setPodDefaults(asPod(obj)),
  selectableFields: {
    'spec.nodeName': obj => asPod(obj).spec?.nodeName ?? '',
    'spec.restartPolicy': obj => asPod(obj).spec?.restartPolicy ?? '',
    'spec.schedulerName': obj => asPod(obj).spec?.schedulerName ?? '',
    'spec.serviceAccountName': obj => asPod(obj).spec?.serviceAccountName ?? '',
    'spec.hostNetwork': obj => String(asPod(obj).spec?.hostNetwork ?? false),
    'status.phase': obj => asPod(obj).status?.phase ?? '',
    'status.podIP': obj => asPod(obj).status?.podIPs?.[0]?.ip ?? asPod(obj).status?.podIP ?? '',
    'status.podIPs': obj => asPod(obj).status?.podIPs?.[0]?.ip ?? asPod(obj).status?.podIP ?? '',
    'status.nominatedNodeName': obj => asPod(obj).status?.nominatedNodeName ?? '',
  },
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    returnsDeletedObject: true,
    resetFields: resetFieldsOfPod,
    prepareForCreate(obj, ctx) {
      const pod = asPod(obj);
      delete pod.status;
      pod.status = { phase: 'Pending', qosClass: computeQosClass(pod) };
      const spec = specOf(pod);
      dropDisabledPodFields(spec, undefined);
      if (spec.schedulingGates?.length)
        setPodCondition(
          pod.status,
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulingGated',
            message: 'Scheduling is blocked due to non-empty scheduling gates',
          },
          ctx.now,
        );
      mergeLabelKeys(spec, pod.metadata?.labels ?? {});
      adoptAppArmorAnnotations(pod, text => ctx.warn(text));
    },
    prepareForUpdate(obj, old) {
      const pod = asPod(obj);
      const before = asPod(old);
      if (before.status === undefined) delete pod.status;
      else pod.status = before.status;
      dropDisabledPodFields(pod.spec, before.spec);
    },
    prepareForStatusUpdate: (obj, old) => preparePodStatusUpdate(asPod(obj), asPod(old)),
    validate: obj => validatePodCreate(asPod(obj), podOptions()),
    validateUpdate: (obj, old) => validatePodUpdate(asPod(obj), asPod(old), podOptions(old as { spec?: PodSpec })),
    validateStatusUpdate: (obj, old) => validatePodStatusUpdate(asPod(obj), asPod(old), podOptions(old as { spec?: PodSpec })),
    warningsOnCreate: obj => [
      ...hostnameWarning(obj.metadata.name, "the Pod's hostname"),
      ...warningsForPod(specOf(asPod(obj)), obj.metadata),
    ],
    warningsOnUpdate: (obj, _old, ctx) => (ctx.subresource === 'status' ? warningsForStatus(asPod(obj)) : []),
  },
};

function warningsForStatus({ status }: Pod): string[] {
  return (['podIPs', 'hostIPs'] as const).flatMap(list =>
    (status?.[list] ?? []).flatMap(({ ip = '' }, i) => warningsForIp(at.child(at.index(`status.${list}`, i), 'ip'), ip)),
  );
}

// A pod fixes the values of the labels it compares itself by when it is created.
function mergeLabelKeys(spec: PodSpec, labels: Readonly<Record<string, string>>): void {
  const merge = (holder: Pick<PodAffinityTerm, 'labelSelector'>, keys: readonly string[] | undefined, operator: 'In' | 'NotIn') => {
    for (const key of keys ?? []) {
      if (!holder.labelSelector || labels[key] === undefined) continue;
      (holder.labelSelector.matchExpressions ??= []).push({ key, operator, values: [labels[key]] });
    }
  };
  for (const affinity of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity]) {
    const terms = [
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weighted => weighted.podAffinityTerm),
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ];
    for (const term of terms) {
      merge(term, term.matchLabelKeys, 'In');
      merge(term, term.mismatchLabelKeys, 'NotIn');
    }
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) merge(constraint, constraint.matchLabelKeys, 'In');
}

function adoptAppArmorAnnotations(pod: Pod, warn: (text: string) => void): void {
  const spec = specOf(pod);
  const annotations = pod.metadata?.annotations;
  if (spec.os?.name === 'windows' || !annotations) return;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) {
    const key = appArmorPrefix + container.name;
    const text = annotations[key];
    if (text === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = appArmorProfileOf(text);
    const isValid = profile !== undefined && validateAppArmorProfile(profile, '').length === 0;
    if (isValid && semanticEqual(profile, spec.securityContext?.appArmorProfile)) continue;
    if (isValid) (container.securityContext ??= {}).appArmorProfile = profile;
    warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}
