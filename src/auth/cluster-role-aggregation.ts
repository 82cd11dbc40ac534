import type { ClusterRole, LabelSelector } from '../api/kubernetes.ts';
import type { ClusterApi } from '../apiserver/cluster-api.ts';
import type { ControllerOptions, RunningController } from '../apiserver/controllers/running-controller.ts';
import { selectorMatches } from '../apiserver/validation/label-selector.ts';
import { workQueue } from '../runtime/work-queue.ts';
import { jsonEqual, type JsonObject } from '../util/json.ts';
import type { PolicyRule } from './policy-rule.ts';
import { rbacGroup } from './rbac.ts';

const clusterRoles = { group: rbacGroup, version: 'v1', resource: 'clusterroles' };

/** Keeps the rules of ClusterRoles with an aggregationRule equal to the union of the roles they select. */
export function clusterRoleAggregationController(
  api: ClusterApi,
  deps: ControllerOptions & { signal?: AbortSignal } = {},
): RunningController {
  const aggregated = new Set<string>();
  const queue = workQueue({
    ...deps,
    async reconcile(name) {
      const role = api.peek(clusterRoles, '', name) as ClusterRole | undefined;
      if (!role?.aggregationRule) return;
      const rules = aggregateRules(name, role.aggregationRule.clusterRoleSelectors ?? [], api.peekAll(clusterRoles) as ClusterRole[]);
      if (jsonEqual(rules, role.rules ?? [])) return;
      await api.patch(
        clusterRoles,
        { namespace: '', name },
        {
          type: 'apply',
          body: { apiVersion: `${rbacGroup}/v1`, kind: 'ClusterRole', metadata: { name }, rules: rules as unknown as JsonObject[] },
        },
        { fieldManager: 'clusterrole-aggregation-controller', force: true },
      );
    },
  });

  const subscription = api.subscribe(change => {
    if (change.resource.group !== rbacGroup || change.resource.resource !== 'clusterroles') return;
    note(change.name, change.type === 'DELETED' ? undefined : (change.obj as ClusterRole));
    for (const name of aggregated) queue.add(name);
  });
  const concerned = api.peekHaving?.(clusterRoles, ['aggregationRule']) ?? api.peekAll(clusterRoles);
  for (const role of concerned) note(role.metadata.name ?? '', role as ClusterRole);
  if (!deps.isSettled) for (const name of aggregated) queue.add(name);

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function note(name: string, role: ClusterRole | undefined): void {
    if (role?.aggregationRule) aggregated.add(name);
    else aggregated.delete(name);
  }
}

/** The rules of all other roles that a selector matches: by selector, then by name, each rule once. */
function aggregateRules(name: string, selectors: readonly LabelSelector[], roles: readonly ClusterRole[]): PolicyRule[] {
  const rules: PolicyRule[] = [];
  const byName = roles.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  for (const selector of selectors)
    for (const role of byName) {
      if (role.metadata?.name === name || !selectorMatches(selector, role.metadata?.labels ?? {})) continue;
      for (const rule of role.rules ?? []) if (!rules.some(present => jsonEqual(present, rule))) rules.push(rule);
    }
  return rules;
}
