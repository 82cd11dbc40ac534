import type { Resource } from '../resource.ts';
import { negotiate, type Negotiated, type Offers } from './negotiate.ts';
import type { RequestScope } from './request-scope.ts';

/** In which form and encoding a client wants objects of a resource. */
export function negotiateFor(scope: RequestScope, { isCustom }: Resource, offers: Offers = {}): Negotiated {
  return negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, { forms: true, isCustom, ...offers });
}
