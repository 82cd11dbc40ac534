import type { APIServiceSpec } from '../../api/kubernetes.ts';
import { escapeHeaderKey } from '../../auth/header-values.ts';
import type { UserInfo } from '../../auth/user.ts';
import { goNetworkError } from './go-network-error.ts';
import type { HttpsPools, TlsTarget } from './https-pools.ts';
import type { ResolveService } from './resolve-service.ts';

/** The certificate by which aggregated servers know that a request comes from this server. */
export interface ProxyClient {
  readonly certificate: string;
  readonly key: string;
}

export interface RemoteDeps {
  readonly pools: HttpsPools;
  readonly resolveService: ResolveService;
  /** Read for every connection, so that it can be renewed. */
  proxyClient?(): ProxyClient | undefined;
}

/** Who this server is when it asks for itself. */
const aggregatorUser: UserInfo = { name: 'system:kube-aggregator', groups: ['system:masters'] };

/** Where the server behind an APIService listens. Throws StatusError when its service cannot be found. */
export async function locateServer({ resolveService, proxyClient }: RemoteDeps, spec: APIServiceSpec): Promise<TlsTarget> {
  const { name = '', namespace = '', port = 443 } = spec.service ?? {};
  const resolved = await resolveService({ name, namespace, port });
  const client = proxyClient?.();
  return {
    ...resolved,
    ...(spec.caBundle && { ca: Buffer.from(spec.caBundle, 'base64').toString('utf8') }),
    ...(spec.insecureSkipTLSVerify && { insecure: true }),
    ...(client && { cert: client.certificate, key: client.key }),
  };
}

/** The headers that tell an aggregated server who asks. */
export function identityHeaders({ name, uid, groups, extra }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'x-remote-user': name };
  if (uid) headers['x-remote-uid'] = uid;
  if (groups.length > 0) headers['x-remote-group'] = [...groups];
  for (const [key, values] of Object.entries(extra ?? {})) headers[`x-remote-extra-${escapeHeaderKey(key)}`] = [...values];
  return headers;
}

export interface RemoteAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const maxBodyBytes = 64 * 1024 * 1024;

/** Asks an aggregated server something for this server's own sake. */
export async function fetchRemote(
  deps: RemoteDeps,
  spec: APIServiceSpec,
  path: string,
  accept: string,
  timeoutMs: number,
): Promise<RemoteAnswer> {
  const target = await locateServer(deps, spec);
  const url = `https://${target.host}:${target.port}${path}`;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await deps.pools.get(target).request({
      method: 'GET',
      path,
      headers: { accept, host: target.servername, ...identityHeaders(aggregatorUser) },
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += (chunk as Buffer).length;
      if (size > maxBodyBytes) throw new Error(`the answer is larger than ${maxBodyBytes} bytes`);
      chunks.push(chunk as Buffer);
    }
    return { status: answer.status, body: Buffer.concat(chunks) };
  } catch (error) {
    const why = signal.aborted ? 'context deadline exceeded' : goNetworkError(error, target);
    throw new Error(`Get ${JSON.stringify(url)}: ${why}`, { cause: error });
  }
}
