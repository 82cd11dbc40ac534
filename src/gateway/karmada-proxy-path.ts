import { memberPrefix } from '../proxy/member-target.ts';

const proxyPath = /^\/apis\/cluster\.karmada\.io\/v1alpha1\/clusters\/([^/?]+)\/proxy(?=[/?]|$)/;

/** Karmada's path to the API of a member is another name for ours. Any other URL stays as it is. */
export function withoutKarmadaProxy(url: string): string {
  return url.replace(proxyPath, (_, cluster: string) => memberPrefix + cluster);
}
