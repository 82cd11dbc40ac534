import type { JsonObject } from '../../../../util/json.ts';

/** What a provider says about itself at its well-known address. */
export interface ProviderMetadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string | undefined;
  /** Whether clients show their secret in a header; in the body otherwise. */
  readonly takesBasic: boolean;
}

/** Throws when a provider calls itself by another name: tokens of one could pass for those of another. */
export function parseMetadata(document: JsonObject, issuer: string): ProviderMetadata {
  if (document['issuer'] !== issuer)
    throw new Error(`the provider at ${JSON.stringify(issuer)} calls itself ${JSON.stringify(document['issuer'] ?? null)}`);
  const methods = document['token_endpoint_auth_methods_supported'];
  return {
    authorizationEndpoint: address(document, 'authorization_endpoint'),
    tokenEndpoint: address(document, 'token_endpoint'),
    jwksUri: address(document, 'jwks_uri'),
    userinfoEndpoint: document['userinfo_endpoint'] === undefined ? undefined : address(document, 'userinfo_endpoint'),
    takesBasic: !Array.isArray(methods) || methods.includes('client_secret_basic'),
  };
}

function address(document: JsonObject, name: string): string {
  const value = document[name];
  if (typeof value !== 'string' || !URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error(`the provider does not say its ${name}`);
  return value;
}
