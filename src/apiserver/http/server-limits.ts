import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { refuseBrokenRequest } from './broken-request.ts';

/** How long and how large requests may be before anybody has read them. */
export const serverLimits = {
  keepAliveTimeout: 90_000,
  headersTimeout: 32_000,
  requestTimeout: 70_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 1024 * 1024,
} as const;

export function guardServer(server: HttpServer | HttpsServer): void {
  // Their size is limited; beyond a number of them Node would drop some in silence, and with them who is impersonated.
  server.maxHeadersCount = 0;
  server.on('clientError', refuseBrokenRequest);
}
