import type { JsonObject } from '../../../util/json.ts';
import type { Phase, Step, StepGroup, StepType } from '../kinds/step.ts';

/** A step that has a name. */
export type StepSpec = Step & { readonly name: string };
export type GroupSpec = Omit<StepGroup, 'steps'> & { readonly steps: readonly StepSpec[] };
export type PhaseSpec = Omit<Phase, 'groups' | 'rollback'> & {
  readonly groups: readonly GroupSpec[];
  readonly rollback: readonly GroupSpec[];
};

type Provider = 'Rancher' | 'Drover';

const titles: Readonly<Partial<Record<StepType, string>>> = {
  ResolveClusters: 'Resolve Clusters',
  RollingDeploy: 'Rollout Deployment',
  RollingRollback: 'Rollback Deployment',
  CanaryDeploy: 'Canary Deployment',
  Delete: 'Delete',
  StageDeploy: 'Stage Deployment',
  SwapServices: 'Swap Primary with Stage',
};

/** What a step is called that nobody named. */
export function stepTitle(type: StepType, provider: Provider): string {
  const title = titles[type];
  if (title === undefined) return type;
  return provider === 'Rancher' ? `Rancher ${title}` : title;
}

const canaryWorkload = '${k8s.canaryWorkload}';
const swapped = { service1: '${k8s.primaryServiceName}', service2: '${k8s.stageServiceName}' };

/** The phases of a workflow: those it has, or else those of its type. Every step has a name. */
export function phasesOf(spec: { readonly type?: string; readonly phases?: readonly Phase[] }, provider: Provider): PhaseSpec[] {
  const { type = 'Rolling', phases = [] } = spec;
  const chosen = phases.length > 0 ? phases : generatePhases(type, provider);
  return chosen.map(phase => ({
    ...phase,
    groups: (phase.groups ?? []).map(group => named(group, provider)),
    rollback: (phase.rollback ?? []).map(group => named(group, provider)),
  }));
}

const named = (group: StepGroup | GroupSpec, provider: Provider): GroupSpec => ({
  ...group,
  steps: (group.steps ?? []).map(step => ({ ...step, name: step.name || stepTitle(step.type, provider) })),
});

export function generatePhases(type: string, provider: Provider): PhaseSpec[] {
  const step = (of: StepType, settings?: JsonObject): StepSpec => ({
    name: stepTitle(of, provider),
    type: of,
    ...(settings && { with: settings }),
  });
  const group = (name: string, ...steps: StepSpec[]): GroupSpec => ({ name, steps });
  const rolling = (name: string): PhaseSpec => ({
    name,
    groups: [group('Deploy', step('ResolveClusters'), step('RollingDeploy')), group('Verify'), group('Wrap Up')],
    rollback: [group('Deploy', step('RollingRollback')), group('Wrap Up')],
  });
  switch (type) {
    case 'Rolling':
      return [rolling('Rolling')];
    case 'Canary':
      return [
        {
          name: 'Canary',
          groups: [
            group('Deploy', step('ResolveClusters'), step('CanaryDeploy', { instances: 1, unit: 'Count' })),
            group('Verify'),
            group('Wrap Up', step('Delete', { resources: canaryWorkload })),
          ],
          rollback: [group('Deploy', step('Delete', { resources: canaryWorkload })), group('Wrap Up')],
        },
        rolling('Primary'),
      ];
    case 'BlueGreen':
      return [
        {
          name: 'Blue/Green',
          groups: [
            group('Deploy', step('ResolveClusters'), step('StageDeploy')),
            group('Verify'),
            group('Route Update', step('SwapServices', swapped)),
            group('Wrap Up'),
          ],
          rollback: [group('Route Update', step('SwapServices', swapped)), group('Wrap Up')],
        },
      ];
    default:
      return [];
  }
}
