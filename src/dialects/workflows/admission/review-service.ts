import { at, type FieldError } from '../../../api/field-error.ts';
import { faulty } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import type { Environment, ServiceDefinition, ValuesSource } from '../kinds/service-definition.ts';
import { expressionFaults, filterFaults, onlyOne, variableFaults } from './check-fields.ts';

const fileSources = ['inline', 'configMapRef', 'git'];
const manifestSources = [...fileSources, 'oci', 'helm', 'kustomize'];

export async function reviewService(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { manifests = [], artifacts = [], values, variables } = (request.object as ServiceDefinition).spec;
  return faulty(request, [
    ...manifests.flatMap((one, i) => {
      const here = at.index('spec.manifests', i);
      return [
        ...onlyOne(here, one, manifestSources),
        ...(one.kustomize ? onlyOne(at.child(here, 'kustomize'), { git: one.kustomize.git }, ['git']) : []),
        ...expressionFaults(at.child(here, 'git', 'ref'), one.git?.ref),
        ...expressionFaults(at.child(here, 'oci', 'tag'), one.oci?.tag),
        ...expressionFaults(at.child(here, 'helm', 'version'), one.helm?.version),
      ];
    }),
    ...artifacts.flatMap(({ type, tagFilter }, i) =>
      type === 'Git' ? [] : filterFaults(at.child(at.index('spec.artifacts', i), 'tagFilter'), tagFilter),
    ),
    ...valuesFaults('spec.values', values),
    ...variableFaults('spec.variables', variables),
  ]);
}

export async function reviewEnvironment(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { variables, serviceOverrides = [] } = (request.object as Environment).spec;
  return faulty(request, [
    ...variableFaults('spec.variables', variables),
    ...serviceOverrides.flatMap((one, i) => {
      const here = at.index('spec.serviceOverrides', i);
      return [...variableFaults(at.child(here, 'variables'), one.variables), ...valuesFaults(at.child(here, 'values'), one.values)];
    }),
  ]);
}

const valuesFaults = (path: string, values: readonly ValuesSource[] = []): FieldError[] =>
  values.flatMap((one, i) => onlyOne(at.index(path, i), one, fileSources));
