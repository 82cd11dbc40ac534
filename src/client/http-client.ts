import { setTimeout as sleep } from 'node:timers/promises';
import { withType, type KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import { isJsonObject, printJson } from '../util/json.ts';
import { noteWrite, traceparent } from '../util/trace.ts';
import { apiPath } from './api-path.ts';
import { underDeadline } from './deadline.ts';
import type {
  CallOptions,
  DeleteOptions,
  KubeClient,
  Listed,
  ListOptions,
  ObjectKey,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './kube-client.ts';
import { isMissing } from './missing-object.ts';
import { readJson, readStatusError } from './read-answer.ts';
import { readWatch } from './read-watch.ts';
import type { Headers, Transport, TransportResponse } from './transport.ts';

export interface HttpClientOptions {
  readonly userAgent?: string;
  /** Hears the warnings that the server adds to its answers. */
  onWarning?(text: string): void;
  /** A watch that says nothing for longer is taken for dead. Servers send bookmarks about every minute. Default 130 s. */
  readonly watchSilenceMs?: number;
  readonly pageSize?: number;
}

const defaultManager = 'drover';
const watchAnswerMs = 30_000;
/** Watches end by themselves after some minutes, not all at once, so that load spreads over the replicas of a server. */
const watchSeconds = () => Math.round(300 * (1 + Math.random()));
const maxBusyAnswers = 5;
const longestBusyWaitSeconds = 10;

const mediaTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A Kubernetes API over a Transport, which is disposed of with the client. */
export function httpClient(transport: Transport, options: HttpClientOptions = {}): KubeClient {
  const { userAgent = 'drover', onWarning, watchSilenceMs = 130_000, pageSize = 500 } = options;

  return {
    async get<T extends KubeObject>(kind: KindRef<T>, key: ObjectKey, call: CallOptions = {}) {
      return unlessNotFound(key, () => exchange<T>('GET', apiPath(kind, key), undefined, call));
    },

    list,
    watch,

    create<T extends KubeObject>(kind: KindRef<T>, obj: T, write: WriteOptions = {}) {
      const { namespace, name } = obj.metadata;
      const path = apiPath(kind, write.subresource ? { namespace, name, subresource: write.subresource } : { namespace }, queryOf(write));
      return exchange<T>('POST', path, jsonBody(kind, obj), write);
    },

    update<T extends KubeObject>(kind: KindRef<T>, obj: T, write: WriteOptions = {}) {
      const { namespace, name = '' } = obj.metadata;
      const path = apiPath(kind, { namespace, name, subresource: write.subresource }, queryOf(write));
      return exchange<T>('PUT', path, jsonBody(kind, obj), write);
    },

    apply(kind, obj, { force = true, ...write } = {}) {
      const { namespace, name = '' } = obj.metadata;
      const path = apiPath(kind, { namespace, name, subresource: write.subresource }, { ...queryOf(write), force });
      return exchange('PATCH', path, { type: mediaTypes.apply, text: printJson(withType(kind, obj)) }, write);
    },

    patch(kind, key, { type, body }, write = {}) {
      const path = apiPath(kind, { ...key, subresource: write.subresource }, queryOf(write));
      return exchange('PATCH', path, { type: mediaTypes[type], text: printJson(body) }, write);
    },

    async delete(kind: KindRef, key: ObjectKey, { propagationPolicy, preconditions, dryRun, ...call }: DeleteOptions = {}) {
      const body = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        ...(propagationPolicy && { propagationPolicy }),
        ...(preconditions && { preconditions }),
        ...(dryRun && { dryRun: ['All'] }),
      };
      const answer = await unlessNotFound(key, () =>
        exchange<object>('DELETE', apiPath(kind, key), { type: 'application/json', text: printJson(body) }, call),
      );
      return answer !== undefined;
    },

    request: req => transport.request({ ...req, headers: { 'user-agent': userAgent, ...req.headers } }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };

  async function list<T extends KubeObject>(kind: KindRef<T>, { signal, timeoutMs, ...what }: ListOptions = {}): Promise<Listed<T>> {
    return underDeadline(callOptions(signal, timeoutMs ?? 60_000), async deadline => {
      try {
        return await listPages<T>(kind, what, pageSize, deadline);
      } catch (error) {
        if (!(error instanceof StatusError) || error.code !== 410) throw error;
        // The pages took so long that the server has forgotten where they began.
        return listPages<T>(kind, what, undefined, deadline);
      }
    });
  }

  async function listPages<T extends KubeObject>(
    kind: KindRef<T>,
    { namespace, labelSelector, fieldSelector }: ListOptions,
    limit: number | undefined,
    signal: AbortSignal,
  ): Promise<Listed<T>> {
    const items: T[] = [];
    let resourceVersion = '';
    let token: string | undefined;
    do {
      const path = apiPath(kind, { namespace }, { labelSelector, fieldSelector, limit, continue: token });
      const page: ListPage = await ask<ListPage>('GET', path, undefined, signal);
      for (const item of page.items ?? []) items.push(withType(kind, item) as T);
      resourceVersion = page.metadata?.resourceVersion ?? '';
      token = page.metadata?.continue;
    } while (token !== undefined && token !== '');
    return { items, resourceVersion };
  }

  async function* watch<T extends KubeObject>(kind: KindRef<T>, { signal, ...what }: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, sendInitialEvents } = what;
    const path = apiPath(
      kind,
      { namespace },
      {
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: watchSeconds(),
        labelSelector,
        fieldSelector,
        resourceVersion,
        ...(sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
      },
    );
    const ended = new AbortController();
    const end = () => ended.abort();
    if (signal?.aborted) return;
    signal?.addEventListener('abort', end, { once: true });
    try {
      const res = await send('GET', path, undefined, ended.signal);
      if (res.status !== 200) throw await readStatusError(res);
      yield* readWatch<T>(res.body, watchSilenceMs);
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof StatusError) || error.code !== 410) throw error;
      yield { type: 'EXPIRED' };
    } finally {
      signal?.removeEventListener('abort', end);
      ended.abort();
    }
  }

  function exchange<T>(method: string, path: string, body: Body | undefined, call: CallOptions): Promise<T> {
    return underDeadline(call, signal => ask<T>(method, path, body, signal));
  }

  /** A request with a JSON answer. A server that is too busy has done nothing: it is asked again, as often as makes sense. */
  async function ask<T>(method: string, path: string, body: Body | undefined, signal: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await readJson(await send(method, path, body, signal));
        if (method !== 'GET' && isJsonObject(answer)) noteWrite(answer);
        return answer as unknown as T;
      } catch (error) {
        const waitSeconds = busyWait(error, attempt);
        if (waitSeconds === undefined) throw error;
        await sleep(waitSeconds * 1000, undefined, { signal });
      }
    }
  }

  async function send(method: string, path: string, body: Body | undefined, signal: AbortSignal): Promise<TransportResponse> {
    const trace = traceparent();
    const headers: Headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(body && { 'content-type': body.type }),
      ...(trace !== undefined && { traceparent: trace }),
    };
    const res = await transport.request({
      method,
      path,
      headers,
      signal,
      answerTimeoutMs: method === 'GET' ? watchAnswerMs : Infinity,
      ...(body && { body: body.text }),
    });
    if (onWarning) for (const text of warningsOf(res.headers)) onWarning(text);
    return res;
  }
}

interface Body {
  readonly type: string;
  readonly text: string;
}

interface ListPage {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

function callOptions(signal: AbortSignal | undefined, timeoutMs: number): CallOptions {
  return { timeoutMs, ...(signal && { signal }) };
}

function busyWait(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof StatusError) || error.code !== 429 || attempt > maxBusyAnswers) return undefined;
  // An eviction that a disruption budget refuses also answers 429, without saying when to come back.
  const { retryAfterSeconds } = error.details ?? {};
  return retryAfterSeconds === undefined || retryAfterSeconds > longestBusyWaitSeconds ? undefined : retryAfterSeconds;
}

function queryOf({ fieldManager = defaultManager, dryRun, fieldValidation }: WriteOptions) {
  return { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined };
}

function jsonBody(kind: KindRef, obj: KubeObject): Body {
  return { type: 'application/json', text: printJson(withType(kind, obj)) };
}

/** Undefined when there is no such object. */
async function unlessNotFound<T>(key: ObjectKey, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isMissing(error, key)) return undefined;
    throw error;
  }
}

/** What the server warns of beside its answer. */
export function warningsOf(headers: Headers): string[] {
  const { warning = [] } = headers;
  const texts = typeof warning === 'string' ? [warning] : warning;
  return texts.flatMap(text => [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(match => match[1]!.replace(/\\(.)/g, '$1')));
}
