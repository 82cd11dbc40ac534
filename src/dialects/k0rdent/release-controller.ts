import { withConditions } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { Release } from './kinds/management.ts';
import type { ProviderTemplate } from './kinds/template.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';

export interface ReleasesDeps {
  readonly hub: KubeClient;
  readonly releases: Informer<Release>;
  readonly providerTemplates: Informer<ProviderTemplate>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-releases';

/** On the Release that stands for Drover itself, which needs no templates, and on the templates that come with it, which have no source. */
export const builtInAnnotation = 'drover.io/built-in';

export function templatesOf({ spec }: Release): string[] {
  const { kcm, capi, regional, providers = [] } = spec;
  return [...new Set([kcm, capi, ...(regional ? [regional] : []), ...providers].map(({ template }) => template))].sort();
}

export function releaseStatus(
  release: Release,
  find: (name: string) => ProviderTemplate | undefined,
  now: Date,
): NonNullable<Release['status']> {
  const isOurs = release.metadata.annotations?.[builtInAnnotation] === 'true';
  const names = isOurs ? [] : templatesOf(release);
  const missing = names.filter(name => !find(name));
  const invalid = names.filter(name => find(name) && !find(name)!.status?.valid);
  const report = (type: string, wrong: readonly string[], words: string) => ({
    type,
    status: wrong.length === 0 ? ('True' as const) : ('False' as const),
    reason: wrong.length === 0 ? 'Succeeded' : 'Failed',
    message: wrong.length === 0 ? 'Object is ready' : `${words}: ${wrong.join(', ')}`,
  });
  const { generation } = release.metadata;
  const reports = [
    report('TemplatesCreated', missing, 'missing ProviderTemplates'),
    report('TemplatesValid', [...missing, ...invalid].sort(), 'ProviderTemplates that are not valid'),
  ];
  return {
    ready: missing.length + invalid.length === 0,
    conditions: withConditions(release.status?.conditions, reports, { now, generation }),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

/** Says of Releases whether their templates can be used. */
export function runReleases({ hub, releases, providerTemplates, signal }: ReleasesDeps): RunningController {
  const releasesWith = ({ metadata }: ProviderTemplate) =>
    releases
      .list()
      .filter(release => templatesOf(release).includes(metadata.name!))
      .map(keyOf);
  const triggers = [changesOf(releases), changesOf(providerTemplates, releasesWith)];
  return runController({ name: 'k0rdent-releases', reconcile }, { triggers, signal, firstDelayMs: 500 });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const release = releases.get(key);
    if (!release || release.metadata.deletionTimestamp !== undefined) return settled;
    const options = { fieldManager, signal: ctx.signal };
    await markObject(hub, Release, release, { labels: componentLabels }, options);
    await reportStatus(
      hub,
      Release,
      release,
      releaseStatus(release, name => providerTemplates.get(name), ctx.now),
      options,
    );
    return settled;
  }
}
