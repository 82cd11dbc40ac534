import { peerCertificateOf } from '../apiserver/http/peer-certificate.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { headerValues } from '../auth/header-values.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { impersonator } from '../auth/impersonation.ts';
import type { Authorizer } from '../auth/user.ts';

/** The rules of the API server in the same process, asked from memory. */
export function embeddedAccess({ authenticator, authorizer }: { authenticator: Authenticator; authorizer: Authorizer }): HubAccess {
  const impersonate = impersonator(authorizer);
  return {
    async identify(req, wanted) {
      const headers = headerValues(req.rawHeaders);
      const { user } = authenticator.authenticate({ headers, peerCertificate: peerCertificateOf(req.socket) });
      return impersonate(user, headers, wanted)?.user ?? user;
    },
    authorize: async (user, wanted) => authorizer.authorize(user, wanted),
  };
}
