import type { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { StatusError, type Status } from '../../api/status.ts';
import { parseJson, printJson } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { encodeProtobuf } from '../protobuf/encode.ts';
import type { Negotiated } from './negotiate.ts';

const compress = promisify(gzip);
const compressFromBytes = 128 * 1024;
const newline = Buffer.from('\n');

/** Everything about one answer that is not its body. */
export interface AnswerContext {
  readonly res: ServerResponse;
  readonly acceptsGzip: boolean;
  readonly warnings: readonly string[];
}

export const plainJson: Negotiated = { encoding: 'json', form: { as: 'object' }, isPretty: false };

/** Sends an object in the encoding the client asked for. */
export function sendObject(ctx: AnswerContext, code: number, obj: object, { encoding, isPretty }: Negotiated): Promise<void> {
  if (encoding === 'protobuf') return send(ctx, code, 'application/vnd.kubernetes.protobuf', [encodeProtobuf(obj)]);
  if (encoding === 'yaml') return send(ctx, code, 'application/yaml', [Buffer.from(writeYaml(parseJson(printJson(obj))))]);
  return send(ctx, code, 'application/json', [Buffer.from(`${printJson(obj, isPretty ? 2 : undefined)}${isPretty ? '' : '\n'}`)]);
}

/** Sends bytes that are an object already. */
export function sendBytes(ctx: AnswerContext, code: number, bytes: Buffer, negotiated: Negotiated): Promise<void> {
  if (negotiated.encoding === 'json' && !negotiated.isPretty) return send(ctx, code, 'application/json', [bytes, newline]);
  return sendObject(ctx, code, parseJson(bytes.toString('utf8')) as object, negotiated);
}

export function sendText(ctx: AnswerContext, code: number, text: string, headers: Record<string, string> = {}): Promise<void> {
  for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
  return send(ctx, code, headers['Content-Type'] ?? 'text/plain; charset=utf-8', [Buffer.from(text)]);
}

export function sendError(ctx: AnswerContext, error: StatusError, negotiated: Negotiated = plainJson): Promise<void> {
  const seconds = error.details?.retryAfterSeconds;
  if (seconds !== undefined) ctx.res.setHeader('Retry-After', String(seconds));
  return sendObject(ctx, error.code, error.toStatus(), negotiated);
}

export function successStatus(details: Status['details']): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...(details && { details }) };
}

/** Sends a body in pieces, compressed when that is worth it. */
export async function send(ctx: AnswerContext, code: number, contentType: string, parts: readonly Buffer[]): Promise<void> {
  const { res } = ctx;
  setWarnings(ctx);
  res.setHeader('Content-Type', contentType);
  let size = 0;
  for (const part of parts) size += part.length;
  if (ctx.acceptsGzip && size >= compressFromBytes) {
    const compressed = await compress(Buffer.concat(parts), { level: 1 });
    res.setHeader('Content-Encoding', 'gzip');
    res.setHeader('Vary', 'Accept-Encoding');
    res.writeHead(code);
    res.end(compressed);
    return;
  }
  res.setHeader('Content-Length', size);
  res.writeHead(code);
  res.end(parts.length === 1 ? parts[0] : Buffer.concat(parts, size));
}

/** How much may wait for one reader of a stream before it counts as slow. Watchers of the same objects share these bytes. */
export const maxBacklogBytes = 512 * 1024;

/** Resolves when what was written has gone, or when nobody waits for it any more. */
export function drained(res: ServerResponse): Promise<void> {
  if (res.closed || !res.writableNeedDrain) return Promise.resolve();
  return new Promise(resolve => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}

export function setWarnings({ res, warnings }: AnswerContext): void {
  if (warnings.length === 0) return;
  const unique = [...new Set(warnings)];
  res.setHeader(
    'Warning',
    unique.map(text => `299 - "${text.replace(/[\\"]/g, '\\$&').replace(/[\r\n]+/g, ' ')}"`),
  );
}
