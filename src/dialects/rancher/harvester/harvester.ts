import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cluster } from '../../../api/cluster.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { Transport } from '../../../client/transport.ts';
import type { DialectRoutes, MemberWay } from '../../../gateway/dialect-routes.ts';
import { belowMember } from '../../../gateway/routes-by-root.ts';
import { sendAnswer } from '../v3/answer-norman.ts';
import type { SteveApis } from '../v1/steve.ts';
import { sendSteveError } from '../v1/steve-error.ts';
import { parseSteveTarget } from '../v1/steve-target.ts';
import { abilityDesk } from './member-abilities.ts';
import { ownHarvester } from './own-harvester.ts';
import { serveHarvester } from './serve-harvester.ts';

export interface HarvesterDeps {
  readonly steve: SteveApis;
  /** By id, or else by name. */
  findCluster(ref: string): Cluster | undefined;
  transportOf(cluster: Cluster, user: UserInfo): Transport | Promise<Transport>;
}

const ownPath = /^\/k8s\/clusters\/[^/]+\/v1\/harvester(?:\/|$)/;
/** Nobody waits longer for an answer. */
const answerMs = 60_000;

/**
 * `/k8s/clusters/<id>/v1/harvester`: virtual machines of any member that has KubeVirt, as Harvester shows them. A member that serves that path itself is asked
 * itself.
 */
export function harvester({ steve, findCluster, transportOf }: HarvesterDeps): DialectRoutes {
  const abilities = abilityDesk();
  const own = ownHarvester(transportOf);
  return {
    roots: [`${belowMember}v1`],
    handles: path => ownPath.test(path),
    async handle(req, res, member) {
      try {
        await answer(req, res, member);
      } catch (error) {
        sendSteveError(req, res, error);
      }
    },
  };

  async function answer(req: IncomingMessage, res: ServerResponse, member: MemberWay | undefined): Promise<void> {
    const target = parseSteveTarget(req.url ?? '');
    const caller = await steve.identify(req);
    const gone = new AbortController();
    res.once('close', () => gone.abort(new Error('the client has gone')));
    const signal = AbortSignal.any([AbortSignal.timeout(answerMs), gone.signal]);
    const ref = target.cluster ?? '';
    const api = await steve.open(req, caller, ref, signal);
    const cluster = findCluster(ref);
    if (member && cluster && (await own.isServedBy(cluster, caller))) return member(req, res);
    const facts = { nodes: cluster?.status?.nodes?.total ?? 0, abilities: () => abilities.of(api.kubernetes, api.client, api.types) };
    const shown = { ...api, root: `${api.root}/harvester` };
    const given = await serveHarvester(shown, req, { ...target, segments: target.segments.slice(1) }, facts);
    sendAnswer(req, res, { ...given, headers: { 'X-Api-Schemas': `${shown.root}/schemas`, ...given.headers } });
  }
}
