import { peerCertificateOf } from '../apiserver/http/peer-certificate.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { headerValues } from '../auth/header-values.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { impersonator } from '../auth/impersonation.ts';
import { note } from '../auth/request-notes.ts';
import type { Authorizer, UserInfo } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';

export interface EmbeddedAccessDeps {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  clientAs(user: UserInfo): KubeClient;
}

/** The rules of the API server in the same process, asked from memory. */
export function embeddedAccess({ authenticator, authorizer, clientAs }: EmbeddedAccessDeps): HubAccess {
  const impersonate = impersonator(authorizer);
  return {
    async identify(req, wanted) {
      const headers = headerValues(req.rawHeaders);
      const { user } = authenticator.authenticate({ headers, peerCertificate: peerCertificateOf(req.socket) });
      note(req, { sender: user });
      return impersonate(user, headers, wanted)?.user ?? user;
    },
    impersonated: async (user, req, wanted) => impersonate(user, headerValues(req.rawHeaders), wanted)?.user ?? user,
    authorize: async (user, wanted) => authorizer.authorize(user, wanted),
    as: clientAs,
  };
}
