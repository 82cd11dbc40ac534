import type { RequestHeaders } from '../helpers/http-target.ts';

/**
 * A named sequence of requests, sent to two servers whose answers must agree. In paths, headers and bodies `{{ns}}` is the case's own namespace,
 * `{{id}}` a word that is unique to the case, `{{group}}` an API group of its own, `{{webhook}}` and `{{webhookCa}}` its webhook server, and any
 * other `{{name}}` a value captured before.
 */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Not run beside others: it touches what all cases share. */
  readonly alone?: boolean;
  /** Every request is made as one and the same administrator: for answers that name the user. */
  readonly impersonated?: boolean;
}

export type Step = RequestStep | WatchStep | EventsStep | UntilStep | WebhookLogStep | PauseStep | UntilAllowedStep;

export interface RequestStep extends RequestExtras {
  readonly step: 'request';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface RequestExtras {
  readonly headers?: RequestHeaders;
  /** Impersonates this user (of the given groups). */
  readonly as?: string;
  readonly groups?: readonly string[];
  readonly anonymous?: boolean;
  /** Names for values of the answer, by dotted path. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Dotted paths of the answer that may differ, as regular expressions. */
  readonly ignore?: readonly string[];
  /** Compares only the status code. */
  readonly codeOnly?: boolean;
  /** Which items of a list or of a discovery document to compare; for lists that hold more than this case made. */
  readonly keep?: (item: Record<string, unknown>) => boolean;
}

export interface WatchStep {
  readonly step: 'watch';
  readonly name: string;
  readonly path: string;
  readonly headers?: RequestHeaders;
  readonly as?: string;
  /** Over a WebSocket, for which these sub-protocols are offered. */
  readonly protocols?: readonly string[];
}

/** Waits until the watch has seen `count` events in all, or has ended, and then a little longer for events that should not come. */
export interface EventsStep {
  readonly step: 'events';
  readonly watch: string;
  readonly count: number;
  /** Compares bookmarks too, not only the one that ends the initial events. */
  readonly bookmarks?: boolean;
  /** The order in which objects that already exist are sent is free. */
  readonly sorted?: boolean;
}

/** Repeats a GET until its answer satisfies the predicate. The answer itself is not compared. */
export interface UntilStep {
  readonly step: 'until';
  readonly path: string;
  readonly isRight: (body: Record<string, never>, code: number) => boolean;
}

/** Compares what the webhook server was asked so far. */
export interface WebhookLogStep {
  readonly step: 'webhookLog';
}

/** For what a server learns in the background and never tells; everything that can be seen is awaited with `until`. */
export interface PauseStep {
  readonly step: 'pause';
  readonly ms: number;
}

/** Repeats an access review in the case's namespace until the answer is yes: grants reach the authorizer in the background. */
export interface UntilAllowedStep {
  readonly step: 'untilAllowed';
  readonly user: string;
  readonly verb: string;
  /** A plural, or plural/name. */
  readonly resource: string;
  readonly group: string;
}

type Extras = RequestExtras;

export function request(method: string, path: string, body?: unknown, extras: Extras = {}): RequestStep {
  return { step: 'request', method, path, ...(body === undefined ? {} : { body }), ...extras };
}

export const get = (path: string, extras?: Extras): RequestStep => request('GET', path, undefined, extras);
export const post = (path: string, body: unknown, extras?: Extras): RequestStep => request('POST', path, body, extras);
export const put = (path: string, body: unknown, extras?: Extras): RequestStep => request('PUT', path, body, extras);
export const del = (path: string, body?: unknown, extras?: Extras): RequestStep => request('DELETE', path, body, extras);

export function patch(type: string, path: string, body: unknown, extras: Extras = {}): RequestStep {
  return request('PATCH', path, body, { ...extras, headers: { 'Content-Type': type, ...extras.headers } });
}

export const merge = (path: string, body: unknown, extras?: Extras): RequestStep =>
  patch('application/merge-patch+json', path, body, extras);
export const strategic = (path: string, body: unknown, extras?: Extras): RequestStep =>
  patch('application/strategic-merge-patch+json', path, body, extras);
export const jsonPatch = (path: string, body: unknown, extras?: Extras): RequestStep =>
  patch('application/json-patch+json', path, body, extras);

export interface ApplyExtras extends Extras {
  readonly manager?: string;
  readonly force?: boolean;
}

export function apply(path: string, body: unknown, { manager = 'm1', force = false, ...extras }: ApplyExtras = {}): RequestStep {
  const query = `${path.includes('?') ? '&' : '?'}fieldManager=${manager}${force ? '&force=true' : ''}`;
  return patch('application/apply-patch+yaml', path + query, body, extras);
}

export const watch = (name: string, path: string, extras: Pick<WatchStep, 'headers' | 'as' | 'protocols'> = {}): WatchStep => ({
  step: 'watch',
  name,
  path,
  ...extras,
});
export const events = (name: string, count: number, extras: { bookmarks?: boolean; sorted?: boolean } = {}): EventsStep => ({
  step: 'events',
  watch: name,
  count,
  ...extras,
});
export const until = (path: string, isRight: UntilStep['isRight']): UntilStep => ({ step: 'until', path, isRight });
export const pause = (ms: number): PauseStep => ({ step: 'pause', ms });
export const webhookLog: WebhookLogStep = { step: 'webhookLog' };

export const table = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
