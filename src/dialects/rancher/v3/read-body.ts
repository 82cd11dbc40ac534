import type { IncomingMessage } from 'node:http';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../../util/json.ts';
import { readYaml } from '../../../yaml/read-yaml.ts';
import { invalidBody, NormanError } from './norman-error.ts';

export const maxBodyBytes = 2 * 1024 * 1024;

/** The body of a request, JSON or YAML by its type; an empty one is an empty object. Throws 413 and 422. How long it may take is the server's to say. */
export async function readBody(req: IncomingMessage, maxBytes = maxBodyBytes): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new NormanError(413, 'MaxLimitExceeded', `the body must not be longer than ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return parseBody(Buffer.concat(chunks), req.headers['content-type']);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function parseBody(bytes: Buffer, contentType = ''): JsonObject {
  if (bytes.length === 0) return {};
  const [mediaType = ''] = contentType.split(';', 1);
  const isYaml = /^(?:application|text)\/(?:x-)?yaml$/i.test(mediaType.trim());
  let value: Json;
  try {
    const text = utf8.decode(bytes);
    value = isYaml ? readYaml(text).value : parseJson(text);
  } catch (error) {
    throw invalidBody(`the body is not ${isYaml ? 'YAML' : 'JSON'}: ${(error as Error).message}`);
  }
  if (value === null) return {};
  if (!isJsonObject(value)) throw invalidBody('the body must be an object');
  return value;
}
