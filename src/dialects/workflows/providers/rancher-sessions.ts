import { createHash } from 'node:crypto';
import type { KubeClient } from '../../../client/kube-client.ts';
import { durationMs } from '../../../util/duration.ts';
import type { CloudProvider, RancherSource } from '../kinds/cloud-provider.ts';
import { readLogin } from './provider-login.ts';
import { rancherClient, type RancherClient } from './rancher-client.ts';
import { providerReasons, RancherError } from './rancher-error.ts';

export interface RancherSession {
  readonly client: RancherClient;
  /** With `url` in the one form. */
  readonly source: RancherSource & { readonly url: string };
}

/** Connections to the servers of providers, kept as long as nothing about them changes. */
export interface RancherSessions {
  /** Throws RancherError when the credential is not there. */
  open(provider: CloudProvider, signal: AbortSignal): Promise<RancherSession>;
  close(name: string): Promise<void>;
}

export function rancherSessions(hub: KubeClient): RancherSessions {
  const kept = new Map<string, RancherSession & { readonly fingerprint: string }>();
  return { open, close };

  async function open({ metadata, spec }: CloudProvider, signal: AbortSignal): Promise<RancherSession> {
    const name = metadata.name!;
    if (!spec.rancher) throw new RancherError(providerReasons.rancherError, 'the provider names no server');
    const source = { ...spec.rancher, url: spec.rancher.url.replace(/\/+$/, '') };
    const login = await readLogin(hub, source, signal);
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([metadata.uid, source, login]))
      .digest('hex');
    const present = kept.get(name);
    if (present?.fingerprint === fingerprint) return present;
    await close(name);
    const session = { fingerprint, source, client: rancherClient(addressOf(source), login) };
    kept.set(name, session);
    return session;
  }

  async function close(name: string): Promise<void> {
    const session = kept.get(name);
    kept.delete(name);
    await session?.client[Symbol.asyncDispose]();
  }
}

function addressOf({ url, caBundle = '', insecureSkipTLSVerify, requestTimeout }: RancherSource) {
  const pem = caBundle.includes('-----BEGIN ') ? caBundle : Buffer.from(caBundle, 'base64').toString('utf8');
  return {
    url,
    ca: caBundle === '' ? undefined : pem,
    insecureSkipTlsVerify: insecureSkipTLSVerify,
    timeoutMs: durationMs(requestTimeout ?? '10s'),
  };
}
