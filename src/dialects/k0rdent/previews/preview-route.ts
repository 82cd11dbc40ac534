import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cluster } from '../../../api/cluster.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { badRequest, methodNotAllowed, StatusError, unauthorized } from '../../../api/status.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import { anonymous, type NonResourceAttributes, type UserInfo } from '../../../auth/user.ts';
import { clientWithHeaders } from '../../../client/client-with-headers.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Transport } from '../../../client/transport.ts';
import { localClusterName } from '../../../core/clusters/local-cluster.ts';
import type { DialectRoutes } from '../../../gateway/dialect-routes.ts';
import { readJsonObject } from '../../../gateway/read-json.ts';
import { impersonationHeaders } from '../../../proxy/member-identity.ts';
import type { RenderPool } from '../../../render/render-pool.ts';
import { errorText } from '../../../util/error-text.ts';
import { asHubWouldStore } from './as-hub-would-store.ts';
import { ownerKinds, type OwnerKind, type OwnerObject } from './owners.ts';
import { previewServices, type ClusterPreview } from './preview-services.ts';

export interface PreviewRouteDeps {
  readonly access: HubAccess;
  /** Throws when there is no way to the member. */
  transportOf(cluster: Cluster, user: UserInfo): Transport | Promise<Transport>;
  readonly renderer: RenderPool;
}

export const previewPath = '/previews/services';

const wanted: NonResourceAttributes = { isResource: false, verb: 'create', path: previewPath };
const maxBytes = 2 * 1024 * 1024;
const timeoutMs = 120_000;
/** As many clusters as people look at; `?cluster=` asks about any other. */
const mostClusters = 30;
const mostAtOnce = 4;

/**
 * `POST /previews/services`: what a MultiClusterService, or another owner of services, would change on its clusters if it were as in the body. Answers lines
 * of JSON: first how many clusters there are, then each as soon as it is known. Everything is asked with the rights of the caller, as `drover diff -f` does:
 * who may not write the owner is refused, and on members nobody sees more than they may.
 */
export function previewRoute({ access, transportOf, renderer }: PreviewRouteDeps): DialectRoutes {
  let underWay = 0;
  return {
    roots: ['previews'],
    handles: path => path === previewPath,
    async handle(req, res) {
      if (req.method !== 'POST') throw methodNotAllowed();
      const user = await access.identify(req, wanted);
      if (user.name === anonymous.name) throw unauthorized();
      const given = (await readJsonObject(req, maxBytes)) as unknown as OwnerObject;
      const kind = kindOf(given);
      if (underWay >= mostAtOnce) throw new StatusError(429, 'TooManyRequests', 'others have asked for previews; try again in a moment');
      underWay++;
      try {
        await answer({ user, given, kind }, req, res);
      } finally {
        underWay--;
      }
    },
  };

  async function answer(
    { user, given, kind }: { user: UserInfo; given: OwnerObject; kind: OwnerKind },
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)]);
    const hub = access.as(user);
    const owner = await asHubWouldStore(hub, kind as unknown as KindRef<OwnerObject>, given, signal);
    const cluster = new URLSearchParams((req.url ?? '').split('?')[1]).get('cluster') ?? undefined;
    const preview = await previewServices({ hub, member, renderer }, { owner, kind, cluster }, signal);
    res.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    const say = (line: object) => void res.write(`${JSON.stringify(line)}\n`);
    say({ clusters: preview.clusters });
    try {
      await preview.look(one => say(shown(one)), mostClusters);
    } catch (error) {
      if (gone.signal.aborted) return;
      say({ error: errorText(error) });
    }
    res.end();

    async function member(one: Cluster): Promise<KubeClient> {
      if (one.metadata.name === localClusterName) return hub;
      return clientWithHeaders(await transportOf(one, user), impersonationHeaders(user));
    }
  }
}

function kindOf({ apiVersion, kind, metadata, spec }: OwnerObject): OwnerKind {
  const found = ownerKinds.find(one => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (!found) throw badRequest(`the body must be one of ${ownerKinds.map(one => `${apiVersionOf(one)} ${one.kind}`).join(', ')}`);
  if (typeof metadata?.name !== 'string' || typeof spec !== 'object' || spec === null)
    throw badRequest('the body needs metadata.name and spec');
  return found;
}

/** Objects that would stay as they are only count. */
function shown({ cluster, changes, notes, problems }: ClusterPreview): object {
  const changing = changes.filter(({ live, merged }) => live !== merged);
  return {
    cluster,
    changes: changing.map(({ ref: { kind, namespace, name }, live, merged }) => ({
      kind,
      ...(namespace !== undefined && { namespace }),
      name,
      live,
      merged,
    })),
    kept: changes.length - changing.length,
    notes,
    problems: problems.map(errorText),
  };
}
