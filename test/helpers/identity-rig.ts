import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { settingDefaults } from '../../src/dialects/rancher/clusters/setting-names.ts';
import { rancherIdentity, type Identity } from '../../src/dialects/rancher/identity/identity.ts';
import { publicRoutes } from '../../src/dialects/rancher/identity/public-routes.ts';
import { localSignIn } from '../../src/dialects/rancher/identity/sign-in-provider.ts';
import { signedInAccess } from '../../src/dialects/rancher/identity/signed-in-access.ts';
import { GlobalRoleBinding } from '../../src/dialects/rancher/kinds/role.ts';
import { AuthConfig, SamlToken, Token, User, UserAttribute } from '../../src/dialects/rancher/kinds/user.ts';
import { sendNormanError } from '../../src/dialects/rancher/v3/answer-norman.ts';
import { normanErrorOf } from '../../src/dialects/rancher/v3/norman-error.ts';
import type { HubAccess } from '../../src/auth/hub-access.ts';
import { embeddedAccess } from '../../src/gateway/embedded-access.ts';
import { embeddedClientAs } from '../../src/hub/embedded-client-as.ts';
import { startMemoryHub } from './memory-hub.ts';
import type { MemoryServer } from './memory-server.ts';

export interface IdentityRig extends MemoryServer {
  readonly identity: Identity;
  readonly access: HubAccess;
  /** Changes what a setting says. */
  set(name: string, value: string): void;
  /** A local user with a password. */
  addUser(username: string, password?: string): Promise<User>;
  /** Where sign-in and, behind it, the hub's API are served. */
  readonly url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export const goodPassword = 'correct horse battery';

/** People and tokens over an API server in memory, which knows their bearer tokens. */
export async function startIdentityRig(t: TestContext): Promise<IdentityRig> {
  const kinds = [User, UserAttribute, Token, SamlToken, AuthConfig, GlobalRoleBinding];
  const server = await startMemoryHub(t, kinds, { bearerTokens: token => identity.bearerUser(token) });
  const { client: hub, api } = server;
  const stop = new AbortController();
  t.after(() => stop.abort());
  const values: Record<string, string> = { ...settingDefaults({ serverUrl: '', authorities: '', version: '', agentImage: '' }) };
  const identity: Identity = rancherIdentity({
    hub,
    settings: { number: name => Number(values[name]) },
    signal: stop.signal,
    onError: what => error => t.diagnostic(`${what}: ${String(error)}`),
  });
  const { tokens, users, objects, authTokens, programLogins } = identity;
  await objects.synced;
  const access = signedInAccess(embeddedAccess({ ...api, clientAs: embeddedClientAs(api) }), tokens);
  const routes = publicRoutes({
    tokens,
    authTokens,
    programLogins,
    providers: [localSignIn(users, objects.providers)],
    base: () => 'https://hub.example.com',
    bodyLimit: () => 1024 * 1024,
  });
  const http = createServer((req, res) => {
    if (!routes.handles((req.url ?? '').split('?', 1)[0]!)) return api.handle(req, res);
    routes.handle(req, res).catch((error: unknown) => sendNormanError(req, res, normanErrorOf(error)));
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    ...server,
    identity,
    access,
    set: (name, value) => void (values[name] = value),
    addUser: (username, password = goodPassword) => users.create({ username, password }, { as: hub }),
    url,
    fetch: (path, init = {}) => fetch(url + path, { signal: AbortSignal.timeout(15_000), ...init }),
  };
}
