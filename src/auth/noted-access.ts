import type { HubAccess } from './hub-access.ts';
import { note } from './request-notes.ts';

/** The same access, with a note of who each request is answered as. */
export function notedAccess(access: HubAccess): HubAccess {
  return {
    ...access,
    async identify(req, wanted) {
      const user = await access.identify(req, wanted);
      note(req, { user });
      return user;
    },
  };
}
