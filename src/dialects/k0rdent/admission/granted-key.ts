import { Namespace } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { isGrantedBy } from '../access-grants.ts';
import { accessManagementName, currentRules, isGrant } from '../access-management-plan.ts';
import { systemNamespace } from '../kinds/group.ts';
import { AccessManagement } from '../kinds/management.ts';
import { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';

const grantable = [ServiceTemplate, ServiceTemplateChain, ClusterTemplate, ClusterTemplateChain];

/** Where an object is that a namespace has not, but may use of the system namespace. Undefined when it may not. */
export async function grantedKey(
  hub: KubeClient,
  kind: KindRef,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
  signal: AbortSignal,
): Promise<{ namespace: string; name: string } | undefined> {
  if (namespace === systemNamespace || !grantable.some(one => one.kind === kind.kind && one.group === kind.group)) return undefined;
  const management = await hub.get(AccessManagement, { name: accessManagementName }, { signal });
  const rules = currentRules(management?.spec.accessRules ?? []).filter(isGrant);
  if (rules.length === 0) return undefined;
  const key = { namespace: systemNamespace, name };
  const [object, place] = await Promise.all([hub.get(kind, key, { signal }), hub.get(Namespace, { name: namespace }, { signal })]);
  if (!object || !place) return undefined;
  const chainKind = kind.kind === ServiceTemplate.kind ? ServiceTemplateChain : ClusterTemplateChain;
  const { items } = await hub.list(chainKind, { namespace: systemNamespace, signal });
  const chains = items.filter(({ spec }) => spec.supportedTemplates?.some(one => one.name === name));
  return isGrantedBy({ rules, namespace: place, kind: kind.kind, object, chains }) ? key : undefined;
}
