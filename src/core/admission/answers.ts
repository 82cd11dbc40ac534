import type { KindRef } from '../../api/define-kind.ts';
import type { FieldError } from '../../api/field-error.ts';
import { forbiddenError, invalidObject } from '../../api/status.ts';
import type { AdmissionAnswer, AdmissionRequest } from './admission-review.ts';

const nameOf = ({ name, object }: AdmissionRequest): string => object?.metadata.name ?? name;

/** 422, with one cause for each fault. Allowed when there is none. */
export const faulty = (request: AdmissionRequest, errors: readonly FieldError[]): AdmissionAnswer =>
  errors.length === 0 ? {} : { refusal: invalidObject(request, nameOf(request), errors) };

/** 403, with why. */
export const notAllowed = (kind: KindRef, request: AdmissionRequest, why: string): AdmissionAnswer => ({
  refusal: forbiddenError(kind, nameOf(request), why),
});
