import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { UserInfo } from '../../../auth/user.ts';
import { fetchApiResources } from '../../../client/api-resources.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { DialectRoutes } from '../../../gateway/dialect-routes.ts';
import { belowMember } from '../../../gateway/routes-by-root.ts';
import { sendAnswer } from '../v3/answer-norman.ts';
import type { MemberApis } from '../v3/member/member-apis.ts';
import { baseOf, signedIn, type ContextDeps } from '../v3/open-context.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import { serveSteve } from './serve-steve.ts';
import type { SteveApi } from './steve-api.ts';
import { sendSteveError } from './steve-error.ts';
import { isStevePath, parseSteveTarget } from './steve-target.ts';
import { steveTypes, type SteveTypes } from './steve-type.ts';

export interface SteveDeps extends ContextDeps {
  readonly members: MemberApis;
}

/** Nobody waits longer for an answer. */
const answerMs = 60_000;
/** Which types there are changes with definitions, not with every request. */
const typesBelievedMs = 3_000;
const rememberedApis = 500;
const discoveryMs = 20_000;

/** Opens the API that a request to `/v1` is about, with the rights of whoever asks. */
export interface SteveApis {
  identify(req: IncomingMessage): Promise<UserInfo>;
  open(req: IncomingMessage, caller: UserInfo, cluster: string | undefined, signal: AbortSignal): Promise<SteveApi>;
}

/** `/v1`: the Kubernetes API of the hub in the form that dashboards of Rancher read, and that of a member below `/k8s/clusters/<id>`. */
export function steve(apis: SteveApis): DialectRoutes {
  return {
    roots: ['v1', `${belowMember}v1`],
    handles: isStevePath,
    async handle(req, res) {
      try {
        const { headers, ...answer } = await answerTo(req, res);
        sendAnswer(req, res, { ...answer, ...(headers && { headers }) });
      } catch (error) {
        sendSteveError(req, res, error);
      }
    },
  };

  async function answerTo(req: IncomingMessage, res: ServerResponse): Promise<NormanAnswer> {
    const target = parseSteveTarget(req.url ?? '');
    const caller = await apis.identify(req);
    const gone = new AbortController();
    res.once('close', () => gone.abort(new Error('the client has gone')));
    const signal = AbortSignal.any([AbortSignal.timeout(answerMs), gone.signal]);
    const api = await apis.open(req, caller, target.cluster, signal);
    const answer = await serveSteve(api, req, target);
    return { ...answer, headers: { 'X-Api-Schemas': `${api.root}/schemas`, ...answer.headers } };
  }
}

export function steveApis(deps: SteveDeps): SteveApis {
  const known = new LRUCache<string, Promise<SteveTypes>>({ max: rememberedApis, ttl: typesBelievedMs });
  return {
    identify: req => signedIn(deps.access, req),
    async open(req, caller, cluster, signal) {
      const base = baseOf(deps, req);
      if (cluster === undefined) {
        const client = deps.access.as(caller);
        return { client, rights: deps.rights.of(caller, client), types: await typesOf('', client), ...rootsAt(base), signal };
      }
      const { id, client, rights } = await deps.members.open(caller, cluster);
      return { client, rights, types: await typesOf(id, client), ...rootsAt(`${base}/k8s/clusters/${id}`), signal };
    },
  };

  /** One answer is for all who wait: it does not end with the first of them. */
  function typesOf(id: string, client: KubeClient): Promise<SteveTypes> {
    let types = known.get(id);
    if (!types) {
      const asked = fetchApiResources(client, AbortSignal.timeout(discoveryMs)).then(steveTypes);
      known.set(id, (types = asked));
      asked.catch(() => {
        if (known.peek(id) === asked) known.delete(id);
      });
    }
    return types;
  }
}

const rootsAt = (kubernetes: string) => ({ kubernetes, root: `${kubernetes}/v1` });
