import { join } from 'node:path';
import { httpsServer } from '../apiserver/http/https-server.ts';
import { fencedTransport } from '../client/fenced-transport.ts';
import { httpClient } from '../client/http-client.ts';
import type { TransportRequest } from '../client/transport.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { notedWrites } from '../client/noted-writes.ts';
import { contextTransport, readContext, readKubeconfigs } from '../client/kubeconfig/kubeconfig.ts';
import { underDeadline } from '../client/deadline.ts';
import { readJson } from '../client/read-answer.ts';
import { hasSeededAdmin } from '../dialects/rancher/identity/seed-admin.ts';
import { externalAccess } from '../gateway/external-access.ts';
import { prepareAdmin } from './admin.ts';
import { readClientAuthorities } from './client-authorities.ts';
import { gatewayFront } from './gateway-front.ts';
import { healthHandler } from './health-handler.ts';
import { hubAudit } from './hub-audit.ts';
import { hubKinds } from './hub-kinds.ts';
import type { Hub, HubOptions } from './hub-options.ts';
import { installKinds } from './install-kinds.ts';
import { listening, publicUrl, servingHosts, shownCertificate } from './listening.ts';
import { ensureSharedPki } from './shared-authority.ts';
import { startMembers, type Members } from './members.ts';
import { takeTurn, type TurnOptions } from './take-turn.ts';
import { tracedRequests } from './trace-requests.ts';
import { makeFolder } from '../util/make-folder.ts';

export interface ExternalHubOptions extends HubOptions, TurnOptions {
  /** Of the API server that is the hub. */
  readonly kubeconfig: string;
  readonly context: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

const firstAnswerMs = 15_000;

/**
 * Runs the hub's controllers and its gateway with a real API server as the hub. What the folder holds is the gateway's identity and the sandboxes. Of
 * several hubs on one API one leads; the others wait here.
 */
export async function startExternalHub(options: ExternalHubOptions): Promise<Hub> {
  const { dataDir, host, serverUrl, kubeconfig, context, env } = options;
  const shown = shownCertificate(options);
  const chosen = readContext(readKubeconfigs(kubeconfig, env), { context, env });
  const way = contextTransport(chosen);
  const asked = httpClient(way);
  await checkAnswers(asked, kubeconfig);
  makeFolder(dataDir);
  const pki = await ensureSharedPki(asked, join(dataDir, 'pki'), { hosts: servingHosts(host, serverUrl) });
  const { lease, port } = await takeTurn(asked, options);
  const transport = notedWrites(fencedTransport(way, () => lease.isHeld));
  const hub = httpClient(transport);
  const clientAuthorities = await readClientAuthorities(hub);
  const access = externalAccess(hub, { clientAuthorities });
  const stop = new AbortController();
  const audit = hubAudit(dataDir);
  const loading = Promise.withResolvers<Members>();
  let members: Members | undefined;
  const behind = healthHandler({
    access,
    isReady: () => members !== undefined && !stop.signal.aborted && lease.isHeld,
    metrics: () => members?.metrics() ?? '',
  });
  const gateway = loading.promise.then(loaded => loaded.gateway);
  gateway.catch(() => {});
  const trusted = clientAuthorities.map(one => one.toString());
  const server = httpsServer(pki, tracedRequests(gatewayFront(behind, gateway)), {
    moreAuthorities: trusted,
    ...shown,
  });
  const url = publicUrl(await listening(server, host, port));

  async function close(): Promise<void> {
    stop.abort(new Error('the hub stops'));
    await members?.[Symbol.asyncDispose]();
    await server.close();
    await lease.release();
    await hub[Symbol.asyncDispose]();
    await audit[Symbol.asyncDispose]();
  }
  void lease.lost.then(why => stop.abort(why));

  try {
    await installKinds(hub, hubKinds, stop.signal);
    // A hub has one first administrator, however many folders it is run from.
    const admin = (await hasSeededAdmin(hub, { signal: stop.signal })) ? undefined : await prepareAdmin(dataDir, options.firstPassword);
    admin?.keep();
    const found = {
      hub,
      upgradeAtHub: (req: TransportRequest) => transport.upgrade(req),
      access,
      pki,
      url,
      webhookUrl: serverUrl ?? url,
      audit,
      behind,
      adminPassword: admin?.passwordHash,
      mayWrite: () => lease.isHeld,
    };
    const started = startMembers({ ...options, ...found }, stop);
    members = started;
    loading.resolve(started);
    const { newPassword } = admin ?? {};
    return {
      url,
      kubeconfig,
      newPassword,
      client: hub,
      ready: Promise.resolve(),
      signInLink: () => started.signInLink(),
      lost: lease.lost,
      close,
    };
  } catch (error) {
    loading.reject(error);
    await close();
    throw new Error(`cannot use the API server of "${kubeconfig}" as the hub`, { cause: error });
  }
}

async function checkAnswers(hub: KubeClient, kubeconfig: string): Promise<void> {
  try {
    await underDeadline({ timeoutMs: firstAnswerMs }, async signal =>
      readJson(await hub.request({ method: 'GET', path: '/version', signal })),
    );
  } catch (cause) {
    throw new Error(`cannot use the API server of "${kubeconfig}" as the hub`, { cause });
  }
}
