import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../../../auth/user.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { CallerRights } from './caller-rights.ts';

export const normanMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type NormanMethod = (typeof normanMethods)[number];

/** One request to Rancher's API, with what answering it needs. */
export interface NormanContext {
  readonly req: IncomingMessage;
  readonly method: NormanMethod;
  readonly query: URLSearchParams;
  readonly caller: UserInfo;
  /** The hub's API with the rights of the caller and no others. */
  readonly hub: KubeClient;
  /** The hub's API as the hub itself, for the little that no caller may do alone. */
  readonly system: KubeClient;
  readonly rights: CallerRights;
  /** The address of the hub, without a slash at its end. */
  readonly base: string;
  /** Where the types stand: `<base>/v3`, `<base>/v3/cluster/<id>`. */
  readonly root: string;
  /** Aborted when the client has gone or has waited long enough. */
  readonly signal: AbortSignal;
  /** The body, read once. An empty one is an empty object. */
  body(): Promise<JsonObject>;
}
