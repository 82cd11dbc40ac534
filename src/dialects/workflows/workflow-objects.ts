import { join } from 'node:path';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { ApprovalRequest } from './kinds/approval-request.ts';
import { ClusterRun } from './kinds/cluster-run.ts';
import { DeployFreeze } from './kinds/deploy-freeze.ts';
import { InfrastructureDefinition } from './kinds/infrastructure-definition.ts';
import { Pipeline, PipelineRun } from './kinds/pipeline.ts';
import { ServiceDefinition } from './kinds/service-definition.ts';
import { Trigger } from './kinds/trigger.ts';
import { WorkflowRun } from './kinds/workflow-run.ts';
import { Workflow } from './kinds/workflow.ts';
import { logFiles } from './logs/log-files.ts';
import type { RunLogs } from './logs/run-logs.ts';
import { clusterRunIndexes } from './runs/cluster-run-object.ts';

/** What is followed from the first moment on, because routes and admission ask about it. */
export interface WorkflowObjects {
  readonly workflows: Informer<Workflow>;
  readonly runs: Informer<WorkflowRun>;
  /** With `clusterRunIndexes`. */
  readonly clusterRuns: Informer<ClusterRun>;
  readonly requests: Informer<ApprovalRequest>;
  readonly pipelines: Informer<Pipeline>;
  readonly pipelineRuns: Informer<PipelineRun>;
  readonly triggers: Informer<Trigger>;
  readonly services: Informer<ServiceDefinition>;
  readonly infrastructures: Informer<InfrastructureDefinition>;
  readonly freezes: Informer<DeployFreeze>;
  readonly logs: RunLogs;
}

export interface WorkflowObjectsOptions {
  readonly dataDir: string;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

export function workflowObjects(hub: KubeClient, { dataDir, signal, onError }: WorkflowObjectsOptions): WorkflowObjects {
  return {
    workflows: informer(hub, Workflow, { signal, onError: onError('Workflow') }),
    runs: informer(hub, WorkflowRun, { signal, onError: onError('WorkflowRun') }),
    clusterRuns: informer(hub, ClusterRun, { signal, indexes: clusterRunIndexes, onError: onError('ClusterRun') }),
    requests: informer(hub, ApprovalRequest, { signal, onError: onError('ApprovalRequest') }),
    pipelines: informer(hub, Pipeline, { signal, onError: onError('Pipeline') }),
    pipelineRuns: informer(hub, PipelineRun, { signal, onError: onError('PipelineRun') }),
    triggers: informer(hub, Trigger, { signal, onError: onError('Trigger') }),
    services: informer(hub, ServiceDefinition, { signal, onError: onError('ServiceDefinition') }),
    infrastructures: informer(hub, InfrastructureDefinition, { signal, onError: onError('InfrastructureDefinition') }),
    freezes: informer(hub, DeployFreeze, { signal, onError: onError('DeployFreeze') }),
    logs: logFiles({ dir: join(dataDir, 'run-logs') }),
  };
}
