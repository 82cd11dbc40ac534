import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { CallerRights } from '../v3/caller-rights.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { SteveType, SteveTypes } from './steve-type.ts';

/** One API, of the hub or of a member, with the rights of one caller, as `/v1` shows it. */
export interface SteveApi {
  readonly client: KubeClient;
  readonly rights: CallerRights;
  readonly types: SteveTypes;
  /** Where the Kubernetes API itself is: `<hub>` or `<hub>/k8s/clusters/<id>`. Absolute. */
  readonly kubernetes: string;
  /** Where the types are: `<kubernetes>/v1`. */
  readonly root: string;
  /** What an object that the caller may update can be asked to do, with the addresses for that. Nothing when absent. */
  actions?(type: SteveType, object: KubeObject, self: string): Promise<JsonObject>;
  /** Ends when the client has gone or has waited long enough. */
  readonly signal: AbortSignal;
}
