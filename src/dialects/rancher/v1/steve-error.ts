import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../util/json.ts';
import { sendAnswer } from '../v3/answer-norman.ts';
import { NormanError, normanErrorOf } from '../v3/norman-error.ts';

export const methodNotAllowed = (method: string) => new NormanError(405, 'MethodNotAllowed', `Method ${method} not supported`);
export const notFound = (what: string) => new NormanError(404, 'NotFound', `${what} was not found`);

/** An error as `/v1` says it. */
export function printSteveError({ status, code, message }: NormanError): JsonObject {
  return { type: 'error', links: {}, code, message, status };
}

/** Answers the error. What has begun cannot be answered any more and is cut. */
export function sendSteveError(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  if (res.closed) return;
  if (res.headersSent) return void res.destroy();
  const told = normanErrorOf(error);
  sendAnswer(req, res, { status: told.status, body: printSteveError(told) });
}
