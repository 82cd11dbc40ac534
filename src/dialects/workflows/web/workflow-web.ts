import type { DialectRoutes } from '../../../gateway/dialect-routes.ts';
import { executionRoute, isExecutionPath, type ExecutionRouteDeps } from './execution-route.ts';
import { isRunLogPath, runLogRoute, type RunLogRouteDeps } from './run-log-route.ts';
import { webhookPrefix, webhookRoute, type WebhookRouteDeps } from './webhook-route.ts';

export type WorkflowWebDeps = RunLogRouteDeps & WebhookRouteDeps & ExecutionRouteDeps;

/** What workflows serve besides their kinds: logs of runs, webhooks that start something, and what became of it. */
export function workflowWeb(deps: WorkflowWebDeps): DialectRoutes {
  const routes = [
    { handles: isRunLogPath, handle: runLogRoute(deps) },
    {
      handles: (path: string) => path.startsWith(webhookPrefix) && !path.slice(webhookPrefix.length).includes('/'),
      handle: webhookRoute(deps),
    },
    { handles: isExecutionPath, handle: executionRoute(deps) },
  ];
  return {
    roots: ['delivery', 'api'],
    handles: path => routes.some(route => route.handles(path)),
    handle: async (req, res) => routes.find(route => route.handles((req.url ?? '').split('?', 1)[0]!))!.handle(req, res),
  };
}
