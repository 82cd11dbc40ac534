import type { DeclaredKind } from '../../api/define-kind.ts';
import { ApprovalRequest } from './kinds/approval-request.ts';
import { CloudProvider } from './kinds/cloud-provider.ts';
import { ClusterRun } from './kinds/cluster-run.ts';
import { DeployFreeze } from './kinds/deploy-freeze.ts';
import { GateTemplate } from './kinds/gate.ts';
import { InfrastructureDefinition } from './kinds/infrastructure-definition.ts';
import { Pipeline, PipelineRun } from './kinds/pipeline.ts';
import { Environment, ServiceDefinition } from './kinds/service-definition.ts';
import { Trigger } from './kinds/trigger.ts';
import { WorkflowRun } from './kinds/workflow-run.ts';
import { Workflow } from './kinds/workflow.ts';

export const workflowKinds: readonly DeclaredKind[] = [
  CloudProvider,
  ServiceDefinition,
  Environment,
  InfrastructureDefinition,
  Workflow,
  WorkflowRun,
  ClusterRun,
  GateTemplate,
  ApprovalRequest,
  Trigger,
  Pipeline,
  PipelineRun,
  DeployFreeze,
];
