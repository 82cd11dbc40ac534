import { createHash } from 'node:crypto';
import { Deployment } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { findKinds } from '../../core/delivery/find-kinds.ts';
import { memberKinds } from '../../core/delivery/member-kinds.ts';
import { readManifests } from '../../core/delivery/read-manifests.ts';
import { agentDeployment, agentNamespace } from '../../core/registration/agent-names.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import type { Egress } from '../../sources/egress.ts';
import { errorText } from '../../util/error-text.ts';
import { timestamp } from '../../util/timestamp.ts';
import { HarvesterSetting, registrationSetting } from './harvester-setting.ts';
import { parseRegistration, type Registration } from './registration-url.ts';

export interface HarvesterDeps {
  /** The API of the Harvester cluster. */
  readonly client: KubeClient;
  /** How it reaches hubs. */
  readonly egress: Egress;
  readonly signal: AbortSignal;
  onError?(error: unknown): void;
}

/** On the setting: what was last done about it. It is done once, not again after a restart nor when the hub has removed the cluster. */
const hashAnnotation = 'harvesterhci.io/hash';
const setName = 'cluster-registration';
const maxManifestBytes = 1024 * 1024;
const fetchMs = 30_000;
const retryMs = 30_000;
const shownBytes = 1_000;

/** What Harvester does when somebody sets `cluster-registration-url`: applies the manifest that is there, or takes the agent away. */
export function runClusterRegistration({ client, egress, signal, onError }: HarvesterDeps): RunningController {
  const settings = informer(client, HarvesterSetting, { signal, ...(onError && { onError }) });
  return runController({ name: 'harvester-registration', reconcile }, { triggers: [changesOf(settings)], signal });

  async function reconcile(name: Key, ctx: Context): Promise<Outcome> {
    const setting = settings.get(name);
    if (name !== registrationSetting || !setting) return settled;
    const value = setting.value || setting.default || '';
    const hash = createHash('sha256').update(value).digest('hex');
    if (setting.metadata.annotations?.[hashAnnotation] === hash) return settled;
    try {
      const registration = parseRegistration(value);
      if (registration.url === '')
        await client.delete(Deployment, { namespace: agentNamespace, name: agentDeployment }, { signal: ctx.signal });
      else await applyManifest(await fetchManifest(registration, ctx.signal), ctx.signal);
      await report(setting, { isConfigured: registration.url !== '', message: '' }, ctx);
    } catch (error) {
      ctx.signal.throwIfAborted();
      await report(setting, { isConfigured: false, message: errorText(error) }, ctx);
      return requeue(retryMs);
    }
    const body = { metadata: { annotations: { [hashAnnotation]: hash } } };
    await client.patch(HarvesterSetting, { name }, { type: 'merge', body }, { signal: ctx.signal, fieldManager: setName });
    return settled;
  }

  async function fetchManifest({ url, insecureSkipTLSVerify }: Registration, stop: AbortSignal): Promise<string> {
    const tls = { insecureSkipVerify: insecureSkipTLSVerify };
    const { status, body } = await egress.fetch({ url, tls, maxBytes: maxManifestBytes, timeoutMs: fetchMs, signal: stop });
    const text = Buffer.from(body).toString('utf8');
    if (status < 200 || status >= 400) throw new Error(`failed to get from the registration URL: ${text.slice(0, shownBytes).trim()}`);
    return text;
  }

  async function applyManifest(text: string, stop: AbortSignal): Promise<void> {
    const kinds = memberKinds(client);
    const objects = await readManifests({ kinds }, text, { namespace: 'default', signal: stop });
    const found = await findKinds({ kinds }, objects, stop);
    for (const obj of objects) await client.apply(found.of(obj)!, obj, { signal: stop, fieldManager: setName });
  }

  async function report(
    { metadata: { name = '' }, status }: HarvesterSetting,
    { isConfigured, message }: { isConfigured: boolean; message: string },
    { now, signal }: Context,
  ): Promise<void> {
    const present = status?.conditions?.find(({ type }) => type === 'configured');
    const wanted = isConfigured ? 'True' : 'False';
    if (present?.status === wanted && present.message === message) return;
    const time = timestamp(now);
    const lastTransitionTime = present?.status === wanted ? (present.lastTransitionTime ?? time) : time;
    const condition = { type: 'configured', status: wanted, reason: '', message, lastUpdateTime: time, lastTransitionTime };
    const options = { signal, fieldManager: setName, subresource: 'status' };
    await client.patch(HarvesterSetting, { name }, { type: 'merge', body: { status: { conditions: [condition] } } }, options);
  }
}
