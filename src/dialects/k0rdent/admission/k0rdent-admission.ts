import type { AdmissionAnswer, AdmissionRequest, AdmissionReviewer } from '../../../core/admission/admission-review.ts';
import { k0rdent } from '../kinds/group.ts';
import { admissionWorld, type AdmissionDeps, type AdmissionWorld } from './admission-world.ts';
import { defaultClusterDeployment, reviewClusterDeployment } from './review-cluster-deployment.ts';
import {
  defaultAccessManagement,
  reviewAccessManagement,
  reviewManagement,
  reviewRegion,
  reviewReleaseDeletion,
} from './review-management.ts';
import { reviewChain, reviewProviderTemplateDeletion, reviewTemplateDeletion } from './review-templates.ts';

type Review = (request: AdmissionRequest, world: AdmissionWorld) => Promise<AdmissionAnswer>;

/** Which operations on which kinds are asked about. */
export interface ReviewedKind {
  readonly resource: string;
  readonly operations: readonly AdmissionRequest['operation'][];
  readonly review: Review;
}

const every = ['CREATE', 'UPDATE', 'DELETE'] as const;

export const mutations: Readonly<Record<string, ReviewedKind>> = {
  ClusterDeployment: { resource: 'clusterdeployments', operations: ['CREATE', 'UPDATE'], review: defaultClusterDeployment },
  AccessManagement: { resource: 'accessmanagements', operations: ['CREATE', 'UPDATE'], review: defaultAccessManagement },
};

export const validations: Readonly<Record<string, ReviewedKind>> = {
  ClusterDeployment: { resource: 'clusterdeployments', operations: every, review: reviewClusterDeployment },
  ServiceTemplate: { resource: 'servicetemplates', operations: ['DELETE'], review: reviewTemplateDeletion },
  ClusterTemplate: { resource: 'clustertemplates', operations: ['DELETE'], review: reviewTemplateDeletion },
  ProviderTemplate: { resource: 'providertemplates', operations: ['DELETE'], review: reviewProviderTemplateDeletion },
  ServiceTemplateChain: { resource: 'servicetemplatechains', operations: ['CREATE'], review: reviewChain },
  ClusterTemplateChain: { resource: 'clustertemplatechains', operations: ['CREATE'], review: reviewChain },
  AccessManagement: { resource: 'accessmanagements', operations: every, review: reviewAccessManagement },
  Management: { resource: 'managements', operations: every, review: reviewManagement },
  Region: { resource: 'regions', operations: every, review: reviewRegion },
  Release: { resource: 'releases', operations: ['DELETE'], review: reviewReleaseDeletion },
};

/** Says what k0rdent's webhooks say: section "Admission" of its specification. */
export function k0rdentAdmission(deps: AdmissionDeps): AdmissionReviewer {
  const answer = (kinds: typeof validations) => (request: AdmissionRequest, signal: AbortSignal) => {
    const reviewed = request.group === k0rdent.group && Object.hasOwn(kinds, request.kind) ? kinds[request.kind] : undefined;
    if (!reviewed?.operations.includes(request.operation)) return Promise.resolve({});
    return reviewed.review(request, admissionWorld(deps, signal));
  };
  return { mutate: answer(mutations), validate: answer(validations) };
}
