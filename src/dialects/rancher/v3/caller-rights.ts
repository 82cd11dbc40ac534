import { LRUCache } from 'lru-cache';
import { SelfSubjectRulesReview } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import { apiVersionOf, type GroupResource } from '../../../api/object.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { KubeClient } from '../../../client/kube-client.ts';

/** A rule of RBAC, as far as it is about objects. */
export interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Which objects of a kind rules let somebody use in some way, within one namespace or outside of all. */
export interface Reach {
  readonly isEverything: boolean;
  /** Those that are named, when it is not everything. */
  readonly names: ReadonlySet<string>;
  covers(name: string): boolean;
}

/** What a caller may do, as the hub's own RBAC says it, for lists and for links. Whatever is done is decided anew by the hub. */
export interface CallerRights {
  /** `namespace` is '' for what is in no namespace, or for all namespaces. */
  reach(verb: string, kind: GroupResource, namespace: string): Promise<Reach>;
}

/** No namespace can have this name: its rules are those that hold everywhere. */
const noNamespace = ':everywhere:';
const believedMs = 2000;
const remembered = 5000;
const timeoutMs = 10_000;

/** Remembers for a moment what callers may do. */
export function rightsDesk(): { of(caller: UserInfo, hub: KubeClient): CallerRights } {
  const answers = new LRUCache<string, Promise<readonly ResourceRule[]>>({ max: remembered, ttl: believedMs });
  return {
    of(caller, hub) {
      const callerKey = JSON.stringify(caller);
      const rulesIn = (namespace: string) => {
        const key = `${callerKey} ${namespace}`;
        let answer = answers.get(key);
        if (!answer) {
          const asked = review(hub, namespace);
          answers.set(key, (answer = asked));
          asked.catch(() => {
            if (answers.peek(key) === asked) answers.delete(key);
          });
        }
        return answer;
      };
      /** As long as the rules they follow from are believed: whoever asks may stay for hours. */
      const reaches = new Map<string, { readonly rules: ReturnType<typeof rulesIn>; readonly reach: Promise<Reach> }>();
      return {
        reach(verb, kind, namespace) {
          const key = `${verb} ${kind.resource}.${kind.group} ${namespace}`;
          const rules = rulesIn(namespace);
          let known = reaches.get(key);
          if (known?.rules !== rules) reaches.set(key, (known = { rules, reach: rules.then(all => reachOf(all, verb, kind)) }));
          return known!.reach;
        },
      };
    },
  };
}

async function review(hub: KubeClient, namespace: string): Promise<readonly ResourceRule[]> {
  const asked: SelfSubjectRulesReview = {
    apiVersion: apiVersionOf(SelfSubjectRulesReview),
    kind: SelfSubjectRulesReview.kind,
    metadata: {},
    spec: { namespace: namespace === '' ? noNamespace : namespace },
  };
  const { status } = await hub.create(SelfSubjectRulesReview, asked, { timeoutMs });
  return status?.resourceRules ?? [];
}

/** What rules say about one verb and one kind. Rules for single names say nothing about creating. */
export function reachOf(rules: readonly ResourceRule[], verb: string, { group, resource }: GroupResource): Reach {
  const names = new Set<string>();
  let isEverything = false;
  for (const rule of rules) {
    if (!has(rule.verbs, verb) || !has(rule.apiGroups, group) || !has(rule.resources, resource)) continue;
    if ((rule.resourceNames?.length ?? 0) === 0) isEverything = true;
    else for (const name of rule.resourceNames ?? []) names.add(name);
  }
  return { isEverything, names, covers: name => isEverything || names.has(name) };
}

const has = (values: readonly string[] | undefined, wanted: string) =>
  values !== undefined && (values.includes('*') || values.includes(wanted));

/** Whether somebody may create objects of a kind in a namespace. */
export async function mayCreate(rights: CallerRights, kind: KindRef, namespace = ''): Promise<boolean> {
  return (await rights.reach('create', kind, namespace)).isEverything;
}
