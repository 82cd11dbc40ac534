import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { notesOf } from '../auth/request-notes.ts';
import type { TransportResponse, Upgraded } from '../client/transport.ts';
import { answerHeaders } from './forwarded-headers.ts';
import { joinStreams } from '../util/join-streams.ts';
import type { Carried } from './carry-request.ts';

const keepAliveMs = 15_000;

/**
 * Carries a connection that leaves HTTP (exec, attach, port-forward) through, byte for byte. Answers what the member said when it declined; the
 * connection is then still the caller's to answer on.
 */
export async function carryUpgrade(
  { transport, request, clusterPath }: Carried,
  req: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
): Promise<TransportResponse | undefined> {
  const headers = { ...request.headers, connection: 'Upgrade', upgrade: req.headers.upgrade };
  const answer = await transport.upgrade({ ...request, headers });
  if (!isUpgraded(answer)) return answer;
  if (socket.destroyed) {
    answer.socket.destroy();
    return undefined;
  }
  socket.write(headOf(answer, clusterPath));
  notesOf(req).onStream?.(101);
  await join(socket, answer.socket, head);
  return undefined;
}

const isUpgraded = (answer: Upgraded | TransportResponse): answer is Upgraded => answer.status === 101 && 'socket' in answer;

function headOf({ headers }: Upgraded, clusterPath: string): string {
  const lines = [`HTTP/1.1 101 ${STATUS_CODES[101]}`, 'Connection: Upgrade'];
  const carried = { upgrade: headers['upgrade'], ...answerHeaders(headers, clusterPath) };
  for (const [name, value] of Object.entries(carried)) {
    for (const one of [value ?? []].flat()) if (isHeader(name, one)) lines.push(`${name}: ${one}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The head is written by hand, so nobody else looks for what would make two headers of one. */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function join(near: Duplex, far: Duplex, head: Buffer): Promise<void> {
  for (const socket of [near, far]) {
    if (!(socket instanceof Socket)) continue;
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveMs);
  }
  if (head.length > 0) far.write(head);
  return joinStreams(near, far);
}
