import type { JsonObject } from '../../../util/json.ts';
import { invalidField } from '../v3/norman-error.ts';
import type { TokenWish } from './token-desk.ts';

export interface SignInWish extends Pick<TokenWish, 'kind' | 'ttlMs' | 'description' | 'clusterId'> {
  /** Whether the token goes into a cookie. */
  readonly isCookie: boolean;
}

const clusterPattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const maxDescription = 1024;

/** What somebody wants to get by signing in. Throws 422. */
export function parseTokenWish({ responseType = '', description = '', ttl }: JsonObject): SignInWish {
  if (typeof responseType !== 'string') throw invalidField('InvalidFormat', 'responseType', 'must be a text');
  if (typeof description !== 'string' || description.length > maxDescription)
    throw invalidField('InvalidFormat', 'description', `must be a text of at most ${maxDescription} characters`);
  if (ttl !== undefined && ttl !== null && !(Number.isSafeInteger(ttl) && (ttl as number) >= 0))
    throw invalidField('InvalidFormat', 'ttl', 'must be a number of milliseconds');
  const ttlMs = typeof ttl === 'number' && ttl > 0 ? ttl : undefined;
  const [form, ...rest] = responseType.split('_');
  const clusterId = rest.join('_');
  if (form === 'kubeconfig' && (rest.length === 0 || clusterPattern.test(clusterId)))
    return {
      kind: 'kubeconfig',
      ttlMs,
      description: description || 'Kubeconfig token',
      isCookie: false,
      ...(clusterId !== '' && { clusterId }),
    };
  if (rest.length > 0 || !['', 'json', 'cookie'].includes(form!))
    throw invalidField('InvalidOption', 'responseType', 'must be json, cookie, kubeconfig or kubeconfig_<cluster>');
  return { kind: 'session', description, isCookie: form === 'cookie' };
}
