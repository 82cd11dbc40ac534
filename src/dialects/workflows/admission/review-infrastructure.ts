import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { isDns1123Label } from '../../../api/names.ts';
import { faulty } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { isJsonObject } from '../../../util/json.ts';
import { readValue } from '../../../yaml/read-document.ts';
import { emptySelectionMessage, isEmptySelection, type ClusterSelection } from '../infrastructure/select-clusters.ts';
import type { ClusterOverride, InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { expressionFaults, nameFaults } from './check-fields.ts';

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

export async function reviewInfrastructure(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { spec } = request.object as InfrastructureDefinition;
  return faulty(request, [
    ...(isEmptySelection(spec as ClusterSelection) ? [invalid('spec', 'clusterSelectionCriteria', emptySelectionMessage)] : []),
    ...nameFaults('spec.namespace', spec.namespace, isDns1123Label),
    ...(spec.releaseName === undefined ? [] : nameFaults('spec.releaseName', spec.releaseName, isDns1123Label)),
    ...(spec.clusterSelectionCriteria ?? []).flatMap(({ labelName, labelValues }, i) => {
      const here = at.index('spec.clusterSelectionCriteria', i);
      return [...expressionFaults(at.child(here, 'labelName'), labelName), ...expressionFaults(at.child(here, 'labelValues'), labelValues)];
    }),
    ...(spec.overrides ?? []).flatMap((one, i) => overrideFaults(at.index('spec.overrides', i), one)),
  ]);
}

function overrideFaults(path: string, { clusterSelector, patches = [] }: ClusterOverride): FieldError[] {
  const demands = clusterSelector?.matchExpressions ?? [];
  return [
    ...demands.flatMap(({ operator }, i) =>
      operators.includes(operator)
        ? []
        : [invalid(`${path}.clusterSelector.matchExpressions[${i}].operator`, operator, `must be one of ${operators.join(', ')}`)],
    ),
    ...patches.flatMap(({ type, target, patch }, i) => {
      const here = at.index(at.child(path, 'patches'), i);
      if (type === 'json6902' && !target)
        return [required(at.child(here, 'target'), 'a patch of type json6902 does not say itself which objects are meant')];
      return patchFaults(at.child(here, 'patch'), type, patch);
    }),
  ];
}

function patchFaults(field: string, type: string | undefined, patch: unknown): FieldError[] {
  let value = patch;
  if (typeof patch === 'string') {
    try {
      value = readValue(patch);
    } catch {
      return [invalid(field, '…', 'is no YAML')];
    }
  }
  const fits = type === 'json6902' ? Array.isArray(value) : isJsonObject(value);
  return fits ? [] : [invalid(field, '…', type === 'json6902' ? 'must be a list of operations' : 'must be a map')];
}
