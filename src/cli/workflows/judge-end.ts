import type { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import type { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';

/** Throws unless all is well: the run is where it should be and so are all of its clusters. */
export function judgeEnd(run: WorkflowRun | PipelineRun, title: string, wanted: 'Succeeded' | 'RolledBack'): void {
  const { phase = 'Queued', message } = run.status ?? {};
  const cause = message === undefined || message === '' ? {} : { cause: new Error(message) };
  const hint = `"drover logs run/${run.metadata.name} -n ${run.metadata.namespace}" says more`;
  if (phase !== wanted) throw new CommandError(`${title} is ${phase}`, { ...cause, hint });
  const { failed = 0, deferred = 0 } = ('clusters' in (run.status ?? {}) ? (run as WorkflowRun).status?.clusters : undefined) ?? {};
  if (failed === 0 && deferred === 0) return;
  const parts = [...(failed > 0 ? [`${failed} failed`] : []), ...(deferred > 0 ? [`${deferred} catch up later`] : [])];
  throw new CommandError(`${title} is ${phase}, but not on all clusters: ${parts.join(', ')}`, { exitCode: exitCodes.partial, hint });
}
