import { underDeadline } from '../../client/deadline.ts';
import { httpsTransport } from '../../client/https-transport.ts';
import { readBytes } from '../../client/read-answer.ts';
import { UnreachableError } from '../../client/transport.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { CommandError } from '../exit-codes.ts';

/** Where a hub is, and how it is recognised. */
export interface HubAddress {
  /** Without a path: `https://hub.example.com:7443`. */
  readonly server: string;
  /** PEM; undefined stands for the authorities of the system. */
  readonly ca?: string | undefined;
}

export interface DeskAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** What the hub serves to those who want to sign in. */
export interface SignInDesk extends AsyncDisposable {
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject, token?: string): Promise<DeskAnswer>;
}

const timeoutMs = 20_000;
const maxAnswerBytes = 1024 * 1024;

export interface DeskOptions extends HubAddress {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Believes whoever answers. Only to ask for what is compared afterwards. */
  readonly isUnverified?: boolean;
}

export function signInDesk({ server, ca, env, signal, isUnverified = false }: DeskOptions): SignInDesk {
  const transport = httpsTransport({ server, ca, proxyEnv: env, insecureSkipTlsVerify: isUnverified, connectTimeoutMs: 10_000 });
  return {
    ask: (method, path, body, token) =>
      underDeadline({ signal, timeoutMs }, async deadline => {
        const res = await transport.request({
          method,
          path,
          headers: {
            accept: 'application/json',
            ...(body && { 'content-type': 'application/json' }),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          ...(body && { body: JSON.stringify(body) }),
          signal: deadline,
        });
        const text = (await readBytes(res.body, maxAnswerBytes)).toString('utf8');
        return { status: res.status, body: parse(text) };
      }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** What the hub said when it did not do what was asked. */
export function refusal({ status, body }: DeskAnswer, what: string, hint: string): CommandError {
  const { message } = body;
  return new CommandError(`${what}: ${typeof message === 'string' && message !== '' ? message : `the hub answered ${status}`}`, { hint });
}

export const isUnreachable = (error: unknown): error is UnreachableError => error instanceof UnreachableError;
