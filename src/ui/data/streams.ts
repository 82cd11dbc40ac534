import { errorOf, request, type ApiError } from './request.ts';

/** What somebody hears of a stream that he opened. */
export interface StreamListener {
  onOpen?(): void;
  onText(text: string): void;
  /** It is over; without an error when the hub or the connection has ended it. */
  onEnd(error?: ApiError): void;
}

export interface Connection {
  readonly isOpen: boolean;
  /** Since when it is so. */
  readonly since: number;
}

const firstDelayMs = 500;
const maxDelayMs = 10_000;
/** The hub says something every five seconds. */
const longestSilenceMs = 11_000;
const signedOutCode = 1008;

let socket: WebSocket | undefined;
let connection: Connection = { isOpen: true, since: Date.now() };
let nextId = 1;
let attempt = 0;
let heardAt = Date.now();
let retry: ReturnType<typeof setTimeout> | undefined;
const streams = new Map<number, { path: string; accept: string; listener: StreamListener }>();
const observers = new Set<() => void>();

/** Opens a stream on the one connection of this tab. What comes back closes it. */
export function openStream(path: string, listener: StreamListener, accept = 'application/json'): () => void {
  const id = nextId++;
  streams.set(id, { path, accept, listener });
  if (socket?.readyState === WebSocket.OPEN) send({ open: id, path, accept });
  else connect();
  return () => {
    if (streams.delete(id) && socket?.readyState === WebSocket.OPEN) send({ close: id });
  };
}

export const getConnection = (): Connection => connection;

export function subscribeConnection(observer: () => void): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Closes the connection: nobody is signed in any more. */
export function closeStreams(): void {
  streams.clear();
  clearTimeout(retry);
  retry = undefined;
  socket?.close();
  socket = undefined;
}

/** Tries at once: the person asked for it, or the machine is back on the network. */
export function reconnect(): void {
  clearTimeout(retry);
  retry = undefined;
  connect();
}

function connect(): void {
  if (retry !== undefined || (socket && socket.readyState <= WebSocket.OPEN)) return;
  const opened = new WebSocket(`wss://${location.host}/ui/streams`);
  socket = opened;
  opened.onopen = () => {
    attempt = 0;
    heardAt = Date.now();
    setOpen(true);
    for (const [id, { path, accept }] of streams) send({ open: id, path, accept });
  };
  opened.onmessage = ({ data }: MessageEvent<string>) => {
    heardAt = Date.now();
    hear(data);
  };
  opened.onclose = ({ code }) => end(opened, code);
}

function end(opened: WebSocket, code: number): void {
  if (socket !== opened) return;
  socket = undefined;
  setOpen(false);
  // The session may be over: an ordinary question tells.
  if (code === signedOutCode || attempt > 0) void request('/v3/users?me=true').catch(() => {});
  const delayMs = Math.min(firstDelayMs * 2 ** attempt++, maxDelayMs) * (0.75 + Math.random() / 2);
  retry = setTimeout(reconnect, delayMs);
  // Each decides from where to go on.
  const ended = [...streams.values()];
  streams.clear();
  for (const { listener } of ended) listener.onEnd();
}

function hear(text: string): void {
  const [, number = '', kind = ''] = /^(\d+)([ \n])/.exec(text) ?? [];
  const id = Number(number);
  const stream = streams.get(id);
  if (!stream) return;
  const rest = text.slice(number.length + 1);
  if (kind === '\n') return stream.listener.onText(rest);
  if (rest === '200') return stream.listener.onOpen?.();
  streams.delete(id);
  const [code = '', ...words] = rest.split(' ');
  stream.listener.onEnd(rest === 'end' ? undefined : errorOf(Number(code), words.join(' ')));
}

function send(message: object): void {
  socket?.send(JSON.stringify(message));
}

function setOpen(isOpen: boolean): void {
  if (connection.isOpen === isOpen) return;
  connection = { isOpen, since: isOpen ? Date.now() : heardAt };
  for (const observer of observers) observer();
}

window.addEventListener('online', reconnect);

/** A connection that died without a word is given up: nothing that is shown may be older than it seems. */
setInterval(() => {
  const silent = socket;
  if (silent?.readyState !== WebSocket.OPEN || Date.now() - heardAt < longestSilenceMs) return;
  silent.onclose = null;
  silent.close();
  end(silent, 0);
}, 1000);
