import type { IncomingMessage } from 'node:http';
import type { AccessAttributes, Decision, UserInfo } from './user.ts';

/** Who asks the hub for something that is not its Kubernetes API, and whether they may. The hub's own rules answer, wherever its API runs. */
export interface HubAccess {
  /**
   * The sender of a request, or the user it impersonates with the hub's permission. Throws 400, 401 and 403 as the Kubernetes API would. `wanted`
   * is what the sender is about to do: rights to impersonate can depend on it.
   */
  identify(req: IncomingMessage, wanted: AccessAttributes): Promise<UserInfo>;
  authorize(user: UserInfo, wanted: AccessAttributes): Promise<Decision>;
}
