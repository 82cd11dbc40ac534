import type { IncomingMessage } from 'node:http';
import { badRequest, tooLarge } from '../api/status.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';

/** Reads a small JSON object from the body of a request. Throws 400 and 413. How long it may take is the server's to say. */
export async function readJsonObject(req: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge(`Request entity too large: limit is ${maxBytes}`);
    chunks.push(chunk as Buffer);
  }
  const value = parse(Buffer.concat(chunks).toString('utf8'));
  if (!isJsonObject(value)) throw badRequest('the body must be a JSON object');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badRequest(`the body is not JSON: ${(cause as Error).message}`);
  }
}

/** A field that must be there and look right. */
export function textField(body: JsonObject, field: string, pattern: RegExp): string {
  const value = body[field];
  if (typeof value !== 'string' || !pattern.test(value)) throw badRequest(`the field "${field}" is missing or malformed`);
  return value;
}
