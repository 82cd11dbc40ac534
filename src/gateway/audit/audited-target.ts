import { attributesOf, parseRequestInfo } from '../../apiserver/http/request-info.ts';
import { parseTarget } from '../../apiserver/http/request-target.ts';
import type { AccessAttributes } from '../../auth/user.ts';
import { memberPrefix } from '../../proxy/member-target.ts';
import { authoritiesPath, connectPath, registerPath } from '../../tunnel/protocol.ts';
import { withoutKarmadaProxy } from '../karmada-proxy-path.ts';
import { redactedUri } from './redacted-uri.ts';

export interface AuditedTarget {
  readonly attributes: AccessAttributes;
  /** Name or id of the cluster it is about. */
  readonly cluster: string | undefined;
}

const peoplePaths = /^\/(?:v3|v3-public|v1|v1-public|charts|audit|verify-auth|delivery|api\/webhooks|api\/external)(?:\/|$)/;
const ofCluster =
  /^\/(?:v3|v1)\/(?:clusters?|projects?|clusterregistrationtokens?|management\.cattle\.io\.clusters)\/([a-z0-9][-a-z0-9.]*)/;
const ofImport = /^\/v3\/import\/[^/]*[_-](local|c-[a-z0-9]{5}|c-m-[a-z0-9]{8})\.yaml$/;

/** What a request to the gateway is about; undefined when it need not be written down: agents that report, API servers that ask, probes. */
export function auditedTarget(method: string, url: string): AuditedTarget | undefined {
  const local = withoutKarmadaProxy(url);
  const { path, query } = parseTarget(local) ?? { path: local.split('?', 1)[0]!, query: new URLSearchParams() };
  if (path.startsWith(memberPrefix)) {
    const [cluster = '', ...rest] = path.slice(memberPrefix.length).split('/');
    return { attributes: attributesOf(parseRequestInfo(method, { path: `/${rest.join('/')}`, query })), cluster };
  }
  if (!peoplePaths.test(path) || path === authoritiesPath || isOfAgent(path)) return undefined;
  const [, cluster] = ofCluster.exec(path) ?? ofImport.exec(path) ?? [];
  // The path of a manifest holds its token.
  return { attributes: { isResource: false, verb: method.toLowerCase(), path: redactedUri(path) }, cluster };
}

const isOfAgent = (path: string): boolean => (path === connectPath || path.startsWith(`${connectPath}/`)) && path !== registerPath;
