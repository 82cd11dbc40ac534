import type { IncomingMessage } from 'node:http';
import { badRequest } from '../api/status.ts';

const hostPattern = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/** The URL under which members find the hub: the one it was told, or the one that the sender of this request used. */
export function serverOf(req: IncomingMessage, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const host = req.headers.host ?? '';
  if (!hostPattern.test(host)) throw badRequest('the Host header is missing or malformed');
  return `https://${host.toLowerCase()}`;
}
