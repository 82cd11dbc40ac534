import { apiVersionOf } from '../../api/object.ts';
import { StatusError, type StatusCause } from '../../api/status.ts';
import { workReasons } from '../../api/work.ts';
import { UnreachableError } from '../../client/transport.ts';
import { DeliveryError } from './delivery-error.ts';
import { refText, type ObjectRef } from './object-ref.ts';

/** What was being done to the object: `apply`, `delete`, `read`. */
export type Deed = 'apply' | 'delete' | 'read';

interface Explanation {
  readonly words: string;
  readonly isFinal: boolean;
  readonly isDenial?: boolean;
}

/** The words of the API for changes that it never allows: of built-in kinds, and those that authors of definitions use. */
const unchangeable = /immutable|may not (?:be )?change|updates? to .*(?:are|is) forbidden|cannot (?:be )?change/i;
const webhookDenial = /admission webhook "([^"]+)" denied the request/;
const webhookFailure = /failed calling webhook "([^"]+)"/;
const policyDenial = /ValidatingAdmissionPolicy '([^']+)'/;
/** Server-side apply answers 500 to objects that do not fit the schema of their kind. */
const misfit = /failed to create typed patch object|unable to convert unstructured object/;
const podSecurity = /violates PodSecurity "([^"]+)"/;
const quota = /exceeded quota: ([^,]+)/;
const limits = /is forbidden: (?:\[)?(?:maximum|minimum) [a-z-]+ usage per|is forbidden: .*limit to request ratio per/;

/** The fields that a member refuses to change, or undefined when it refuses for other reasons as well. */
export function unchangeableFields(error: unknown): string[] | undefined {
  if (!(error instanceof StatusError) || error.code !== 422) return undefined;
  const causes: readonly StatusCause[] = error.details?.causes ?? [{ message: error.message }];
  if (causes.length === 0 || !causes.every(({ message = '' }) => unchangeable.test(message))) return undefined;
  return [...new Set(causes.map(({ field = '' }) => field))].filter(field => field !== '' && field !== '<nil>');
}

/** An error of the client as one that names the object and says what to do. */
export function explainRefusal(deed: Deed, ref: ObjectRef, error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const what = `cannot ${deed} ${refText(ref)}`;
  if (error instanceof UnreachableError) {
    return new DeliveryError(workReasons.clusterUnreachable, what, { object: ref, cause: error });
  }
  const usual = deed === 'delete' ? workReasons.uninstallFailed : workReasons.applyFailed;
  if (!(error instanceof StatusError)) return new DeliveryError(usual, what, { object: ref, cause: error });
  const cause = withoutLongValues(withoutSecrets(ref, error));
  const explanation = explainStatus(ref, cause);
  const reason = explanation?.isDenial === true ? workReasons.policyDenied : usual;
  const words = explanation === undefined ? what : `${what}: ${explanation.words}`;
  return new DeliveryError(reason, words, { object: ref, isFinal: explanation?.isFinal ?? false, cause });
}

/** A server that expected another type repeats what it got; of a Secret that must not go into a status. */
function withoutSecrets({ group, kind }: ObjectRef, error: StatusError): StatusError {
  if (group !== '' || kind !== 'Secret' || !error.message.includes(', got ')) return error;
  const message = error.message.replaceAll(/, got [^]*?(?=\n|$)/g, ', got something else');
  return new StatusError(error.code, error.reason, message);
}

const maxCauseLength = 200;

/** A server that refuses a value repeats it, whole pod templates too: what it says of it comes last. */
function withoutLongValues(error: StatusError): StatusError {
  const causes = error.details?.causes ?? [];
  let { message } = error;
  for (const { message: words = '' } of causes) {
    if (words.length > maxCauseLength) message = message.replace(words, () => shortened(words));
  }
  return message === error.message ? error : new StatusError(error.code, error.reason, message, error.details);
}

function shortened(words: string): string {
  const begins = words.slice(0, words.indexOf(': '));
  const ends = words.slice(words.lastIndexOf(': ') + 2);
  return `${begins}: …: ${ends.length > maxCauseLength ? `…${ends.slice(-maxCauseLength)}` : ends}`;
}

function explainStatus(ref: ObjectRef, error: StatusError): Explanation | undefined {
  const { message } = error;
  const fields = unchangeableFields(error);
  if (fields) {
    const which = fields.length === 0 ? 'one of its fields' : fields.join(' and ');
    return final(`${which} cannot be changed once it is there: set spec.options.force to delete the object and create it anew`);
  }
  const failure = webhookFailure.exec(message);
  if (failure) return passing(`the admission webhook "${failure[1]}" of the member does not answer: look at its pods`);
  const words = denialWords(message);
  return words === undefined ? explainCode(ref, error) : { ...passing(words), isDenial: true };
}

/** What rules of a member say to what they deny, as it may also stand in a status. Undefined when no rule is meant. */
export function denialWords(message: string): string | undefined {
  const denial = webhookDenial.exec(message);
  if (denial) return `the admission webhook "${denial[1]}" of the member denies it: change the object or the rule`;
  const policy = policyDenial.exec(message);
  if (policy) return `the admission policy "${policy[1]}" of the member denies it: change the object or the policy`;
  const level = podSecurity.exec(message);
  if (level) return `the pod security level "${level[1]}" of its namespace denies it: change the pods or the level`;
  const exceeded = quota.exec(message);
  if (exceeded) return `the quota "${exceeded[1]}" is used up: raise it or ask for less`;
  return limits.test(message) ? 'the limits of its namespace deny it: change the object or the LimitRange' : undefined;
}

function explainCode(ref: ObjectRef, { code, message, details }: StatusError): Explanation | undefined {
  const owned = (details?.causes ?? []).filter(({ reason }) => reason === 'FieldManagerConflict');
  if (code === 403 && isNamespaceGoing(details?.causes, message)) return passing(`namespace "${ref.namespace}" is being deleted`);
  if (code === 403 && message.includes(' cannot ')) return passing('the hub lacks the right on the member: look at its role there');
  if (code === 403) return passing('the member forbids it');
  if (code === 401) return passing('the member does not know the hub: renew its credential');
  if (code === 404 && details?.kind === 'namespaces') {
    return passing(`namespace "${ref.namespace}" does not exist: add it, or set spec.options.createNamespace`);
  }
  if (code === 404 && (details?.name ?? '') === '') return passing(missingKindWords(ref));
  if (code === 409) return owned.length > 0 ? final(ownedWords(owned)) : passing('others changed it at the same time');
  if (code === 413 || message.includes('request is too large')) return final('it is larger than the member accepts');
  if (code === 429 || code === 503 || code === 504) return passing('the member is too busy');
  if (code === 422 || code === 400) return final('the member says that it is wrong');
  if (misfit.test(message)) return final('it has fields or values that its kind does not have');
  return undefined;
}

function isNamespaceGoing(causes: readonly StatusCause[] = [], message: string): boolean {
  return causes.some(({ reason }) => reason === 'NamespaceTerminating') || message.includes('because it is being terminated');
}

/** The server names owner and field of each: `conflict with "kubectl-edit" using apps/v1`. */
function ownedWords(causes: readonly StatusCause[]): string {
  const fields = causes.slice(0, 3).map(({ field = '', message = '' }) => {
    const manager = /conflict with ("[^"]*")/.exec(message)?.[1];
    return manager === undefined ? field : `${field} (${manager})`;
  });
  const more = causes.length > 3 ? ` and ${causes.length - 3} more` : '';
  return `others own ${fields.join(', ')}${more}: leave them out, or allow the delivery to take them over`;
}

function missingKindWords(ref: ObjectRef): string {
  return `the member has no kind ${ref.kind} in ${apiVersionOf(ref)}: is its CustomResourceDefinition installed?`;
}

/** For kinds that discovery does not know, before anything was asked. */
export function missingKind(deed: Deed, ref: ObjectRef): DeliveryError {
  return new DeliveryError(workReasons.applyFailed, `cannot ${deed} ${refText(ref)}: ${missingKindWords(ref)}`, { object: ref });
}

/** A person must change the object or the Work. */
const final = (words: string): Explanation => ({ words, isFinal: true });
/** It may pass, or be put right on the member, where nobody tells us. */
const passing = (words: string): Explanation => ({ words, isFinal: false });
