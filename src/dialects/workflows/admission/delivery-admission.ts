import type { AdmissionReviewer } from '../../../core/admission/admission-review.ts';
import { reviewerOf, writes, type Reviews } from '../../../core/admission/reviewed-kinds.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { ClusterRun } from '../kinds/cluster-run.ts';
import { DeployFreeze } from '../kinds/deploy-freeze.ts';
import { GateTemplate } from '../kinds/gate.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { Pipeline, PipelineRun } from '../kinds/pipeline.ts';
import { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { Trigger } from '../kinds/trigger.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { Workflow } from '../kinds/workflow.ts';
import { deliveryWorld, type DeliveryAdmissionDeps, type DeliveryWorld } from './delivery-world.ts';
import { reviewApproval, stampDecisions } from './review-approval.ts';
import { reviewInfrastructure } from './review-infrastructure.ts';
import { reviewFreeze, reviewGateTemplate, reviewPipeline } from './review-others.ts';
import { reviewProvider } from './review-provider.ts';
import { reviewClusterRun, reviewPipelineRun, reviewWorkflowRun } from './review-run.ts';
import { reviewEnvironment, reviewService } from './review-service.ts';
import { reviewTrigger } from './review-trigger.ts';
import { reviewWorkflow } from './review-workflow.ts';
import { stampRun } from './stamp-run.ts';

/** Labels, annotations and finalizers are nobody's business. Nor is what is on its way out. */
const when = 'request.operation != "UPDATE" || (object.spec != oldObject.spec && !has(object.metadata.deletionTimestamp))';

export const deliveryReviews: Reviews<DeliveryWorld> = {
  mutations: [
    { kind: WorkflowRun, operations: writes, review: stampRun },
    { kind: PipelineRun, operations: writes, review: stampRun },
    { kind: ApprovalRequest, operations: writes, when, review: stampDecisions },
  ],
  validations: [
    { kind: CloudProvider, operations: writes, when, review: reviewProvider },
    { kind: InfrastructureDefinition, operations: writes, when, review: reviewInfrastructure },
    { kind: ServiceDefinition, operations: writes, when, review: reviewService },
    { kind: Environment, operations: writes, when, review: reviewEnvironment },
    { kind: Workflow, operations: writes, when, review: reviewWorkflow },
    { kind: WorkflowRun, operations: writes, when, review: reviewWorkflowRun },
    { kind: ClusterRun, operations: writes, when, review: reviewClusterRun },
    { kind: ApprovalRequest, operations: writes, when, review: reviewApproval },
    { kind: Trigger, operations: writes, when, review: reviewTrigger },
    { kind: Pipeline, operations: writes, when, review: reviewPipeline },
    { kind: PipelineRun, operations: writes, when, review: reviewPipelineRun },
    { kind: GateTemplate, operations: writes, when, review: reviewGateTemplate },
    { kind: DeployFreeze, operations: writes, when, review: reviewFreeze },
  ],
};

/** Says which objects of workflows may be written, and by whom. */
export function deliveryAdmission(deps: DeliveryAdmissionDeps): AdmissionReviewer {
  return reviewerOf(deliveryReviews, ({ user }, signal) => deliveryWorld(deps, user, signal));
}
