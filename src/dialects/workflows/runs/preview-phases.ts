import { stepTitle, type PhaseSpec, type StepSpec } from './generate-phases.ts';

/** What a preview does instead of the phases of the workflow: it asks every cluster what would change. */
export function previewPhases(provider: 'Rancher' | 'Drover'): PhaseSpec[] {
  const resolve: StepSpec = { name: stepTitle('ResolveClusters', provider), type: 'ResolveClusters' };
  const preview = { name: 'Preview', type: 'Preview' } as unknown as StepSpec;
  return [{ name: 'Preview', groups: [{ name: 'Preview', steps: [resolve, preview] }], rollback: [] }];
}
