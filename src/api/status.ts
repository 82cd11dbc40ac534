import { goQuote } from '../util/go-quote.ts';
import { causeOf, type FieldError } from './field-error.ts';
import { qualifiedKind, qualifiedResource, type GroupResource } from './object.ts';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The answer of the Kubernetes API to a request that failed, or that has no object to show. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string; resourceVersion?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** An error that has its exact form on the wire. Everything thrown towards a client of the API is one of these. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** For 410 answers that offer a fresh continue token. */
  readonly continueToken: string | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    options?: { cause?: unknown; continueToken?: string },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = options?.continueToken;
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

/** Details name a resource by `kind` (the plural) and leave the group out when it is the core group. */
function detailsOf(gr: GroupResource, name: string): StatusDetails {
  return { ...(name !== '' && { name }), ...(gr.group !== '' && { group: gr.group }), ...(gr.resource !== '' && { kind: gr.resource }) };
}

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message);
export const unauthorized = () => new StatusError(401, 'Unauthorized', 'Unauthorized');
export const notFoundError = (gr: GroupResource, name: string) =>
  new StatusError(404, 'NotFound', `${qualifiedResource(gr)} ${goQuote(name)} not found`, detailsOf(gr, name));
export const noSuchResource = () => new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
export const methodNotAllowed = () =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
export const alreadyExists = (gr: GroupResource, name: string) =>
  new StatusError(409, 'AlreadyExists', `${qualifiedResource(gr)} ${goQuote(name)} already exists`, detailsOf(gr, name));
export const conflict = (gr: GroupResource, name: string, why: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(gr)} ${goQuote(name)}: ${why}`,
    detailsOf(gr, name),
  );
export const modifiedConflict = (gr: GroupResource, name: string) =>
  conflict(gr, name, 'the object has been modified; please apply your changes to the latest version and try again');
export const forbiddenError = (gr: GroupResource, name: string, why: string, causes?: StatusCause[]) =>
  new StatusError(
    403,
    'Forbidden',
    gr.resource === ''
      ? `forbidden: ${why}`
      : name === ''
        ? `${qualifiedResource(gr)} is forbidden: ${why}`
        : `${qualifiedResource(gr)} ${goQuote(name)} is forbidden: ${why}`,
    { ...detailsOf(gr, name), ...(causes && { causes }) },
  );
export const expired = (message: string, continueToken?: string) =>
  new StatusError(410, 'Expired', message, undefined, continueToken === undefined ? undefined : { continueToken });
export const tooLarge = (message: string) => new StatusError(413, 'RequestEntityTooLarge', message);
export const tooManyRequests = (message: string, retryAfterSeconds: number, causes?: StatusCause[]) =>
  new StatusError(429, 'TooManyRequests', message, { ...(causes && { causes }), retryAfterSeconds });
export const internalServerError = (message: string) =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
/** An error the real server leaves unclassified: code 500, no reason, no details. */
export const plainError = (message: string) => new StatusError(500, '', message);
export const serviceUnavailable = (message: string, retryAfterSeconds?: number) =>
  new StatusError(503, 'ServiceUnavailable', message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
/** For what is answered from memory while memory is being filled. */
export const stillStarting = (unknown: string) => serviceUnavailable(`the hub is starting and does not know its ${unknown} yet`, 1);
export const timeout = (message: string, details?: StatusDetails) => new StatusError(504, 'Timeout', `Timeout: ${message}`, details);

/** 422 with one cause per field error; equal errors are said once, as the real server does. */
export function invalidObject(gk: { group: string; kind: string }, name: string, errors: readonly FieldError[]): StatusError {
  const lines = [...new Set(errors.map(e => (e.field === '' ? e.message : `${e.field}: ${e.message}`)))];
  const summary = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${qualifiedKind(gk)} ${goQuote(name)} is invalid: ${summary}`, {
    ...(name !== '' && { name }),
    ...(gk.group !== '' && { group: gk.group }),
    ...(gk.kind !== '' && { kind: gk.kind }),
    causes: errors.map(causeOf),
  });
}
