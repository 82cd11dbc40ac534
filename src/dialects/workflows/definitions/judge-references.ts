import type { ConditionReport } from '../../../api/conditions.ts';
import type { Pipeline } from '../kinds/pipeline.ts';
import type { Workflow } from '../kinds/workflow.ts';

interface Reference {
  readonly kind: string;
  readonly name: string;
}

/** What a workflow names. What expressions stand for is known when a run begins. */
export function referencesOfWorkflow({ spec }: Workflow): Reference[] {
  const services = [spec.serviceRef, ...(spec.phases ?? []).map(phase => phase.serviceRef)];
  return [...named('ServiceDefinition', services), ...named('InfrastructureDefinition', [spec.infrastructureRef])];
}

export function referencesOfPipeline({ spec }: Pipeline): Reference[] {
  return [
    ...named(
      'Workflow',
      spec.stages.map(stage => stage.workflowRef?.name),
    ),
    ...named(
      'InfrastructureDefinition',
      spec.stages.flatMap(stage => stage.infrastructureRefs ?? []),
    ),
  ];
}

function named(kind: string, names: readonly (string | undefined)[]): Reference[] {
  const plain = names.filter(name => name !== undefined && name !== '' && !name.includes('${')) as string[];
  return [...new Set(plain)].map(name => ({ kind, name }));
}

/** Whether all that is named is there. */
export function judgeReferences(references: readonly Reference[], isThere: (reference: Reference) => boolean): ConditionReport {
  const missing = references.filter(one => !isThere(one)).map(({ kind, name }) => `There is no ${kind} "${name}"`);
  const [first] = missing;
  if (first === undefined) return { type: 'Ready', status: 'True', reason: 'Complete', message: 'Everything that it names is there' };
  const more = missing.length > 1 ? `, and ${missing.length - 1} more are missing` : '';
  return { type: 'Ready', status: 'False', reason: 'ReferenceMissing', message: first + more };
}
