import type { IncomingMessage, ServerResponse } from 'node:http';
import { methodNotAllowed, StatusError, unauthorized } from '../../../api/status.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import { forbiddenRequest } from '../../../auth/rbac.ts';
import { anonymous } from '../../../auth/user.ts';
import { sendJson } from '../../../gateway/answer.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import { WorkflowRun, type RunPhase } from '../kinds/workflow-run.ts';
import { withApiKey } from './webhook-route.ts';

export interface ExecutionRouteDeps {
  readonly access: HubAccess;
  readonly runs: Informer<WorkflowRun>;
  readonly pipelineRuns: Informer<PipelineRun>;
}

const path = /^\/api\/external\/v1\/executions\/([^/]+)\/status$/;
export const isExecutionPath = (one: string): boolean => path.test(one);

/** How Harness calls the phases of runs. */
export const statusNames: Readonly<Record<RunPhase, string>> = {
  Queued: 'QUEUED',
  Resolving: 'RUNNING',
  Running: 'RUNNING',
  Paused: 'PAUSED',
  Waiting: 'WAITING',
  RollingBack: 'RUNNING',
  Succeeded: 'SUCCESS',
  Failed: 'FAILED',
  RolledBack: 'FAILED',
  RollbackFailed: 'FAILED',
  Aborted: 'ABORTED',
  Rejected: 'REJECTED',
  Expired: 'EXPIRED',
};

/** `GET /api/external/v1/executions/{id}/status`, for those who may get the run. */
export function executionRoute({ access, runs, pipelineRuns }: ExecutionRouteDeps) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== 'GET') throw methodNotAllowed();
    const [, id = ''] = path.exec((req.url ?? '').split('?', 1)[0]!) ?? [];
    const run = [...runs.list(), ...pipelineRuns.list()].find(one => one.metadata.uid === id);
    const kind = run?.kind === PipelineRun.kind ? PipelineRun : WorkflowRun;
    const { namespace = '', name = '' } = run?.metadata ?? {};
    const wanted = {
      isResource: true as const,
      verb: 'get',
      group: kind.group,
      version: kind.version,
      resource: kind.resource,
      subresource: '',
      namespace,
      name,
    };
    const user = await access.identify(withApiKey(req), wanted);
    if (user.name === anonymous.name) throw unauthorized();
    if (!run) throw new StatusError(404, 'NotFound', `there is no execution ${JSON.stringify(id)}`);
    const { allowed, reason } = await access.authorize(user, wanted);
    if (!allowed) throw forbiddenRequest(user, wanted, reason);
    sendJson(res, 200, { status: statusNames[run.status?.phase ?? 'Queued'] });
  };
}
