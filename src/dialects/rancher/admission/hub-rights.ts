import type { PolicyRule } from '../../../api/kubernetes.ts';
import { breakDown } from '../../../auth/policy-rule.ts';
import type { AccessAttributes, ResourceAttributes } from '../../../auth/user.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { everything } from '../access/builtin-rule.ts';
import { managementGroup } from '../names.ts';
import type { RancherWorld } from './rancher-world.ts';

const askedAtOnce = 16;

/** The parts of rules that the caller does not hold on the hub, in one namespace or ('') everywhere. Wildcards are asked for as wildcards. */
export async function lackingOnHub(rules: readonly PolicyRule[], namespace: string, world: RancherWorld): Promise<PolicyRule[]> {
  if (rules.length === 0 || (await holdsEverything(world))) return [];
  const parts = rules.flatMap(breakDown);
  const isHeld = await mapBounded(parts, askedAtOnce, part => world.may(world.caller, attributesOf(part, namespace)));
  return parts.filter((_, i) => !isHeld[i]);
}

/** Whether the caller may do everything on the hub. Then there is nothing on members either that is out of reach. */
export async function holdsEverything({ may, caller }: RancherWorld): Promise<boolean> {
  for (const part of everything) if (!(await may(caller, attributesOf(part, '')))) return false;
  return true;
}

/** Whether the caller has a verb on a kind of Rancher. */
export const mayManage = ({ may, caller }: RancherWorld, verb: string, resource: string, name: string, namespace = ''): Promise<boolean> =>
  may(caller, resourceAttributes({ verb, group: managementGroup, resource, name, namespace }));

function attributesOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule, namespace: string): AccessAttributes {
  const verb = verbs[0]!;
  if (nonResourceURLs) return { isResource: false, verb, path: nonResourceURLs[0]! };
  const name = resourceNames?.[0] ?? '';
  return resourceAttributes({ verb, group: apiGroups![0]!, resource: resources![0]!, name, namespace });
}

type Wanted = Pick<ResourceAttributes, 'verb' | 'group' | 'resource' | 'name' | 'namespace'>;

function resourceAttributes({ resource, ...wanted }: Wanted): ResourceAttributes {
  const slash = resource.indexOf('/');
  const [main, subresource] = slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
  return { isResource: true, version: '*', resource: main, subresource, ...wanted };
}
