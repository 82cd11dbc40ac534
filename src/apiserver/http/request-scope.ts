import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { apiVersionOf } from '../../api/object.ts';
import type { Cluster } from '../cluster.ts';
import type { RequestContext } from '../request.ts';
import type { Resource } from '../resource.ts';
import { unrecognized, type DecodedBody } from '../verbs/decode-object.ts';
import type { AnswerContext } from './answer.ts';
import { bodyMediaType, BodySyntaxError, decodeBody, readBody } from './read-body.ts';
import type { RequestInfo } from './request-info.ts';

/** A connection whose client asks to speak something else than HTTP on it. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** One HTTP request on its way through the API. */
export interface RequestScope extends AnswerContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly info: RequestInfo;
  readonly ctx: RequestContext;
  readonly cluster: Cluster;
  readonly upgrade?: Upgrade | undefined;
}

/** Reads and decodes the body of a POST or PUT to a resource. Protobuf bodies name their own kind; `kind` is for those that do not. */
export async function readObjectBody(scope: RequestScope, resource: Resource, kind = resource.kind): Promise<DecodedBody> {
  const type = bodyMediaType(scope.req.headers['content-type']);
  const bytes = await readBody(scope.req);
  try {
    return decodeBody(bytes, type, { apiVersion: apiVersionOf(resource), kind });
  } catch (error) {
    if (error instanceof BodySyntaxError) throw unrecognized(kind, error.message, bytes);
    throw error;
  }
}
