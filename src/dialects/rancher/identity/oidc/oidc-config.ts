import type { AuthConfig } from '../../kinds/user.ts';
import { rancherNamespaces } from '../../names.ts';

export const oidcProvider = 'genericoidc';
export const oidcConfigType = 'genericOIDCConfig';
export const verifyPath = '/verify-auth';

/** Where the secrets of providers are. An AuthConfig can name no others: who writes one must not read all the Secrets of the hub by it. */
export const authSecretsNamespace = rancherNamespaces.globalData;

/** How people sign in with an OIDC provider. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Name of a Secret in `cattle-global-data` with the key `clientsecret`; a public client has none. */
  readonly clientSecretName: string | undefined;
  /** Where the provider sends people back to. */
  readonly redirectUrl: string;
  readonly scope: string;
  readonly groupsClaim: string;
  readonly nameClaim: string;
  readonly emailClaim: string;
  /** PEM, trusted besides the authorities of the system. */
  readonly certificate: string | undefined;
  readonly accessMode: 'unrestricted' | 'restricted' | 'required';
  readonly allowedPrincipalIds: readonly string[];
}

const secretRef = /^cattle-global-data:([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/;

export const isOidcEnabled = (config: AuthConfig | undefined): config is AuthConfig =>
  config?.enabled === true && config.type === oidcConfigType;

/** Undefined when the provider is not enabled. Throws when it is, and cannot work. */
export function parseOidcConfig(config: AuthConfig | undefined): OidcConfig | undefined {
  if (!isOidcEnabled(config)) return undefined;
  const fields: Readonly<Record<string, unknown>> = config;
  const text = (name: string, fallback = ''): string => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : fallback;
  };
  const needed = (name: string): string => text(name) || fail(`${name} is missing`);
  const clientSecret = text('clientSecret');
  const [, clientSecretName] = secretRef.exec(clientSecret) ?? [];
  if (clientSecret !== '' && clientSecretName === undefined)
    fail(`clientSecret must name a Secret as ${authSecretsNamespace}:<name>; its key is "clientsecret"`);
  return {
    issuer: webAddress('issuer', needed('issuer')),
    clientId: needed('clientId'),
    clientSecretName,
    redirectUrl: redirectUrl(webAddress('rancherUrl', needed('rancherUrl'))),
    scope: scopeOf(text('scope', 'openid profile email')),
    groupsClaim: text('groupsClaim', 'groups'),
    nameClaim: text('nameClaim', 'name'),
    emailClaim: text('emailClaim', 'email'),
    certificate: text('certificate') || undefined,
    accessMode: config.accessMode ?? 'unrestricted',
    allowedPrincipalIds: config.allowedPrincipalIds ?? [],
  };
}

function webAddress(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username !== '' || url.password !== '' || url.hash !== '') fail(`${name} is no address of the form https://…`);
  return text;
}

/** Rancher wants the whole address; who gives only that of the hub means the usual place. */
function redirectUrl(text: string): string {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = verifyPath;
  if (url.pathname !== verifyPath) fail(`rancherUrl must end in ${verifyPath}`);
  return url.href;
}

function scopeOf(text: string): string {
  const scopes = text.split(/[\s,]+/).filter(scope => scope !== '');
  return [...new Set(['openid', ...scopes])].join(' ');
}

function fail(why: string): never {
  throw new Error(`the provider ${JSON.stringify(oidcProvider)} cannot be used: ${why}`);
}
