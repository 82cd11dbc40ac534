import { StatusError } from '../../../api/status.ts';
import { UnreachableError } from '../../../client/transport.ts';
import type { JsonObject } from '../../../util/json.ts';

/** An error in the form of Rancher's API. */
export class NormanError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fieldName: string | undefined;
  /** When it may be worth trying again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, fieldName?: string, options: { retryAfterSeconds?: number | undefined } = {}) {
    super(message);
    this.name = 'NormanError';
    this.status = status;
    this.code = code;
    this.fieldName = fieldName;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const mustAuthenticate = () => new NormanError(401, 'Unauthorized', 'must authenticate');
export const notFound = () => new NormanError(404, 'NotFound', 'failed to find resource by id');
export const noSuchType = (type: string) => new NormanError(404, 'NotFound', `failed to find schema ${JSON.stringify(type)}`);
export const methodNotSupported = (method: string) => new NormanError(405, 'MethodNotAllow', `Method ${method} not supported`);
export const invalidAction = (action: string) => new NormanError(422, 'InvalidAction', `Invalid action: ${action}`);
export const invalidBody = (message: string) => new NormanError(422, 'InvalidBodyContent', message);
/** A field of the body is wrong. */
export const invalidField = (code: string, fieldName: string, message: string) => new NormanError(422, code, message, fieldName);

/** What a client hears of a failure. What went wrong inside the hub is not its business. */
export function normanErrorOf(error: unknown): NormanError {
  if (error instanceof NormanError) return error;
  if (error instanceof UnreachableError) return new NormanError(503, 'ClusterUnavailable', error.message);
  if (!(error instanceof StatusError)) return new NormanError(500, 'ServerError', 'the hub could not answer');
  if (error.code === 401) return mustAuthenticate();
  const { retryAfterSeconds } = error.details ?? {};
  return new NormanError(error.code, error.reason === '' ? 'ServerError' : error.reason, error.message, undefined, { retryAfterSeconds });
}

export function printError({ status, code, message, fieldName }: NormanError): JsonObject {
  return { type: 'error', baseType: 'error', status, code, message, ...(fieldName !== undefined && { fieldName }) };
}
