import { parseChallenges } from './auth-challenge.ts';
import { basicAuthorization } from './credentials.ts';
import type { EgressAnswer } from './egress.ts';
import type { OciReference } from './oci-reference.ts';
import type { SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';
import { checkStatus } from './check-status.ts';
import { withoutCredentials } from './without-credentials.ts';

export interface RegistryRequest {
  /** Below `/v2/<repository>/`. */
  readonly path: string;
  readonly accept?: string;
  readonly maxBytes: number;
  readonly timeoutMs?: number;
}

/** One repository of a registry, asked for reading. */
export interface OciRepository {
  /** Throws SourceError for every answer that is none of success. */
  get(req: RegistryRequest): Promise<EgressAnswer>;
  readonly hasCredentials: boolean;
}

const maxTokenBytes = 256 * 1024;

/** Asks as the distribution specification says: at first as nobody, then as the registry wants to be told who asks. */
export function openRepository({ registry, repository, userInfo }: OciReference, ctx: SourceContext): OciRepository {
  const { egress, credentials, signal } = ctx;
  const basic = basicAuthorization(credentials, userInfo);
  let authorization: string | undefined;

  return { get, hasCredentials: basic !== undefined };

  async function get(req: RegistryRequest): Promise<EgressAnswer> {
    let answer = await ask(req);
    const challenge = answer.headers['www-authenticate'];
    if (answer.status === 401 && challenge !== undefined) {
      authorization = await authorize(challenge);
      if (authorization !== undefined) answer = await ask(req);
    }
    checkStatus(answer.status, placeOf(req), basic !== undefined);
    return answer;
  }

  function ask({ path, accept, maxBytes, timeoutMs }: RegistryRequest): Promise<EgressAnswer> {
    return egress.fetch({
      url: `${registry}/v2/${repository}/${path}`,
      ...(accept !== undefined && { headers: { accept } }),
      authorization,
      tls: credentials.tls,
      maxBytes,
      ...(timeoutMs !== undefined && { timeoutMs }),
      signal,
    });
  }

  /** The header that answers a challenge; undefined when we have nothing to answer with. */
  async function authorize(challenge: string): Promise<string | undefined> {
    const challenges = parseChallenges(challenge);
    const bearer = challenges.find(one => one.scheme === 'bearer');
    if (bearer) return `Bearer ${await fetchToken(bearer.parameters)}`;
    return challenges.some(one => one.scheme === 'basic') ? basic : undefined;
  }

  /** The registry says who gives tokens for it, and that one is told the password: it is part of the registry, wherever it is. */
  async function fetchToken(parameters: ReadonlyMap<string, string>): Promise<string> {
    const url = tokenUrl(parameters);
    const isHome = url.origin === new URL(registry).origin;
    const { ca, insecureSkipVerify } = credentials.tls ?? {};
    const tls = isHome ? credentials.tls : { ca, insecureSkipVerify };
    const answer = await egress.fetch({ url: url.href, authorization: basic, tls, maxBytes: maxTokenBytes, signal });
    checkStatus(answer.status, withoutCredentials(url.href), basic !== undefined);
    const token = tokenIn(answer.body.toString());
    if (token === undefined) throw new SourceError(`"${withoutCredentials(url.href)}" gives no token for the registry`);
    return token;
  }

  function tokenUrl(parameters: ReadonlyMap<string, string>): URL {
    const realm = parameters.get('realm') ?? '';
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && registry.startsWith('http:'));
    if (!url || !isSafe)
      throw new SourceError(`the registry "${registry}" sends for tokens to where none can be asked for safely`, { isFinal: true });
    url.username = '';
    url.password = '';
    const service = parameters.get('service');
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', parameters.get('scope') ?? `repository:${repository}:pull`);
    return url;
  }

  function placeOf({ path }: RegistryRequest): string {
    const [kind, what] = path.split(/[/?]/, 2);
    const shown = `oci://${new URL(registry).host}/${repository}`;
    if (kind !== 'manifests') return shown;
    return what!.startsWith('sha256:') ? `${shown}@${what}` : `${shown}:${what}`;
  }
}

function tokenIn(text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { token, access_token: accessToken } = (body ?? {}) as { token?: unknown; access_token?: unknown };
  const given = token ?? accessToken;
  // Anything else would be a header of its own making.
  return typeof given === 'string' && /^[\x21-\x7e]+$/.test(given) ? given : undefined;
}
