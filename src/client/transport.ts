import type { Duplex, Readable } from 'node:stream';

/** Header names in lower case. Several values of one name are a list. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TransportRequest {
  readonly method: string;
  /** Path and query, as they go on the wire. */
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array | Readable;
  /** How long to wait for the head of the answer. Default 60 s. Those who follow logs of a silent container wait for as long as they like: Infinity. */
  readonly answerTimeoutMs?: number;
  /** Ends the request and, later, the stream of its answer. */
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Must be read to its end or destroyed. */
  readonly body: Readable;
}

/** A connection that has left HTTP: exec, attach, port-forward. */
export interface Upgraded {
  readonly status: 101;
  readonly headers: Headers;
  readonly socket: Duplex;
}

/**
 * A way to one API server: straight by HTTPS, or through the tunnel of an agent. It adds the credential of the hub; whoever
 * forwards requests of others must have removed their identity headers before. Rejects with UnreachableError when no answer came.
 */
export interface Transport extends AsyncDisposable {
  request(req: TransportRequest): Promise<TransportResponse>;
  /** For requests with an `Upgrade` header. A server that declines answers like any other. */
  upgrade(req: TransportRequest): Promise<Upgraded | TransportResponse>;
}

/** The server could not be asked: no connection, no tunnel, or no answer in time. What became of the request is not known. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}
