import type { IncomingMessage, ServerResponse } from 'node:http';
import { printJson, type Json } from '../../../util/json.ts';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import { printError, type NormanError } from './norman-error.ts';
import type { NormanAnswer } from './norman-type.ts';

/** Headers that every answer has. It is data for programs and never a page, whatever a browser would make of it. */
const always = {
  'Cache-Control': 'no-store',
  Expires: 'Wed 24 Feb 1982 18:42:00 GMT',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

export function sendAnswer(req: IncomingMessage, res: ServerResponse, { status, body, text, headers }: NormanAnswer): void {
  for (const [name, value] of Object.entries({ ...always, ...headers })) res.setHeader(name, value as string | string[]);
  // The rest of a body nobody reads would be taken for the next request.
  if (!req.complete) res.setHeader('Connection', 'close');
  if (text !== undefined) return sendText(res, status, 'application/json', text);
  if (body !== undefined && wantsYaml(req)) return sendText(res, status, 'application/yaml', writeYaml(body as Json));
  if (body !== undefined) return sendText(res, status, 'application/json', `${printJson(body)}\n`);
  res.writeHead(status, status === 204 ? {} : { 'Content-Length': 0 });
  res.end();
}

function sendText(res: ServerResponse, status: number, contentType: string, text: string): void {
  const bytes = Buffer.from(text);
  res.writeHead(status, { 'Content-Type': contentType, 'Content-Length': bytes.length });
  res.end(bytes);
}

/** What has begun cannot be answered any more and is cut. */
export function sendNormanError(req: IncomingMessage, res: ServerResponse, error: NormanError): void {
  if (res.closed) return;
  if (res.headersSent) return void res.destroy();
  const { status, retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  sendAnswer(req, res, { status, body: printError(error), headers });
}

/** Whether a client asks for YAML in place of JSON. */
export function wantsYaml(req: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const format = new URLSearchParams((req.url ?? '').split('?')[1]).get('_format');
  if (format !== null) return format.toLowerCase() === 'yaml';
  return /(?:^|,)\s*application\/(?:x-)?yaml\s*(?:;|,|$)/i.test(req.headers.accept ?? '');
}
