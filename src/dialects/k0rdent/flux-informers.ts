import type { Kind } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { Bucket, GitRepository, HelmChart, HelmRepository, OCIRepository } from './kinds/flux-source.ts';

/** The sources of Flux as they are on the hub. */
export interface FluxInformers {
  readonly helmRepositories: Informer<HelmRepository>;
  readonly gitRepositories: Informer<GitRepository>;
  readonly ociRepositories: Informer<OCIRepository>;
  readonly buckets: Informer<Bucket>;
  /** With `bySource`. */
  readonly helmCharts: Informer<HelmChart>;
}

/** Charts by what they come from: `namespace/kind/name`. */
export const bySource = 'bySource';

export const sourceKey = (kind: string, { metadata }: KubeObject): string => `${metadata.namespace}/${kind}/${metadata.name}`;

export function fluxInformers(
  hub: KubeClient,
  { signal, onError }: { signal: AbortSignal; onError(what: string): (error: unknown) => void },
): FluxInformers {
  const of = <Spec, Status>(kind: Kind<Spec, Status>) => informer(hub, kind, { signal, onError: onError(kind.kind) });
  return {
    helmRepositories: of(HelmRepository),
    gitRepositories: of(GitRepository),
    ociRepositories: of(OCIRepository),
    buckets: of(Bucket),
    helmCharts: informer(hub, HelmChart, {
      signal,
      onError: onError(HelmChart.kind),
      indexes: {
        [bySource]: ({ metadata, spec }) => [`${metadata.namespace}/${spec.sourceRef.kind}/${spec.sourceRef.name}`],
      },
    }),
  };
}
