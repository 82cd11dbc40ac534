import { clusterAnnotations } from '../../api/cluster.ts';
import { matchesLabelQuery } from '../../api/label-query.ts';
import type { KubeObject } from '../../api/object.ts';
import { isJsonObject } from '../../util/json.ts';
import { k0rdent, k0rdentLabels, systemNamespace } from './kinds/group.ts';
import type { AccessManagement } from './kinds/management.ts';
import { selectorMatches, type LabelSelector } from '../../api/label-selector.ts';

export type AccessRule = NonNullable<AccessManagement['spec']['accessRules']>[number];
export type AccessResource = NonNullable<AccessRule['resources']>[number];

/** The only one. */
export const accessManagementName = 'kcm';

/** Whether a rule lets others use what stays where it is, instead of copying it to them. */
export const isGrant = ({ mode }: AccessRule): boolean => mode === 'Grant';

/** Names a kind whose objects are given away. */
export interface GivenKind {
  readonly apiGroup: string;
  readonly kind: string;
}

export const kindKey = ({ apiGroup, kind }: GivenKind): string => `${apiGroup}/${kind}`;

/** The fields that rules had before `resources`, and the kinds they mean. */
const oldFields = {
  clusterTemplateChains: 'ClusterTemplateChain',
  serviceTemplateChains: 'ServiceTemplateChain',
  credentials: 'Credential',
  clusterAuthentications: 'ClusterAuthentication',
  dataSources: 'DataSource',
  clusterAuditPolicies: 'ClusterAuditPolicy',
} as const;

/** The rules with what the old fields say moved into `resources`. */
export function currentRules(rules: readonly AccessRule[]): AccessRule[] {
  return rules.map(rule => {
    const next: AccessRule = { ...rule };
    const moved: AccessResource[] = [];
    for (const [field, kind] of Object.entries(oldFields) as [keyof typeof oldFields, string][]) {
      const names = rule[field];
      delete next[field];
      if (names && names.length > 0) moved.push({ kind, apiGroup: k0rdent.group, names });
    }
    return moved.length === 0 ? next : { ...next, resources: [...(rule.resources ?? []), ...moved] };
  });
}

export const kindOfResource = ({ kind, apiGroup }: AccessResource): GivenKind => ({ apiGroup: apiGroup ?? k0rdent.group, kind });

interface Choice {
  readonly selector?: LabelSelector | undefined;
  readonly stringSelector?: string | undefined;
  readonly names?: readonly string[] | undefined;
}

/** Whether an object is chosen: by name, by labels, or because nothing is said. Throws for a text that is no selector. */
function isChosen({ selector, stringSelector, names }: Choice, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  if ([selector, stringSelector || undefined, names].filter(one => one !== undefined).length > 1)
    throw new Error('at most one of selector, stringSelector and names may be set');
  if (names) return names.includes(metadata.name ?? '');
  if (stringSelector) return matchesLabelQuery(stringSelector, metadata.labels);
  return selector ? selectorMatches(selector, metadata.labels) : true;
}

/** As isChosen; what is no selector chooses nothing. */
export function chooses(choice: Choice, obj: Pick<KubeObject, 'metadata'>): boolean {
  try {
    return isChosen(choice, obj);
  } catch {
    return false;
  }
}

/** Kinds that can be used from where they are. Others hold what must lie beside its user. */
const grantable = new Set(
  ['ServiceTemplate', 'ServiceTemplateChain', 'ClusterTemplate', 'ClusterTemplateChain'].map(kind =>
    kindKey({ apiGroup: k0rdent.group, kind }),
  ),
);

export interface AccessWorld {
  readonly rules: readonly AccessRule[];
  readonly namespaces: readonly KubeObject[];
  /** Objects of a kind in the system namespace; undefined when it cannot be given away. */
  objects(kind: GivenKind): readonly KubeObject[] | undefined;
}

/** What each namespace is to have: `kindKey/namespace/name`, and the object to copy. */
export interface AccessPlan {
  readonly copies: ReadonlyMap<string, { readonly kind: GivenKind; readonly copy: KubeObject }>;
  /** Namespaces that are named and not there. */
  readonly missingNamespaces: readonly string[];
  readonly faults: readonly { readonly apiGroup: string; readonly kind: string; readonly error: string }[];
}

export const copyKey = (kind: GivenKind, namespace: string, name: string): string => `${kindKey(kind)}/${namespace}/${name}`;

export function planAccess({ rules, namespaces, objects }: AccessWorld): AccessPlan {
  const copies = new Map<string, { kind: GivenKind; copy: KubeObject }>();
  const missing = new Set<string>();
  const faults = new Map<string, AccessPlan['faults'][number]>();
  const there = new Set(namespaces.map(({ metadata }) => metadata.name!));
  for (const rule of rules) {
    const targets = isGrant(rule) ? [] : targetsOf(rule, namespaces);
    for (const name of targets) if (!there.has(name)) missing.add(name);
    for (const resource of rule.resources ?? []) {
      const kind = kindOfResource(resource);
      try {
        if (isGrant(rule) && !grantable.has(kindKey(kind)))
          throw new Error(`mode Grant is for templates and their chains: a ${kind.kind} must be copied to be used in another namespace`);
        const found = objects(kind);
        if (!found) throw new Error(`the hub has no kind ${kind.kind} with namespaces in the group "${kind.apiGroup}"`);
        for (const obj of found.filter(one => isChosen(resource, one)))
          for (const namespace of targets) copies.set(copyKey(kind, namespace, obj.metadata.name!), { kind, copy: copyOf(obj, namespace) });
      } catch (error) {
        faults.set(kindKey(kind), { ...kind, error: (error as Error).message });
      }
    }
  }
  return { copies, missingNamespaces: [...missing].sort(), faults: [...faults.values()] };
}

function targetsOf(rule: AccessRule, namespaces: readonly KubeObject[]): string[] {
  const chosen = rule.targetNamespaces?.list ?? namespaces.filter(one => isTarget(rule, one)).map(({ metadata }) => metadata.name!);
  return [...new Set(chosen)].filter(name => name !== systemNamespace);
}

/** Whether a rule is for a namespace: one that is not about to go, and not one that holds what belongs to a cluster. */
export function isTarget({ targetNamespaces: { list, ...choice } = {} }: AccessRule, namespace: KubeObject): boolean {
  if (list) return list.includes(namespace.metadata.name ?? '');
  return isForPeople(namespace) && isChosen(choice, namespace);
}

/** Whether it makes a difference to a rule that a namespace comes, changes or goes. */
export function concerns({ targetNamespaces: { list } = {} }: AccessRule, { metadata }: KubeObject): boolean {
  return list ? list.includes(metadata.name ?? '') : metadata.annotations?.[clusterAnnotations.cluster] === undefined;
}

/** Neither those that go nor those that hold what belongs to one cluster. */
const isForPeople = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp === undefined && metadata.annotations?.[clusterAnnotations.cluster] === undefined;

/** The object as another namespace gets it. An identity is looked for beside it. */
function copyOf({ apiVersion, kind, metadata, status: _, ...rest }: KubeObject, namespace: string): KubeObject {
  const spec = rest['spec'];
  const identityRef = isJsonObject(spec) ? spec['identityRef'] : undefined;
  const moved = kind === 'Credential' && isJsonObject(spec) && isJsonObject(identityRef) && identityRef['namespace'] !== undefined;
  return {
    ...rest,
    apiVersion,
    kind,
    metadata: { namespace, name: metadata.name!, labels: { [k0rdentLabels.managed]: 'true' } },
    ...(moved && { spec: { ...spec, identityRef: { ...identityRef, namespace } } }),
  };
}
