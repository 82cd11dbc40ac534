import type { JsonObject } from '../../../util/json.ts';

/**
 * What a run was made of when it began: it is kept in `status.snapshot`, and later changes of the objects do not matter. It holds no secrets: those are named
 * by reference and read when they are needed.
 */
export interface RunSnapshot {
  readonly app: { readonly name: string; readonly description: string };
  /** With `spec` as it was; `phases` may be empty. */
  readonly workflow: { readonly name: string; readonly description: string; readonly spec: JsonObject };
  readonly environment: EnvironmentSnapshot;
  readonly infrastructure: InfrastructureSnapshot;
  readonly provider: { readonly name: string; readonly type: 'Rancher' | 'Drover'; readonly url?: string };
  /** The service of the run. */
  readonly service: string;
  /** By name: that of the run, and those that phases name. */
  readonly services: Readonly<Record<string, ServiceSnapshot>>;
  /** What the run gives for workflow variables, defaults included. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A variable: its value, or where the secret is that it has. */
export interface VariableSnapshot {
  readonly name: string;
  readonly value?: string;
  readonly secretRef?: { readonly name: string; readonly key: string };
}

export interface EnvironmentSnapshot {
  readonly name: string;
  readonly description: string;
  readonly type: 'Prod' | 'NonProd';
  readonly variables: readonly VariableSnapshot[];
}

export interface InfrastructureSnapshot {
  readonly name: string;
  /** As it was; expressions are not rendered. */
  readonly spec: JsonObject;
  readonly infraId: string;
  /** Rendered: one for all clusters. */
  readonly namespace: string;
  readonly releaseName: string;
}

export interface ServiceSnapshot {
  readonly name: string;
  readonly description: string;
  /** Those of the service and what the environment puts over them: a later one of the same name wins. */
  readonly variables: readonly VariableSnapshot[];
  readonly skipVersioning: boolean;
  /** The Content that holds the files of manifests and the values. */
  readonly bundle: string;
  readonly sources: readonly ManifestSource[];
  readonly artifact?: ArtifactSnapshot;
  readonly helmChart?: { readonly name: string; readonly version: string; readonly url: string };
}

/** In the order in which the service lists them. */
export type ManifestSource = {
  /** Where it was fetched, without credentials. Absent for what the hub has itself. */
  readonly from?: string;
} & (
  | { readonly form: 'files'; /** Below which folder of the bundle. */ readonly folder: string; readonly commit?: string }
  | { readonly form: 'chart'; readonly content: string }
  | { readonly form: 'kustomization'; readonly content: string; readonly path: string; readonly commit?: string }
);

export interface ArtifactSnapshot {
  readonly name: string;
  readonly image?: string;
  readonly tag?: string;
  readonly digest?: string;
  readonly registryUrl?: string;
  readonly repositoryName?: string;
  readonly url?: string;
  readonly revision?: string;
}
