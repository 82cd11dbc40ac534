import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { badRequest, StatusError, unauthorized } from '../../api/status.ts';
import { inProcessTransport } from '../../apiserver/http/in-process-transport.ts';
import type { WebHandler } from '../../apiserver/http/https-server.ts';
import type { HubAccess } from '../../auth/hub-access.ts';
import { anonymous, type NonResourceAttributes } from '../../auth/user.ts';
import type { Transport } from '../../client/transport.ts';
import { memberPrefix } from '../../proxy/member-target.ts';
import { endWebSocket } from '../../util/end-web-socket.ts';
import { webSocketServer } from '../../util/web-socket-server.ts';
import type { UpgradeConnection } from '../dialect-routes.ts';

/*
 * A browser keeps six connections to one address, and a page watches more than six things. So a tab has one WebSocket, and each line it sends there
 * opens or closes a stream: a GET below `/k8s/clusters/`, sent to the gateway with the cookie of the tab as if it had come on a connection of its own.
 *
 *   tab → hub   {"open": 7, "path": "/k8s/clusters/local/api/v1/pods?watch=true…", "accept": "…"}     {"close": 7}
 *   hub → tab   "7 200"        the answer has begun
 *               "7\n…"         a part of its text
 *               "7 end"        it is over
 *               "7 503 {…}"    it was refused; what follows is the Status
 *               "0 alive"      every five seconds
 */

export interface PageStreams {
  /** Leaves HTTP. Throws before it has. */
  open(req: IncomingMessage, connection: UpgradeConnection): Promise<void>;
}

export interface PageStreamsDeps {
  readonly access: HubAccess;
  /** What answers the requests of streams. It is asked for when the first tab comes. */
  gateway(): WebHandler;
  /** How often it is looked at again whether somebody is still signed in. Default 2.5 s. */
  readonly recheckMs?: number;
  /** How often a tab hears that the hub is there: its scripts do not see pings. Default 5 s. */
  readonly aliveMs?: number;
  readonly signal: AbortSignal;
}

const wanted: NonResourceAttributes = { isResource: false, verb: 'get', path: '/ui/streams' };
const maxMessageBytes = 16 * 1024;
const mostStreams = 200;
const enoughWaitingBytes = 1024 * 1024;
/** A tab that takes nothing for so many times that it should have heard from us is gone, or asleep: it comes again when it wakes. */
const mostUnread = 24;
const policyViolation = 1008;

export function pageStreams(deps: PageStreamsDeps): PageStreams {
  const { access, recheckMs = 2500, aliveMs = 5000, signal } = deps;
  const server = webSocketServer({ perMessageDeflate: true, maxPayload: maxMessageBytes });
  let transport: Transport | undefined;
  signal.addEventListener('abort', () => void transport?.[Symbol.asyncDispose](), { once: true });

  return {
    async open(req, { socket, head }) {
      await identify(req);
      (await server()).handleUpgrade(req, socket, head, webSocket => attend(webSocket, req));
    },
  };

  async function identify(req: IncomingMessage): Promise<void> {
    const user = await access.identify(req, wanted);
    if (user.name === anonymous.name) throw unauthorized();
  }

  function attend(webSocket: WebSocket, req: IncomingMessage): void {
    const streams = new Map<number, AbortController>();
    const recheck = setInterval(() => void identify(req).catch(() => webSocket.close(policyViolation, 'signed out')), recheckMs);
    let unread = 0;
    const ping = setInterval(() => {
      if (unread++ > mostUnread) webSocket.terminate();
      else void send('0 alive').then(() => (unread = 0));
    }, aliveMs);
    const onStop = () => webSocket.close(1001, 'the hub stops');
    signal.addEventListener('abort', onStop, { once: true });
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', () => {
      clearInterval(recheck);
      clearInterval(ping);
      signal.removeEventListener('abort', onStop);
      for (const stream of streams.values()) stream.abort();
    });
    webSocket.on('message', (data: Buffer, isBinary) => {
      try {
        if (isBinary) throw badRequest('messages are texts');
        hear(parseMessage(data.toString('utf8')));
      } catch (error) {
        endWebSocket(webSocket, policyViolation, (error as Error).message);
      }
    });

    function hear({ id, path, accept }: StreamMessage): void {
      streams.get(id)?.abort();
      streams.delete(id);
      if (path === undefined) return;
      if (streams.size >= mostStreams) return void send(`${id} 429 {"message":"this tab watches too much at once"}`);
      const ended = new AbortController();
      streams.set(id, ended);
      void run({ id, path, accept }, ended.signal).finally(() => {
        if (streams.get(id) === ended) streams.delete(id);
      });
    }

    async function run({ id, path, accept }: StreamMessage & { path: string }, signal: AbortSignal): Promise<void> {
      transport ??= inProcessTransport(deps.gateway());
      try {
        const { cookie, 'user-agent': userAgent } = req.headers;
        const headers = { accept, ...(cookie && { cookie }), ...(userAgent && { 'user-agent': userAgent }), host: req.headers.host };
        const { status, body } = await transport.request({ method: 'GET', path, headers, signal, answerTimeoutMs: Infinity });
        body.setEncoding('utf8');
        if (status !== 200) {
          const text = (await body.toArray()).join('').slice(0, 64 * 1024);
          return void send(`${id} ${status} ${text}`);
        }
        void send(`${id} 200`);
        for await (const part of body as AsyncIterable<string>) {
          const sent = send(`${id}\n${part}`);
          // A tab that does not read makes its streams wait; those who answer end a watch that waits for too long.
          if (webSocket.bufferedAmount > enoughWaitingBytes) await sent;
        }
        void send(`${id} end`);
      } catch (error) {
        if (signal.aborted) return;
        const { code = 502, message } = error instanceof StatusError ? error : { message: (error as Error).message };
        void send(`${id} ${code} ${JSON.stringify({ message })}`);
      }
    }

    /** Resolves when it has left, or never can. */
    function send(text: string): Promise<void> {
      if (webSocket.readyState !== webSocket.OPEN) return Promise.resolve();
      return new Promise(resolve => webSocket.send(text, () => resolve()));
    }
  }
}

interface StreamMessage {
  readonly id: number;
  /** Closes the stream when absent. */
  readonly path?: string;
  readonly accept: string;
}

function parseMessage(text: string): StreamMessage {
  const message: unknown = JSON.parse(text);
  if (typeof message !== 'object' || message === null) throw badRequest('a message is an object');
  const { open, close, path, accept = 'application/json' } = message as Record<string, unknown>;
  if (Number.isSafeInteger(close)) return { id: close as number, accept: '' };
  if (!Number.isSafeInteger(open)) throw badRequest('a message opens or closes a stream by its number');
  if (typeof path !== 'string' || !path.startsWith(memberPrefix)) throw badRequest(`a stream is below ${memberPrefix}`);
  if (typeof accept !== 'string') throw badRequest('accept is a text');
  return { id: open as number, path, accept };
}
