import type { CertificateSigningRequest } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { forbid } from '../apiserver/admission/admission-errors.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../apiserver/admission/admission.ts';
import { parseCertificateRequest } from '../pki/certificate-request.ts';
import { jsonEqual } from '../util/json.ts';
import { signers } from './certificate-signers.ts';
import { privilegedGroup } from './rbac.ts';
import type { Authorizer, UserInfo } from './user.ts';

/** CertificateApproval, CertificateSigning and CertificateSubjectRestriction. */
export function certificateAdmission(authorizer: Authorizer): AdmissionPlugin[] {
  return [
    {
      name: 'CertificateApproval',
      handles: request => isCsr(request, 'UPDATE', 'approval'),
      validate(request) {
        // The signer of the old object counts: the new one might name another.
        const signer = specOf(request.oldObject).signerName ?? '';
        if (!mayUseSigner(authorizer, request.user, 'approve', signer))
          throw forbid(request, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
      },
    },
    {
      name: 'CertificateSigning',
      handles: request => isCsr(request, 'UPDATE', 'status'),
      validate(request) {
        const before = statusOf(request.oldObject);
        const after = statusOf(request.object);
        if (before.certificate === after.certificate && jsonEqual(before.conditions ?? [], after.conditions ?? [])) return;
        const signer = specOf(request.oldObject).signerName ?? '';
        if (!mayUseSigner(authorizer, request.user, 'sign', signer))
          throw forbid(request, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
      },
    },
    {
      name: 'CertificateSubjectRestriction',
      handles: request => isCsr(request, 'CREATE', ''),
      validate: restrictSubject,
    },
  ];
}

function restrictSubject(request: AdmissionRequest): void {
  const spec = specOf(request.object);
  if (spec.signerName !== signers.apiClient) return;
  let organizations: readonly string[];
  try {
    organizations = parseCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString()).subject.organizations;
  } catch (error) {
    throw forbid(request, `failed to parse CSR: ${(error as Error).message}`);
  }
  if (organizations.includes(privilegedGroup))
    throw forbid(request, `use of ${signers.apiClient} signer with system:masters group is not allowed`);
}

function isCsr(request: AdmissionRequest, operation: string, subresource: string): boolean {
  return (
    request.operation === operation &&
    request.subresource === subresource &&
    request.resource.resource === 'certificatesigningrequests' &&
    request.resource.group === 'certificates.k8s.io'
  );
}

/** Whether a user may approve or sign for a signer, or for all signers of its domain. */
function mayUseSigner(authorizer: Authorizer, user: UserInfo, verb: string, signer: string): boolean {
  return [signer, `${signer.split('/')[0]}/*`].some(
    name =>
      authorizer.authorize(user, {
        isResource: true,
        verb,
        group: 'certificates.k8s.io',
        version: '*',
        resource: 'signers',
        subresource: '',
        namespace: '',
        name,
      }).allowed,
  );
}

function specOf(obj: KubeObject | undefined): Partial<NonNullable<CertificateSigningRequest['spec']>> {
  return (obj?.['spec'] ?? {}) as Partial<NonNullable<CertificateSigningRequest['spec']>>;
}

function statusOf(obj: KubeObject | undefined): NonNullable<CertificateSigningRequest['status']> {
  return (obj?.['status'] ?? {}) as NonNullable<CertificateSigningRequest['status']>;
}
