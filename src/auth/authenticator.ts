import { createHash, type X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { StatusError, unauthorized } from '../api/status.ts';
import type { DistinguishedName } from '../pki/distinguished-name.ts';
import { verifyClientCertificate } from '../pki/verify-client-certificate.ts';
import { firstValue, prefixedValues, type HeaderValues } from './header-values.ts';
import type { TokenIdentity } from './service-account-authenticator.ts';
import { tokenDigest, type StaticTokens } from './static-tokens.ts';
import { anonymous, type UserInfo } from './user.ts';
import { isWebSocketRequest, tokenProtocol } from './web-socket-token.ts';

/** What a request shows of its sender. */
export interface AuthenticationRequest {
  readonly headers: HeaderValues;
  /** As the TLS layer received it, not yet verified. */
  readonly peerCertificate?: X509Certificate | undefined;
  readonly peerIntermediates?: readonly X509Certificate[];
}

export interface Authentication {
  readonly user: UserInfo;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  /** The sub-protocols a WebSocket client offered, without the one that carried its token. Absent when none did. */
  readonly webSocketProtocols?: readonly string[];
  /** Whether the credential is still good; asked of streams that outlive their beginning. Absent for those that only time ends. */
  readonly stillHolds?: () => boolean;
}

export interface AuthenticatorDeps {
  clientAuthorities: readonly X509Certificate[];
  /** Those who hold a certificate of these may speak for anybody through X-Remote-* headers. */
  frontProxyAuthorities?: readonly X509Certificate[];
  /** Common names of front proxies; any when empty. */
  frontProxyNames?: readonly string[];
  staticTokens?: StaticTokens;
  serviceAccounts?: (token: string, audiences: readonly string[]) => TokenIdentity | undefined;
  /** Who stands behind a token of the form `name:key`, which can be taken back at any time. Never asked for others. Throws 503 while it is not known. */
  bearerTokens?: (token: string) => UserInfo | undefined;
  audiences: readonly string[];
  /** Default true: requests without credentials are those of system:anonymous. */
  allowAnonymous?: boolean;
  now?: () => Date;
}

export interface Authenticator {
  /** Throws 401 when credentials are wrong, even if anonymous requests are allowed. */
  authenticate(request: AuthenticationRequest): Authentication;
  /** For TokenReview: who a token stands for, or why it stands for nobody. */
  reviewToken(token: string, audiences: readonly string[]): TokenIdentity | { readonly error: string } | undefined;
}

const uidAttribute = '1.3.6.1.4.1.57683.2';
const credentialId = 'authentication.kubernetes.io/credential-id';

export function authenticator(deps: AuthenticatorDeps): Authenticator {
  const { frontProxyNames = [], allowAnonymous = true, now = () => new Date() } = deps;
  const clients = certificateVerifier(deps.clientAuthorities, now);
  const frontProxies = certificateVerifier(deps.frontProxyAuthorities ?? [], now);
  const certified = new WeakMap<DistinguishedName, UserInfo>();

  return { authenticate, reviewToken };

  function authenticate(request: AuthenticationRequest): Authentication {
    const failures: unknown[] = [];
    const refuse = (reason: string): undefined => void failures.push(reason);
    const attempt = <T>(find: () => T | undefined): T | undefined => {
      try {
        return find();
      } catch (error) {
        // Who cannot be told yet is not a stranger.
        if (error instanceof StatusError && error.code === 503) throw error;
        failures.push(error);
        return undefined;
      }
    };
    const holder = attempt(() => frontProxyUser(request, refuse)) ?? attempt(() => certificateUser(request, refuse));
    if (holder) return { user: withAuthenticated(holder), warnings: [], annotations: {} };

    const bearer = bearerToken(firstValue(request.headers, 'authorization'));
    const identity = bearer === undefined ? undefined : attempt(() => tokenIdentity(bearer, deps.audiences));
    if (identity) return authenticationOf(identity);

    const offered = isWebSocketRequest(request.headers) ? attempt(() => tokenProtocol(request.headers)) : undefined;
    const offering = offered && attempt(() => tokenIdentity(offered.token, deps.audiences));
    if (offered && offering) return { ...authenticationOf(offering), webSocketProtocols: offered.protocols };

    if (failures.length > 0 || !allowAnonymous) throw unauthorized();
    return { user: anonymous, warnings: [], annotations: {} };
  }

  function reviewToken(token: string, audiences: readonly string[]): TokenIdentity | { error: string } | undefined {
    const bearer = bearerToken(`Bearer ${token}`);
    if (bearer === undefined) return allowAnonymous ? { user: anonymous, audiences } : undefined;
    try {
      const identity = tokenIdentity(bearer, audiences);
      return { ...identity, user: withAuthenticated(identity.user) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  /** Throws with the text that TokenReview shows. */
  function tokenIdentity(token: string, audiences: readonly string[]): TokenIdentity {
    const own = deps.audiences.filter(audience => audiences.includes(audience));
    const isForUs = own.length > 0 || deps.audiences.length === 0;
    const user = isForUs ? deps.staticTokens?.find(tokenDigest(token)) : undefined;
    if (user) return { user, audiences: own };
    const { bearerTokens } = deps;
    const signedIn = bearerTokens && isForUs && token.includes(':') ? bearerTokens(token) : undefined;
    if (signedIn) return { user: signedIn, audiences: own, stillHolds: () => bearerTokens!(token) !== undefined };
    let identity: TokenIdentity | undefined;
    try {
      identity = deps.serviceAccounts?.(token, audiences);
    } catch (cause) {
      throw new Error(`[invalid bearer token, ${(cause as Error).message}]`, { cause });
    }
    if (!identity) throw new Error('invalid bearer token');
    return identity;
  }

  function certificateUser({ peerCertificate, peerIntermediates }: AuthenticationRequest, refuse: Refuse): UserInfo | undefined {
    if (!peerCertificate || deps.clientAuthorities.length === 0) return undefined;
    const { subject, stranger } = clients(peerCertificate, peerIntermediates);
    if (!subject) return refuse(stranger);
    const { commonName, organizations, attributes } = subject;
    if (commonName === '') return undefined;
    const known = certified.get(subject);
    if (known) return known;
    const uids = attributes.filter(a => a.oid === uidAttribute).map(a => a.value);
    const uid = uids[0];
    if (uids.length > 1 || uid === '') throw new Error('the certificate must hold one UID that is not empty');
    const user = withAuthenticated({
      name: commonName,
      ...(uid !== undefined && { uid }),
      groups: organizations,
      extra: { [credentialId]: [`X509SHA256=${createHash('sha256').update(peerCertificate.raw).digest('hex')}`] },
    });
    certified.set(subject, user);
    return user;
  }

  function frontProxyUser({ headers, peerCertificate, peerIntermediates }: AuthenticationRequest, refuse: Refuse): UserInfo | undefined {
    if (!peerCertificate || (deps.frontProxyAuthorities ?? []).length === 0) return undefined;
    const { subject, stranger } = frontProxies(peerCertificate, peerIntermediates);
    if (!subject) return refuse(stranger);
    const { commonName } = subject;
    if (frontProxyNames.length > 0 && !frontProxyNames.includes(commonName))
      throw new Error(`x509: subject with cn=${commonName} is not in the allowed list`);
    const name = firstValue(headers, 'x-remote-user');
    if (name === '') return undefined;
    const uid = firstValue(headers, 'x-remote-uid');
    const groups = (headers.get('x-remote-group') ?? []).filter(group => group !== '');
    const extra = prefixedValues(headers, 'x-remote-extra-');
    return { name, ...(uid !== '' && { uid }), groups, ...(extra && { extra }) };
  }
}

function authenticationOf({ user, warnings = [], annotations = {}, stillHolds }: TokenIdentity): Authentication {
  return { user: withAuthenticated(user), warnings, annotations, ...(stillHolds && { stillHolds }) };
}

/** Everybody who is somebody is in system:authenticated. */
function withAuthenticated(user: UserInfo): UserInfo {
  if (user.name === anonymous.name) return user;
  if (user.groups.includes('system:authenticated') || user.groups.includes('system:unauthenticated')) return user;
  return { ...user, groups: [...user.groups, 'system:authenticated'] };
}

/** The token of an Authorization header, or undefined when it holds none. */
function bearerToken(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

// Shared by all clusters of the process, which may be thousands: the keys name the authorities that were asked.
const verified = new LRUCache<string, Verified & { readonly endsAt: number }>({ max: 8192, ttl: 60_000 });
/** Why, in words: an error would hold on to the cluster in which it was thrown. */
const strangers = new LRUCache<string, Stranger>({ max: 8192, ttl: 60_000 });

/** Notes why somebody is not who they say, without an error: every client with a certificate is a stranger to the front proxy's authority. */
type Refuse = (reason: string) => undefined;
type Verified = { readonly subject: DistinguishedName; readonly stranger?: undefined };
type Stranger = { readonly subject?: undefined; readonly stranger: string };

function certificateVerifier(authorities: readonly X509Certificate[], now: () => Date) {
  let askedOf: string | undefined;

  return function verify(certificate: X509Certificate, intermediates: readonly X509Certificate[] = []): Verified | Stranger {
    const key = keyOf(certificate);
    const known = verified.get(key);
    if (known && known.endsAt > now().getTime()) return known;
    const stranger = strangers.get(key);
    if (stranger !== undefined) return stranger;
    const found = verifyOrRemember(certificate, intermediates);
    if (found.subject) verified.set(key, { ...found, endsAt: Date.parse(certificate.validTo) });
    return found;
  };

  function keyOf(certificate: X509Certificate): string {
    askedOf ??= authorities.map(authority => authority.fingerprint256).join();
    return `${askedOf} ${certificate.fingerprint256}`;
  }

  /** Whom an authority did not sign, it will not have signed in a minute; a certificate that is too early or too late may be judged anew. */
  function verifyOrRemember(certificate: X509Certificate, intermediates: readonly X509Certificate[]): Verified | Stranger {
    try {
      return { subject: verifyClientCertificate(certificate, authorities, { intermediates, now: now() }) };
    } catch (error) {
      const isInTime = Date.parse(certificate.validFrom) <= now().getTime() && now().getTime() <= Date.parse(certificate.validTo);
      const stranger = { stranger: (error as Error).message };
      if (isInTime && intermediates.length === 0) strangers.set(keyOf(certificate), stranger);
      return stranger;
    }
  }
}
