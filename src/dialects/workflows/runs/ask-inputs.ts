import type { InputFault, RunInputs } from '../inputs/run-inputs.ts';
import { factsOfRun, type RunWithStatus } from './run-facts.ts';
import type { RunInput, RunStep } from './run-step.ts';

const resolveTimeoutMs = 600_000;

/** Gets what a step of a run asked for. */
export async function askInputs(
  inputs: RunInputs,
  run: RunWithStatus,
  wants: NonNullable<RunStep['wants']>,
  signal: AbortSignal,
): Promise<RunInput['answer']> {
  const { metadata, spec, status } = run;
  const { namespace = '' } = metadata;
  const facts = factsOfRun(run);
  const { artifacts, infrastructureRef, clusters } = spec;
  if (wants === 'snapshot')
    return inputs.takeSnapshot(
      {
        namespace,
        workflow: spec.workflowRef.name,
        variables: spec.variables ?? {},
        ...(artifacts && { artifacts }),
        ...(infrastructureRef && { infrastructure: infrastructureRef }),
        facts,
      },
      signal,
    );
  const late = AbortSignal.timeout(resolveTimeoutMs);
  try {
    const request = {
      namespace,
      facts,
      ...(clusters?.only && { only: clusters.only }),
      ...(clusters?.exclude && { exclude: clusters.exclude }),
    };
    return { resolution: await inputs.resolveClusters(status!.snapshot!, request, AbortSignal.any([signal, late])) };
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    const fault: InputFault = { failureType: 'Connectivity', reason: 'Timeout', message: 'The clusters were not resolved within 10m' };
    return { fault };
  }
}
