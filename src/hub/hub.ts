import { join } from 'node:path';
import { StatusError, stillStarting } from '../api/status.ts';
import { createApiServer } from '../apiserver/api-server.ts';
import { seedDefinitions } from '../apiserver/crd/seed-definitions.ts';
import { httpsServer } from '../apiserver/http/https-server.ts';
import { inProcessTransport } from '../apiserver/http/in-process-transport.ts';
import type { UserInfo } from '../auth/user.ts';
import { ensurePki } from '../pki/ensure-pki.ts';
import { log } from '../runtime/log.ts';
import { DataInUseError, openSqliteJournal } from '../store/sqlite-journal.ts';
import { Store } from '../store/store.ts';
import { prepareAdmin, type Admin } from './admin.ts';
import type { Json, JsonObject } from '../util/json.ts';
import { embeddedClient, hubUser } from './embedded-client.ts';
import { embeddedClientAs } from './embedded-client-as.ts';
import { hubAudit } from './hub-audit.ts';
import { gatewayFront } from './gateway-front.ts';
import { hubKinds } from './hub-kinds.ts';
import type { Hub, HubOptions } from './hub-options.ts';
import { installKinds } from './install-kinds.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { listening, publicUrl, servingHosts, shownCertificate } from './listening.ts';
import type { Members } from './members.ts';
import { releaseMemoryWhenQuiet } from './release-memory.ts';
import { tracedRequests } from './trace-requests.ts';
import { makeFolder } from '../util/make-folder.ts';

/** Starts the hub with its own API over a folder of data, which it has to itself. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const { dataDir, host, port, serverUrl } = options;
  const shown = shownCertificate(options);
  makeFolder(dataDir);
  const opening = openSqliteJournal(join(dataDir, 'hub.db')).catch((error: unknown) => {
    if (error instanceof DataInUseError)
      throw new Error(`another hub is using "${dataDir}"; stop it first, or choose another folder with --data`);
    throw error;
  });
  // The file is opened by another thread, and one more makes the first password; certificates are read meanwhile.
  opening.catch(() => {});
  const preparing = prepareAdmin(dataDir, options.firstPassword);
  preparing.catch(() => {});
  const pki = ensurePki(join(dataDir, 'pki'), { hosts: servingHosts(host, serverUrl) });
  const journal = await opening;
  const store = await Store.open(journal);
  let members: Members | undefined;
  const audit = hubAudit(dataDir);
  const api = await createApiServer({
    store,
    pki,
    audit,
    ...(!options.isApiOnly && { bearerTokens: bearerUser, ownWebhooks }),
    onError: (what, error) => log.warn('background work failed', { controller: what, err: error }),
    moreMetrics: () => members?.metrics() ?? '',
  }).catch(async (error: unknown) => {
    await audit[Symbol.asyncDispose]();
    await store.close();
    throw isStorageFull(error)
      ? new Error(`the disk that holds "${dataDir}" is full; free space there, or choose another folder with --data`)
      : error;
  });

  const transport = inProcessTransport(api.handlerAs(hubUser));
  const hub = embeddedClient({ cluster: api.cluster, transport });
  const stop = new AbortController();
  const loading = Promise.withResolvers<Members>();
  const gateway = loading.promise.then(loaded => loaded.gateway);
  gateway.catch(() => {});
  const server = httpsServer(pki, tracedRequests(options.isApiOnly ? api : gatewayFront(api, gateway)), shown);
  let url: string;
  let admin: Admin;
  try {
    const seed = seedDefinitions.bind(undefined, api.cluster);
    if (!options.isApiOnly) await installKinds(hub, hubKinds, stop.signal, { seed }).catch(complainAboutStorage);
    admin = await preparing;
    url = publicUrl(await listening(server, host, port));
    admin.keep();
  } catch (error) {
    await api.close();
    await audit[Symbol.asyncDispose]();
    await store.close();
    throw error;
  }
  const memory = releaseMemoryWhenQuiet(store);
  const kubeconfig = join(dataDir, 'kubeconfig');
  writeKubeconfig(kubeconfig, { url, authority: pki.authority.certificate, certificate: pki.admin.certificate, key: pki.admin.key });
  const ready = options.isApiOnly ? Promise.resolve() : startRest();
  ready.then(() => members && loading.resolve(members), loading.reject);
  ready.catch((err: unknown) => {
    if (!stop.signal.aborted) log.error('the hub has no members: its controllers did not start', { err });
  });

  function ownWebhooks(address: string) {
    const review = members?.ownReview(address);
    return review && ((body: Json, signal: AbortSignal) => review(body as JsonObject, signal));
  }

  function bearerUser(token: string): UserInfo | undefined {
    if (!members) throw stillStarting('users');
    return members.bearerUser(token);
  }

  // Loaded when the API answers already: it is much, and nobody waits for it.
  async function startRest(): Promise<void> {
    await new Promise(setImmediate);
    const [{ startMembers }, { embeddedAccess }] = await Promise.all([import('./members.ts'), import('../gateway/embedded-access.ts')]);
    const access = embeddedAccess({ ...api, clientAs: embeddedClientAs(api) });
    const adminPassword = admin.passwordHash;
    members = startMembers(
      {
        ...options,
        hub,
        upgradeAtHub: req => transport.upgrade(req),
        access,
        pki,
        url,
        webhookUrl: url,
        audit,
        adminPassword,
        behind: api,
      },
      stop,
    );
  }

  return {
    url,
    kubeconfig,
    newPassword: admin.newPassword,
    client: hub,
    ready,
    async signInLink() {
      await ready;
      if (!members) throw new Error('a hub that serves the API only has no page');
      return members.signInLink();
    },
    async close() {
      stop.abort(new Error('the hub stops'));
      memory[Symbol.dispose]();
      await ready.catch(() => {});
      await members?.[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
      api.endStreams();
      await server.close();
      await api.close();
      await audit[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

const isStorageFull = (error: unknown): boolean => error instanceof StatusError && error.code === 503;

/** A hub whose disk is full still starts: what it has can be read, and made less. */
function complainAboutStorage(error: unknown): void {
  if (!isStorageFull(error)) throw error;
  log.error('the kinds of the hub were not brought up to date', { err: error });
}
