import type { IncomingMessage } from 'node:http';
import { StatusError } from '../../api/status.ts';
import { objectTypes, streamTypes } from './negotiate.ts';

/** The media types a route of the real server declares. The router compares them before any handler negotiates. */
export interface Route {
  /** Absent: anything. */
  readonly consumes?: readonly string[];
  readonly produces: readonly string[];
}

const patchMediaTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

const objectRoute: Route = { produces: objectTypes };
const listRoute: Route = { produces: [...objectTypes, ...streamTypes] };
const patchRoute: Route = { consumes: patchMediaTypes, produces: objectTypes };
export const discoveryRoute: Route = { consumes: objectTypes, produces: objectTypes };
export const versionRoute: Route = { consumes: ['application/json'], produces: ['application/json'] };

export function routeOf(verb: string): Route {
  if (verb === 'patch') return patchRoute;
  return verb === 'list' || verb === 'watch' ? listRoute : objectRoute;
}

const methodsWithoutBody = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']);

/** Throws 415 or 406 in the words of the router when no media type fits. */
export function checkRoute({ method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>, { consumes, produces }: Route): void {
  if (consumes && !canConsume(method, headers['content-type'] ?? '', consumes)) {
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const { accept = '' } = headers;
  if (accept === '') return;
  if (mediaTypesIn(accept).some(type => type === '*/*' || produces.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`;
  throw new StatusError(406, 'NotAcceptable', message, {});
}

function canConsume(method: string, contentType: string, consumes: readonly string[]): boolean {
  if (contentType === '') return methodsWithoutBody.has(method);
  return mediaTypesIn(contentType).some(type => consumes.includes(type));
}

function mediaTypesIn(header: string): string[] {
  return header.split(',').map(part => part.split(';', 1)[0]!.replace(/^ +| +$/g, ''));
}
