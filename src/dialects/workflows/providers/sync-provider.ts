import type { Cluster } from '../../../api/cluster.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { SingleFlight } from '../../../sources/single-flight.ts';
import { durationMs } from '../../../util/duration.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import type { CloudProvider } from '../kinds/cloud-provider.ts';
import { deliveryLabels } from '../names.ts';
import { planProjection, type Projected } from './plan-projection.ts';
import { ensureCredential, ensureProjected, generatedToken, markMissing, removeProjected, type ProjectDeps } from './project-cluster.ts';
import type { RancherCluster } from './rancher-answers.ts';
import { providerReasons, RancherError } from './rancher-error.ts';
import type { RancherSession, RancherSessions } from './rancher-sessions.ts';

/** What a look at a provider gave. */
export interface Synced {
  /** In the order of the server. */
  readonly clusters: readonly ResolvedCluster[];
  readonly serverVersion: string | undefined;
  /** By the name that the server has for the cluster: why there is no way to it. */
  readonly faults: ReadonlyMap<string, string>;
}

export interface SyncDeps {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly sessions: RancherSessions;
}

type Setting = KubeObject & { value?: string; default?: string };
const Setting: KindRef<Setting> = {
  group: 'management.cattle.io',
  version: 'v3',
  kind: 'Setting',
  resource: 'settings',
  scope: 'Cluster',
};
const identitySetting = 'install-uuid';
const versionSetting = 'server-version';
const atOnce = 8;
const maxReason = 300;
const maxName = 100;

/**
 * Asks a server which clusters it has and makes them members of this hub, with a way to each. One cluster's trouble is its own. Whoever asks while another
 * asks hears the same answer. Throws RancherError.
 */
export function providerSync({ hub, clusters, sessions }: SyncDeps): (provider: CloudProvider, signal: AbortSignal) => Promise<Synced> {
  const flights = new SingleFlight<Synced>();
  return (provider, signal) =>
    flights.run(`${provider.metadata.uid} ${provider.metadata.generation}`, signal, async stop => {
      const session = await sessions.open(provider, stop);
      return look(provider, session, stop);
    });

  async function look(provider: CloudProvider, { client, source }: RancherSession, signal: AbortSignal): Promise<Synced> {
    const listed = await client.clusters(signal);
    const [serverVersion, identity] = [await client.setting(versionSetting, signal), await client.setting(identitySetting, signal)];
    if (identity !== undefined && identity !== '' && identity === (await ownIdentity(signal))) {
      return { clusters: ownClusters(listed), serverVersion, faults: new Map() };
    }
    const deps: ProjectDeps = { hub, client, source, now: new Date(), signal };
    // What another hub has from a provider is for that hub: two hubs that look at each other would never come to an end.
    const genuine = listed.filter(one => one.labels[deliveryLabels.provider] === undefined);
    return { ...(await project(provider, genuine, deps)), serverVersion };
  }

  async function project(
    provider: CloudProvider,
    listed: readonly RancherCluster[],
    deps: ProjectDeps,
  ): Promise<Omit<Synced, 'serverVersion'>> {
    const { now, signal, client } = deps;
    const graceMs = Math.min(durationMs(deps.source.resyncInterval ?? '5m'), 300_000);
    const plan = planProjection({ provider: provider.metadata.name!, listed, clusters: clusters.list(), now, graceMs });
    const faults = new Map<string, string>();
    let isDown: RancherError | undefined;
    const found = await mapBounded(plan.projected, atOnce, async (one): Promise<ResolvedCluster[]> => {
      const cluster = await tryProjected(one, deps, faults);
      if (!cluster) return [];
      if (isDown) faults.set(shortName(one), isDown.message);
      else isDown = await tryCredential(one, cluster, deps, faults);
      return [{ id: clusterId(cluster), name: one.listed.name, labels: one.listed.labels }];
    });
    for (const cluster of plan.missed) await markMissing(hub, cluster, now, signal);
    for (const cluster of plan.gone) {
      const token = await generatedToken(hub, cluster, signal);
      if (token !== undefined) await client.deleteToken(token, signal).catch(ignoreRancher);
      await removeProjected(hub, cluster, signal);
    }
    return { clusters: found.flat(), faults };
  }

  /** Undefined when the hub cannot have it as it is. */
  async function tryProjected(one: Projected, deps: ProjectDeps, faults: Map<string, string>): Promise<Cluster | undefined> {
    try {
      return await ensureProjected(one, deps);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      faults.set(shortName(one), refusalText(error));
      return undefined;
    }
  }

  /** A server that does not answer is not asked for the other clusters. */
  async function tryCredential(
    one: Projected,
    cluster: Cluster,
    deps: ProjectDeps,
    faults: Map<string, string>,
  ): Promise<RancherError | undefined> {
    try {
      await ensureCredential(one, cluster, deps);
      return undefined;
    } catch (error) {
      if (isRefusal(error)) {
        faults.set(shortName(one), refusalText(error));
        return undefined;
      }
      if (!(error instanceof RancherError)) throw error;
      faults.set(shortName(one), error.message);
      return error.reason === providerReasons.connectionFailed ? error : undefined;
    }
  }

  /** The server is this hub itself: its clusters are there already. */
  function ownClusters(listed: readonly RancherCluster[]): ResolvedCluster[] {
    return listed.filter(({ id }) => clusters.by('id', id).length > 0).map(({ id, name, labels }) => ({ id, name, labels }));
  }

  async function ownIdentity(signal: AbortSignal): Promise<string> {
    const setting = await hub.get(Setting, { name: identitySetting }, { signal }).catch(() => undefined);
    return setting?.value || setting?.default || setting?.metadata.uid || '';
  }
}

const shortName = ({ listed }: Projected): string => listed.name.slice(0, maxName);

/** What a server says of a cluster may be nothing that the hub can write. That is no trouble of other clusters. */
const isRefusal = (error: unknown): error is StatusError => error instanceof StatusError && [400, 413, 422].includes(error.code);

const refusalText = ({ message }: StatusError): string => `the hub refuses it: ${message}`.slice(0, maxReason);

export function ignoreRancher(error: unknown): void {
  if (!(error instanceof RancherError)) throw error;
}
