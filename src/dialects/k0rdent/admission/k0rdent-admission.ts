import type { AdmissionAnswer, AdmissionRequest, AdmissionReviewer } from '../../../core/admission/admission-review.ts';
import { k0rdent } from '../kinds/group.ts';
import { admissionWorld, type AdmissionDeps, type AdmissionWorld } from './admission-world.ts';
import { defaultAccessManagement, reviewAccessManagement } from './review-access-management.ts';
import { defaultClusterDeployment, reviewClusterDeployment } from './review-cluster-deployment.ts';
import { reviewManagement, reviewReleaseDeletion } from './review-management.ts';
import { reviewRegion } from './review-region.ts';
import { reviewChain, reviewProviderTemplateDeletion, reviewTemplateDeletion } from './review-templates.ts';

type Review = (request: AdmissionRequest, world: AdmissionWorld) => Promise<AdmissionAnswer>;

/** Which operations on which kinds are asked about. */
export interface ReviewedKind {
  readonly resource: string;
  readonly operations: readonly AdmissionRequest['operation'][];
  /** In CEL, when besides. What need not be asked costs nothing, and works while nobody answers. */
  readonly when?: string;
  readonly review: Review;
}

const every = ['CREATE', 'UPDATE', 'DELETE'] as const;
const writes = ['CREATE', 'UPDATE'] as const;

/** Labels, annotations and finalizers are nobody's business. Nor is what is on its way out. */
const specChanges = 'request.operation != "UPDATE" || (object.spec != oldObject.spec && !has(object.metadata.deletionTimestamp))';

export const mutations: Readonly<Record<string, ReviewedKind>> = {
  ClusterDeployment: {
    resource: 'clusterdeployments',
    operations: writes,
    when: `!has(object.spec.config) && (${specChanges})`,
    review: defaultClusterDeployment,
  },
  AccessManagement: { resource: 'accessmanagements', operations: writes, when: specChanges, review: defaultAccessManagement },
};

export const validations: Readonly<Record<string, ReviewedKind>> = {
  ClusterDeployment: { resource: 'clusterdeployments', operations: every, when: specChanges, review: reviewClusterDeployment },
  ServiceTemplate: { resource: 'servicetemplates', operations: ['DELETE'], review: reviewTemplateDeletion },
  ClusterTemplate: { resource: 'clustertemplates', operations: ['DELETE'], review: reviewTemplateDeletion },
  ProviderTemplate: { resource: 'providertemplates', operations: ['DELETE'], review: reviewProviderTemplateDeletion },
  ServiceTemplateChain: { resource: 'servicetemplatechains', operations: ['CREATE'], review: reviewChain },
  ClusterTemplateChain: { resource: 'clustertemplatechains', operations: ['CREATE'], review: reviewChain },
  AccessManagement: { resource: 'accessmanagements', operations: every, when: specChanges, review: reviewAccessManagement },
  Management: { resource: 'managements', operations: every, when: specChanges, review: reviewManagement },
  Region: { resource: 'regions', operations: every, when: specChanges, review: reviewRegion },
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
