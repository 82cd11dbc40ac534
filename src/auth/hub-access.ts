import type { IncomingMessage } from 'node:http';
import type { KubeClient } from '../client/kube-client.ts';
import type { AccessAttributes, Decision, UserInfo } from './user.ts';

/** Who asks the hub for something that is not its Kubernetes API, and whether they may. The hub's own rules answer, wherever its API runs. */
export interface HubAccess {
  /**
   * The sender of a request, or the user it impersonates with the hub's permission. Throws 400, 401 and 403 as the Kubernetes API would. `wanted`
   * is what the sender is about to do: rights to impersonate can depend on it.
   */
  identify(req: IncomingMessage, wanted: AccessAttributes): Promise<UserInfo>;
  /** Who a known sender is by the `Impersonate-*` headers of the request: himself when there are none. Throws 400 and 403. */
  impersonated(user: UserInfo, req: IncomingMessage, wanted: AccessAttributes): Promise<UserInfo>;
  authorize(user: UserInfo, wanted: AccessAttributes): Promise<Decision>;
  /** The hub's API with exactly the rights of this user. Cheap to make; disposing of it leaves the hub's connections alone. */
  as(user: UserInfo): KubeClient;
}
