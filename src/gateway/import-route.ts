import type { IncomingMessage, ServerResponse } from 'node:http';
import { Secret } from '../api/builtin-kinds.ts';
import type { Cluster } from '../api/cluster.ts';
import { badRequest, StatusError } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { importManifest } from '../core/registration/import-manifest.ts';
import type { ManifestWishes } from '../core/registration/manifest-options.ts';
import { judgeToken, secretOf, tokenSelector } from '../core/registration/registration-token.ts';
import { sendText } from './answer.ts';
import { importPrefix } from './gateway.ts';
import { serverOf } from './server-url.ts';

export interface ImportDeps {
  readonly hub: KubeClient;
  findClusterById(id: string): Promise<Cluster | undefined>;
  /** Where members find the hub; what the request called it when absent. */
  readonly serverUrl?: string | undefined;
  readonly caChecksum: string;
  readonly agentImage: string;
  readonly version: string;
  /** What is to be different for one cluster. */
  manifestWishes?(cluster: Cluster): ManifestWishes;
  readonly now?: () => Date;
}

const hubTimeoutMs = 10_000;
const token = '([bcdfghjklmnpqrstvwxz2456789]{54})';
const clusterId = '(local|c-[a-z0-9]{5}|c-m-[a-z0-9]{8})';
// The second form is in the manuals of others, though nobody hands it out.
const fileName = new RegExp(`^${token}[_-]${clusterId}\\.yaml$`);

/**
 * `/v3/import/<token>_<id>.yaml`: what a cluster applies to become a member. The token is the credential. Wrong tokens and unknown clusters are not
 * told apart.
 */
export function importRoute({ hub, findClusterById, now = () => new Date(), ...facts }: ImportDeps) {
  return async function sendManifest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, token = '', clusterId = ''] = fileName.exec((req.url ?? '').split('?', 1)[0]!.slice(importPrefix.length)) ?? [];
    if (token === '') throw new StatusError(404, 'NotFound', 'there is no such manifest: its address ends in <token>_<cluster id>.yaml');
    const [found, cluster] = await Promise.all([
      hub.list(Secret, { namespace: clusterId, labelSelector: tokenSelector(token), timeoutMs: hubTimeoutMs }),
      findClusterById(clusterId),
    ]);
    const secret = secretOf(token, found.items);
    if (!secret || !cluster) throw badRequest('cluster not found or invalid token');
    if (judgeToken(secret, { now: now() }) === 'expired')
      throw badRequest(`the registration token has expired; "drover import ${cluster.metadata.name}" makes a new one`);
    const { caChecksum, agentImage: image, version } = facts;
    const { server: known = facts.serverUrl, ...wishes } = facts.manifestWishes?.(cluster) ?? {};
    sendText(res, 200, importManifest({ clusterId, token, server: serverOf(req, known), caChecksum, image, version, ...wishes }));
  };
}
