import { httpsTransport } from '../../../client/https-transport.ts';
import { AnswerTooLargeError, readBytes } from '../../../client/read-answer.ts';
import type { TransportResponse } from '../../../client/transport.ts';
import { errorText } from '../../../util/error-text.ts';
import { hideSecrets } from '../logs/hide-secrets.ts';
import {
  parseClusterPage,
  parseErrorMessage,
  parseGeneratedKubeconfig,
  parseLogin,
  parseSetting,
  type GeneratedAccess,
  type RancherCluster,
} from './rancher-answers.ts';
import { providerReasons, RancherError } from './rancher-error.ts';
import { deadlineIn } from '../../../util/timer-limits.ts';

export type RancherLogin = { readonly token: string } | { readonly username: string; readonly password: string };

export interface RancherAddress {
  /** Without a slash at its end. */
  readonly url: string;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** For each answer, from its first byte to its last. */
  readonly timeoutMs: number;
}

/** What workflows ask of a Rancher, by its API v3. Everything throws RancherError, or the reason of the signal. */
export interface RancherClient extends AsyncDisposable {
  /** All of them, in the order of the server. */
  clusters(signal: AbortSignal): Promise<RancherCluster[]>;
  /** Undefined where there is none that may be seen. */
  setting(name: string, signal: AbortSignal): Promise<string | undefined>;
  generateKubeconfig(clusterId: string, signal: AbortSignal): Promise<GeneratedAccess>;
  /** One that is not there any more is no error. */
  deleteToken(id: string, signal: AbortSignal): Promise<void>;
  /** The token that requests carry now. */
  token(signal: AbortSignal): Promise<string>;
}

const maxPageBytes = 64 * 1024 * 1024;
const maxPages = 1000;
const pageSize = 250;
/** For all pages together. */
const listingMs = 120_000;
const loginPath = '/v3-public/localProviders/local?action=login';
const segment = (text: string): string => encodeURIComponent(text);

interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly signal: AbortSignal;
  /** Sign-in itself goes without a token. */
  readonly isAnonymous?: boolean;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The server to which it sends, which nobody follows: the token is not for others. */
  readonly elsewhere: string | undefined;
}

function elsewhereOf({ status, headers }: Pick<TransportResponse, 'status' | 'headers'>, url: string): string | undefined {
  const { location } = headers;
  const isRedirect = status >= 300 && status < 400 && typeof location === 'string' && URL.canParse(location, url);
  return isRedirect ? new URL(location, url).origin : undefined;
}

export function rancherClient(address: RancherAddress, login: RancherLogin): RancherClient {
  const { url, ca, insecureSkipTlsVerify, timeoutMs } = address;
  const transport = httpsTransport({
    server: url,
    ca,
    insecureSkipTlsVerify,
    connectTimeoutMs: timeoutMs,
    answerTimeoutMs: timeoutMs,
    maxConnections: 16,
  });
  let session: Promise<string> | undefined;

  return {
    clusters,
    async setting(name, signal) {
      try {
        return parseSetting(await ask({ method: 'GET', path: `/v3/settings/${segment(name)}`, signal }));
      } catch (error) {
        // Who may list clusters need not be allowed to see settings.
        if (error instanceof RancherError && error.reason !== providerReasons.connectionFailed) return undefined;
        throw error;
      }
    },
    generateKubeconfig: async (id, signal) =>
      parseGeneratedKubeconfig(
        await ask({ method: 'POST', path: `/v3/clusters/${segment(id)}?action=generateKubeconfig`, body: {}, signal }),
      ),
    async deleteToken(id, signal) {
      const [, name] = /^ext\/(.+)$/.exec(id) ?? [];
      const path = name === undefined ? `/v3/tokens/${segment(id)}` : `/apis/ext.cattle.io/v1/tokens/${segment(name)}`;
      await ask({ method: 'DELETE', path, signal }, [404]);
    },
    token: tokenOf,
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };

  async function clusters(signal: AbortSignal): Promise<RancherCluster[]> {
    const found: RancherCluster[] = [];
    const seen = new Set<string>();
    const endsAt = performance.now() + listingMs;
    for (let path: string | undefined = `/v3/clusters?limit=${pageSize}`; path !== undefined;) {
      if (seen.has(path) || seen.size >= maxPages)
        throw new RancherError(providerReasons.rancherError, 'Rancher error: the pages of clusters do not end');
      if (performance.now() > endsAt)
        throw new RancherError(providerReasons.connectionFailed, `"${url}" did not tell all its clusters within ${listingMs / 1000} s`);
      seen.add(path);
      const page = parseClusterPage(await ask({ method: 'GET', path, signal }));
      found.push(...page.clusters);
      path = page.next;
    }
    // A cluster may move to a later page while pages are read.
    return [...new Map(found.map(one => [one.id, one])).values()];
  }

  async function tokenOf(signal: AbortSignal): Promise<string> {
    if ('token' in login) return login.token;
    session ??= signIn(login, signal);
    const present = session;
    try {
      return await present;
    } catch (error) {
      if (session === present) session = undefined;
      throw error;
    }
  }

  async function signIn({ username, password }: { username: string; password: string }, signal: AbortSignal): Promise<string> {
    const body = { username, password, description: 'drover', responseType: 'json' };
    return parseLogin(await ask({ method: 'POST', path: loginPath, body, signal, isAnonymous: true }));
  }

  /** Whatever a server says: what only it and we know is not told. */
  async function hidden(text: string): Promise<string> {
    const given = 'token' in login ? [login.token, ...login.token.split(':').slice(1)] : [login.password];
    const token = await session?.catch(() => undefined);
    return hideSecrets(token === undefined ? given : [...given, token])(text);
  }

  async function ask(asked: Asked, alsoGood: readonly number[] = []): Promise<string> {
    const used = session;
    const first = await send(asked);
    // A session ends some day; whoever knows the password begins another.
    const mayBeOld = first.status === 401 && used !== undefined && asked.isAnonymous !== true;
    if (mayBeOld && session === used) session = undefined;
    const { status, text, elsewhere } = mayBeOld ? await send(asked) : first;
    if ((status >= 200 && status < 300) || alsoGood.includes(status)) return text;
    if (status === 401) throw new RancherError(providerReasons.invalidToken, 'the credential is not accepted (401)');
    if (status === 403)
      throw new RancherError(
        providerReasons.insufficientPermissions,
        `not allowed (403): ${await hidden(parseErrorMessage(text, status))}`,
      );
    const said = elsewhere === undefined ? parseErrorMessage(text, status) : `it answered ${status} and sends to ${elsewhere}`;
    throw new RancherError(providerReasons.rancherError, `Rancher error: ${await hidden(said)}`);
  }

  async function send({ method, path, body, signal, isAnonymous = false }: Asked): Promise<Answer> {
    const authorization = isAnonymous ? undefined : `Bearer ${await tokenOf(signal)}`;
    const late = deadlineIn(timeoutMs);
    const stop = AbortSignal.any([signal, late]);
    try {
      const res = await transport.request({
        method,
        path,
        headers: {
          accept: 'application/json',
          ...(authorization !== undefined && { authorization }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: stop,
      });
      const text = (await readBytes(res.body, maxPageBytes)).toString('utf8');
      return { status: res.status, text, elsewhere: elsewhereOf(res, url) };
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      if (late.aborted) throw new RancherError(providerReasons.connectionFailed, `"${url}" did not answer within ${timeoutMs / 1000} s`);
      if (cause instanceof AnswerTooLargeError) throw new RancherError(providerReasons.rancherError, `Rancher error: ${cause.message}`);
      throw new RancherError(providerReasons.connectionFailed, errorText(cause));
    }
  }
}
