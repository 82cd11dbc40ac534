import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { unauthorized } from '../api/status.ts';
import { SubjectAccessReview, TokenReview } from '../api/builtin-kinds.ts';
import { apiVersionOf } from '../api/object.ts';
import { peerCertificateOf } from '../apiserver/http/peer-certificate.ts';
import { authenticator } from '../auth/authenticator.ts';
import { headerValues, type HeaderValues } from '../auth/header-values.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { plainImpersonation } from '../auth/impersonation.ts';
import { forbiddenRequest } from '../auth/rbac.ts';
import { note } from '../auth/request-notes.ts';
import type { AccessAttributes, Decision, UserInfo } from '../auth/user.ts';
import { isWebSocketRequest, tokenProtocol } from '../auth/web-socket-token.ts';
import { clientWithHeaders } from '../client/client-with-headers.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { identityHeaders } from '../proxy/member-identity.ts';

export interface ExternalAccessOptions {
  /** How long an answer is believed. Default 2 s; 0 asks every time. */
  readonly believedMs?: number;
  /** Those whose certificates the server takes for its users. Nobody comes with a certificate when absent. */
  readonly clientAuthorities?: readonly X509Certificate[];
}

const hubTimeoutMs = 10_000;
const remembered = 10_000;

/**
 * The rules of an API server elsewhere, asked by TokenReview and SubjectAccessReview. People come with its bearer tokens, or with certificates of the
 * authorities it trusts. Of impersonation the plain verb is known.
 */
export function externalAccess(hub: KubeClient, { believedMs = 2000, clientAuthorities = [] }: ExternalAccessOptions = {}): HubAccess {
  const certificates = authenticator({ clientAuthorities, audiences: [], allowAnonymous: false });
  const users = remember<UserInfo | undefined>(believedMs);
  const decisions = remember<Decision>(believedMs);
  return { identify, impersonated, authorize, as: user => clientWithHeaders(hub, identityHeaders(user)) };

  async function identify(req: IncomingMessage): Promise<UserInfo> {
    const headers = headerValues(req.rawHeaders);
    const token = tokenOf(headers);
    const user = certified(req) ?? (token === undefined ? undefined : await users(digest(token), () => review(token)));
    if (!user) throw unauthorized();
    note(req, { sender: user });
    return impersonated(user, req);
  }

  async function impersonated(user: UserInfo, req: IncomingMessage): Promise<UserInfo> {
    const impersonation = plainImpersonation(headerValues(req.rawHeaders));
    if (!impersonation) return user;
    for (const need of impersonation.needs) {
      const { allowed, reason } = await authorize(user, need);
      if (!allowed) throw forbiddenRequest(user, need, reason);
    }
    return impersonation.user;
  }

  /** A certificate that proves nothing is as good as none: a token may come with it. */
  function certified(req: IncomingMessage): UserInfo | undefined {
    const peerCertificate = clientAuthorities.length === 0 ? undefined : peerCertificateOf(req.socket);
    if (!peerCertificate) return undefined;
    try {
      return certificates.authenticate({ headers: new Map(), peerCertificate }).user;
    } catch {
      return undefined;
    }
  }

  function authorize(user: UserInfo, wanted: AccessAttributes): Promise<Decision> {
    return decisions(digest(JSON.stringify([user, wanted])), () => ask(user, wanted));
  }

  async function review(token: string): Promise<UserInfo | undefined> {
    const asked: TokenReview = { apiVersion: apiVersionOf(TokenReview), kind: TokenReview.kind, metadata: {}, spec: { token } };
    const { status } = await hub.create(TokenReview, asked, { timeoutMs: hubTimeoutMs });
    const { username, uid, groups = [], extra } = status?.user ?? {};
    if (status?.authenticated !== true || !username) return undefined;
    return { name: username, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
  }

  async function ask({ name, uid, groups, extra }: UserInfo, wanted: AccessAttributes): Promise<Decision> {
    const asked: SubjectAccessReview = {
      apiVersion: apiVersionOf(SubjectAccessReview),
      kind: SubjectAccessReview.kind,
      metadata: {},
      spec: {
        user: name,
        groups: [...groups],
        ...(uid !== undefined && { uid }),
        ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
        ...attributesOf(wanted),
      },
    };
    const { status } = await hub.create(SubjectAccessReview, asked, { timeoutMs: hubTimeoutMs });
    return { allowed: status?.allowed === true && status.denied !== true, reason: status?.reason ?? '' };
  }
}

function attributesOf(wanted: AccessAttributes) {
  if (!wanted.isResource) return { nonResourceAttributes: { path: wanted.path, verb: wanted.verb } };
  const { isResource: _, ...resourceAttributes } = wanted;
  return { resourceAttributes };
}

function tokenOf(headers: HeaderValues): string | undefined {
  const values = headers.get('authorization') ?? [];
  const [, bearer] = /^bearer +(\S+)$/i.exec(values.length === 1 ? values[0]!.trim() : '') ?? [];
  if (bearer !== undefined || !isWebSocketRequest(headers)) return bearer;
  try {
    return tokenProtocol(headers)?.token;
  } catch {
    return undefined;
  }
}

/** Answers for a while what was answered before, and asks once for all who ask at the same time. Failures are not remembered. */
function remember<T>(ttlMs: number): (key: string, ask: () => Promise<T>) => Promise<T> {
  if (ttlMs === 0) return (_key, ask) => ask();
  const answers = new LRUCache<string, Promise<T>>({ max: remembered, ttl: ttlMs });
  return (key, ask) => {
    let answer = answers.get(key);
    if (!answer) {
      const asked = ask();
      answers.set(key, (answer = asked));
      asked.catch(() => {
        if (answers.peek(key) === asked) answers.delete(key);
      });
    }
    return answer;
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64');
