import type { DialectRoutes } from '../../../../gateway/dialect-routes.ts';
import { sendAnswer } from '../answer-norman.ts';
import { notFound } from '../norman-error.ts';
import { parseNormanTarget } from '../norman-target.ts';
import { openContext, type ContextDeps } from '../open-context.ts';
import { serveTypes } from '../serve-types.ts';
import type { MemberApis } from './member-apis.ts';
import { isMemberPath, memberRoots } from './member-roots.ts';

export interface MemberViewsDeps extends ContextDeps {
  readonly members: MemberApis;
}

/** `/v3/cluster/<id>/…` and `/v3/project/<id>/…`. Errors are thrown, for whoever tells them in Rancher's words. */
export function memberViews(deps: MemberViewsDeps): DialectRoutes {
  const roots = memberRoots(deps.members);
  return {
    roots: ['v3'],
    handles: path => path.startsWith('/v3/') && isMemberPath(path.split('/').filter(Boolean).slice(1)),
    async handle(req, res) {
      const ctx = await openContext(deps, req, res);
      const { segments } = parseNormanTarget(req.url ?? '');
      const root = await roots.open(ctx, segments.slice(1));
      if (!root) throw notFound();
      const { headers, ...answer } = await serveTypes(root.ctx, root.table, root.rest);
      sendAnswer(req, res, { ...answer, headers: { 'X-Api-Schemas': `${root.ctx.root}/schemas`, ...headers } });
    },
  };
}
