import type { JsonObject } from '../../util/json.ts';

export interface ManifestOptions {
  readonly clusterId: string;
  readonly token: string;
  /** The URL under which members find the hub. */
  readonly server: string;
  /** SHA-256 of the hub's authorities, in hex: the agent believes no others. */
  readonly caChecksum: string;
  readonly image: string;
  /** The version of the hub. */
  readonly version: string;
  /** Tells one installation of the hub from others. */
  readonly installUuid?: string;
  /** The registry that the cluster is told to take images from by default. */
  readonly registry?: string;
  /** Whether the hub must prove itself by its own authorities alone. Default true. */
  readonly isStrict?: boolean;
  /** The cluster had the namespace before, and needs it: it is no part of the manifest, so that who deletes by it cannot take it away. */
  readonly keepsNamespace?: boolean;
  readonly agent?: AgentWishes;
}

/** What people want to be different about the agent of one cluster. */
export interface AgentWishes {
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Besides the usual ones. */
  readonly tolerations?: readonly JsonObject[];
  readonly affinity?: JsonObject;
  readonly resources?: JsonObject;
  readonly priority?: { readonly value: number; readonly preemptionPolicy?: string };
  readonly disruptionBudget?: { readonly minAvailable: number | string } | { readonly maxUnavailable: number | string };
}

/** What may be different from one cluster to another. */
export type ManifestWishes = Partial<
  Pick<ManifestOptions, 'server' | 'image' | 'installUuid' | 'registry' | 'isStrict' | 'keepsNamespace' | 'agent'>
>;
