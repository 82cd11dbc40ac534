import { Namespace } from '../../../api/builtin-kinds.ts';
import { withType } from '../../../api/define-kind.ts';
import { StatusError, tooManyRequests, unauthorized } from '../../../api/status.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, requeue, runController, settled, type RunningController } from '../../../runtime/controller.ts';
import { informer } from '../../../runtime/informer.ts';
import { splitKey } from '../../../runtime/key.ts';
import type { JsonObject } from '../../../util/json.ts';
import { SamlToken } from '../kinds/user.ts';
import { rancherNamespaces } from '../names.ts';
import { invalidField, NormanError, notFound } from '../v3/norman-error.ts';
import { identityLabels } from './identity-names.ts';
import type { IdentityObjects } from './identity-objects.ts';
import { encryptFor, parseProgramKey } from './program-key.ts';
import type { KnownToken, TokenDesk } from './token-desk.ts';
import { parseTokenWish } from './token-wish.ts';
import { untilKnown } from './until-known.ts';

export interface AuthTokensDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly users: IdentityObjects['users'];
  readonly tokens: TokenDesk;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Where a program in a terminal picks up the token that somebody allowed it in the browser. */
export interface AuthTokens {
  /** Makes a token of whoever is signed in for the program that the body names: `requestId`, `publicKey`, `responseType`. Throws 422, 409 for a request that was granted already, and 429. */
  grant(known: KnownToken, body: JsonObject): Promise<JsonObject>;
  /** Whoever knows the id of the request may ask; nobody but the program can read the answer. Throws 404 before it is granted and after it was taken away. */
  show(requestId: string): JsonObject;
  remove(requestId: string): Promise<void>;
  run(): RunningController;
}

const namespace = rancherNamespaces.globalData;
/** Programs make theirs of 32 characters. Short ones could be guessed. */
const requestPattern = /^[a-z0-9]{24,63}$/;
/** As long as programs ask for it. */
const lifetimeMs = 15 * 60_000;
const mostOfOneUser = 20;
const byUser = 'user';
const timeoutMs = 10_000;

export function authTokens({ hub, users, tokens, signal, onError }: AuthTokensDeps): AuthTokens {
  const userOf = ({ metadata }: SamlToken): string[] => [metadata.labels?.[identityLabels.tokenUser] ?? ''];
  const waiting = informer(hub, SamlToken, { namespace, signal, indexes: { [byUser]: userOf }, onError: onError(SamlToken.kind) });
  return { grant, show, remove, run };

  async function grant({ token: by }: KnownToken, body: JsonObject): Promise<JsonObject> {
    const { requestId, publicKey, responseType } = body;
    if (typeof requestId !== 'string' || !requestPattern.test(requestId))
      throw invalidField('InvalidFormat', 'requestId', 'requestId must be 24 to 63 lower-case letters and digits');
    const key = parseProgramKey(publicKey);
    const { isCookie: _isCookie, ...wish } = parseTokenWish({ responseType: responseType ?? 'kubeconfig' });
    if (wish.kind !== 'kubeconfig')
      throw invalidField('InvalidOption', 'responseType', 'responseType must be kubeconfig or kubeconfig_<cluster>');
    const user = users.get(by.userId);
    if (!user) throw unauthorized();
    if (find(requestId)) throw alreadyGranted();
    if (waiting.by(byUser, by.userId).length >= mostOfOneUser)
      throw tooManyRequests('too many programs have not picked up what they were allowed', 60);
    await createMissing(hub, Namespace, withType(Namespace, { metadata: { name: namespace } }), { timeoutMs });
    const { token, bearer } = await tokens.issue({
      ...wish,
      user,
      ...(by.authProvider !== undefined && { authProvider: by.authProvider }),
      isDerived: true,
    });
    try {
      await keep(requestId, by.userId, { token: encryptFor(key, bearer), expiresAt: token.expiresAt ?? '' });
    } catch (error) {
      await tokens.revoke(token.metadata.name!);
      throw error instanceof StatusError && error.reason === 'AlreadyExists' ? alreadyGranted() : error;
    }
    return { ...describe(requestId), userId: by.userId, expiresAt: token.expiresAt ?? '' };
  }

  async function keep(name: string, userId: string, fields: { token: string; expiresAt: string }): Promise<void> {
    const metadata = { namespace, name, labels: { [identityLabels.tokenUser]: userId } };
    await hub.create(SamlToken, withType(SamlToken, { metadata, ...fields }), { timeoutMs });
    await untilKnown(waiting, `${namespace}/${name}`, Boolean);
  }

  function show(requestId: string): JsonObject {
    const found = find(requestId);
    if (!found) throw notFound();
    return { ...describe(requestId), token: found.token, expiresAt: found.expiresAt ?? '' };
  }

  async function remove(requestId: string): Promise<void> {
    if (!find(requestId)) return;
    await hub.delete(SamlToken, { namespace, name: requestId }, { timeoutMs });
    await untilKnown(waiting, `${namespace}/${requestId}`, one => !one);
  }

  function find(requestId: string): SamlToken | undefined {
    return requestPattern.test(requestId) ? waiting.get(`${namespace}/${requestId}`) : undefined;
  }

  /** What nobody picked up goes; the token itself ends as all do. */
  function run(): RunningController {
    return runController(
      {
        name: 'rancher-auth-tokens',
        async reconcile(key, { now, signal }) {
          const found = waiting.get(key);
          if (!found) return settled;
          const leftMs = Date.parse(found.metadata.creationTimestamp ?? '') + lifetimeMs - now.getTime();
          if (leftMs > 0) return requeue(leftMs);
          await hub.delete(SamlToken, splitKey(key), { signal });
          return settled;
        },
      },
      { signal, triggers: [changesOf(waiting)] },
    );
  }
}

const describe = (id: string): JsonObject => ({ id, type: 'authToken', baseType: 'authToken', name: id });

const alreadyGranted = () => new NormanError(409, 'AlreadyExists', 'this request has been granted already');
