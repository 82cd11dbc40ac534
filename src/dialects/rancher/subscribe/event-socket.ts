import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { StatusError, tooManyRequests } from '../../../api/status.ts';
import { notesOf } from '../../../auth/request-notes.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { UpgradeConnection } from '../../../gateway/dialect-routes.ts';
import { endWebSocket } from '../../../util/end-web-socket.ts';
import { printJson, type JsonObject } from '../../../util/json.ts';
import { webSocketServer } from '../../../util/web-socket-server.ts';

/** One client that is told of changes. */
export interface EventSocket {
  /** Aborted when the connection has ended, or must. */
  readonly signal: AbortSignal;
  /** Whoever does not read what was sent is cut off. */
  send(event: JsonObject): void;
  /** Resolves when there is room for more. Those who send much wait for it. */
  ready(): Promise<void>;
  /** Ends the connection because the hub cannot go on with it. */
  fail(): void;
  /** Ends the connection because the caller may not hear of this any more. */
  refuse(): void;
}

export interface EventSocketsDeps {
  /** Who asks. Throws when nobody has signed in, or not any more. */
  identify(req: IncomingMessage): Promise<UserInfo>;
  /** How often that is asked again. */
  readonly recheckMs: number;
}

export interface EventSocketOptions {
  /** Told regularly to those who hear nothing else. */
  readonly ping: JsonObject;
  readonly pingMs: number;
  onMessage?(text: string, socket: EventSocket): void;
}

export interface EventSockets {
  /** Leaves HTTP. Throws before it has, and when there are too many. */
  open(req: IncomingMessage, connection: UpgradeConnection, caller: UserInfo, options: EventSocketOptions): Promise<EventSocket>;
}

/** What clients say is short: which changes they want to hear of. */
const maxMessageBytes = 64 * 1024;
/** What waits for a client that does not read. */
const maxWaitingBytes = 8 * 1024 * 1024;
const enoughWaitingBytes = 512 * 1024;
const waitMs = 20;
const mostSockets = 2000;
const mostOfOneCaller = 50;

const policyViolation = 1008;
const internalError = 1011;
const tryAgainLater = 1013;

/** The connections of those who are told of changes, all with the same bounds. */
export function eventSockets({ identify, recheckMs }: EventSocketsDeps): EventSockets {
  const byCaller = new Map<string, number>();
  let all = 0;
  const load = webSocketServer({ maxPayload: maxMessageBytes });

  return {
    async open(req, { socket, head }, caller, options) {
      const own = byCaller.get(caller.name) ?? 0;
      if (all >= mostSockets || own >= mostOfOneCaller) throw tooManyRequests('too many connections are told of changes', 5);
      count(caller.name, 1);
      try {
        const server = await load();
        return await new Promise<EventSocket>((resolve, reject) => {
          socket.once('close', () => reject(new Error('the client has gone')));
          // A client may say something at once: whoever listens must be there before it does.
          server.handleUpgrade(req, socket, head, webSocket => {
            webSocket.once('close', () => count(caller.name, -1));
            notesOf(req).onStream?.(101);
            resolve(attend(webSocket, req, caller, options));
          });
        });
      } catch (error) {
        count(caller.name, -1);
        throw error;
      }
    },
  };

  function count(name: string, change: number): void {
    all += change;
    const own = (byCaller.get(name) ?? 0) + change;
    if (own > 0) byCaller.set(name, own);
    else byCaller.delete(name);
  }

  function attend(
    webSocket: WebSocket,
    req: IncomingMessage,
    caller: UserInfo,
    { ping, pingMs, onMessage }: EventSocketOptions,
  ): EventSocket {
    const ended = new AbortController();
    const timers = [setInterval(() => send(ping), pingMs), setInterval(() => void recheck(), recheckMs)].map(timer => timer.unref());
    webSocket.on('error', () => webSocket.terminate());
    webSocket.once('close', () => {
      for (const timer of timers) clearInterval(timer);
      ended.abort(new Error('the client has gone'));
    });
    const attended: EventSocket = {
      signal: ended.signal,
      send,
      ready,
      fail: () => end(internalError, 'the hub could not go on'),
      refuse: () => end(policyViolation, 'not allowed any more'),
    };
    webSocket.on('message', (data, isBinary) => {
      if (!isBinary && !ended.signal.aborted) onMessage?.(String(data), attended);
    });
    return attended;

    function send(event: JsonObject): void {
      if (ended.signal.aborted) return;
      if (webSocket.bufferedAmount > maxWaitingBytes) return end(tryAgainLater, 'the events are not read');
      webSocket.send(printJson(event));
    }

    async function ready(): Promise<void> {
      while (!ended.signal.aborted && webSocket.bufferedAmount > enoughWaitingBytes)
        await new Promise(resolve => setTimeout(resolve, waitMs).unref());
    }

    async function recheck(): Promise<void> {
      try {
        const now = await identify(req);
        if (now.name !== caller.name) end(policyViolation, 'somebody else has signed in');
      } catch (error) {
        if (error instanceof StatusError && error.code < 500 && error.code !== 429) end(policyViolation, 'not signed in any more');
      }
    }

    function end(code: number, reason: string): void {
      ended.abort(new Error(reason));
      endWebSocket(webSocket, code, reason, 1000);
    }
  }
}
