import { Namespace } from '../../../api/builtin-kinds.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { localId, rancherNamespaces } from '../names.ts';
import { notAllowed } from './answers.ts';

export const standingNamespaces: readonly string[] = [localId, rancherNamespaces.fleetLocal];

/** The namespaces of the hub's own cluster stay. */
export async function reviewNamespaceDeletion(request: AdmissionRequest): Promise<AdmissionAnswer> {
  return standingNamespaces.includes(request.name) ? notAllowed(Namespace, request, 'it belongs to the hub itself') : {};
}
