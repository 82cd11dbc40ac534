import type { IncomingMessage } from 'node:http';
import { parseApiVersion } from '../../api/object.ts';
import { badRequest, StatusError, tooLarge } from '../../api/status.ts';
import { isJsonObject, parseJson, type Json } from '../../util/json.ts';
import { decodeProtobuf } from '../protobuf/decode.ts';
import { ProtobufError } from '../../util/protobuf-wire.ts';
import type { DecodedBody } from '../verbs/decode-object.ts';
import { yamlProblems } from '../verbs/field-validation.ts';
import { readYaml, YamlError } from '../../yaml/read-yaml.ts';
import { fieldPositions, JsonSyntaxError, scanJson } from './scan-json.ts';

const maxBodyBytes = 3 * 1024 * 1024;

/** Collects a body within its limit. The rest of a body that is too large is not read. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) throw bodyTooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) return void chunks.push(chunk);
      req.pause();
      reject(bodyTooLarge());
    });
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    req.on('error', reject);
  });
}

const bodyTooLarge = () => tooLarge(`Request entity too large: limit is ${maxBodyBytes}`);

export type MediaType = 'json' | 'yaml' | 'protobuf';

/** The type of a POST, PUT or DELETE body. Throws 415 for types nobody here reads. */
export function bodyMediaType(contentType: string | undefined): MediaType {
  const type = (contentType ?? 'application/json').split(';', 1)[0]!.trim().toLowerCase();
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf';
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** A body that is no document at all. */
export class BodySyntaxError extends StatusError {
  constructor(message: string) {
    super(400, 'BadRequest', message);
  }
}

/** Decodes a body; what strict decoding would complain about is collected, not thrown. */
export function decodeBody(bytes: Buffer, type: MediaType, expected?: { apiVersion: string; kind: string }): DecodedBody {
  if (type === 'protobuf') return decodeProtobufBody(bytes, expected);
  const text = bytes.toString('utf8');
  return { ...(type === 'yaml' ? decodeYaml(text) : decodeJson(text)), raw: bytes };
}

function decodeProtobufBody(bytes: Buffer, expected: { apiVersion: string; kind: string } | undefined): DecodedBody {
  try {
    const { apiVersion, kind, body } = decodeProtobuf(bytes, expected);
    return { value: { ...body, apiVersion, kind }, problems: [] };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    if (!error.claimed) throw new BodySyntaxError(error.message);
    const { kind, apiVersion } = error.claimed;
    const { version } = parseApiVersion(apiVersion);
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected?.kind ?? kind}: ${error.message}`);
  }
}

export function decodeJson(text: string): DecodedBody {
  try {
    const { duplicates, wholeFloats } = scanJson(text);
    return {
      value: wellFormed(parseJson(text), text),
      problems: duplicates.map(path => `duplicate field ${JSON.stringify(path)}`),
      wholeFloats,
      sortProblems: problems => inTextOrder(problems, text),
    };
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof SyntaxError || error instanceof RangeError) {
      throw new BodySyntaxError(`couldn't get version/kind; json parse error: ${error.message}`);
    }
    throw error;
  }
}

const halfPair = /\\u[dD][89a-fA-F]/;

/** Escapes that name half a character become the replacement character, as Go reads them. */
export function wellFormed(value: Json, text: string): Json {
  if (!halfPair.test(text)) return value;
  const repair = (item: Json): Json => {
    if (typeof item === 'string') return item.toWellFormed();
    if (Array.isArray(item)) return item.map(repair);
    if (!isJsonObject(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key.toWellFormed(), repair(member)]));
  };
  return repair(value);
}

/** Strict decoding finds unknown and repeated fields in one pass. */
function inTextOrder(problems: readonly string[], text: string): string[] {
  const positions = fieldPositions(text);
  const positionOf = (problem: string) => {
    const [, kind, path] = /^(duplicate|unknown) field (".*")$/s.exec(problem) ?? [];
    const places = path === undefined ? undefined : positions.get(JSON.parse(path) as string);
    return places?.[kind === 'duplicate' ? 1 : 0] ?? Infinity;
  };
  return problems.toSorted((a, b) => positionOf(a) - positionOf(b));
}

/** YAML as the real server reads it. Most of it is JSON in truth, which is read faster where both mean the same. */
export function decodeYaml(text: string): DecodedBody {
  if (text.startsWith('{') && !onlyInJson.test(text)) {
    try {
      const { value, problems } = decodeJson(text);
      if (problems.length === 0) return { value, problems };
    } catch {
      // Flow mappings that are not JSON are still YAML.
    }
  }
  try {
    const { value, duplicates } = readYaml(text);
    return { value, problems: duplicates.length === 0 ? [] : [`${yamlProblems}${duplicates.map(line => `  ${line}`).join('\n')}`] };
  } catch (error) {
    if (error instanceof YamlError) throw new BodySyntaxError(error.message);
    throw error;
  }
}

/** Escapes that YAML does not know. */
const onlyInJson = /\\(\/|u[dD][89a-fA-F])/;
