import { forbidden } from '../../../api/field-error.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { identityAnnotations, identityLabels } from '../identity/identity-names.ts';
import { Token } from '../kinds/user.ts';
import { faulty, notAllowed } from './answers.ts';
import { changedFields } from './changed-fields.ts';

/** What the person whose token it is may change. Everything else decides how long it lives, or whom it stands for. */
const free = ['description', 'enabled'];
const marks = [...Object.values(identityLabels), ...Object.values(identityAnnotations)];

/** Nobody writes a token of somebody else, whatever their rights, and nobody brings a key of their own. Tokens that work are made by the hub. */
export async function reviewToken(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const next = request.object as Token;
  const old = request.oldObject as Token | undefined;
  if ((old ?? next).userId !== request.user.name || next.userId !== request.user.name)
    return notAllowed(Token, request, 'a token can be written only by its own user');
  if (!old) return faulty(request, next.token ? [forbidden('token', 'the hub makes the key and keeps its hash')] : []);
  const changed = changedFields(old, next).filter(field => !free.includes(field));
  const marked = marks.filter(
    key =>
      old.metadata.labels?.[key] !== next.metadata.labels?.[key] || old.metadata.annotations?.[key] !== next.metadata.annotations?.[key],
  );
  return faulty(
    request,
    [...changed, ...marked.map(key => `metadata[${key}]`)].map(field => forbidden(field, 'field is immutable')),
  );
}
