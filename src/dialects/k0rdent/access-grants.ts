import type { KubeObject } from '../../api/object.ts';
import type { Trigger } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import type { AccessInformers } from './access-informers.ts';
import {
  accessManagementName,
  chooses,
  currentRules,
  isGrant,
  isTarget,
  kindKey,
  kindOfResource,
  type AccessRule,
} from './access-management-plan.ts';
import { k0rdent, systemNamespace } from './kinds/group.ts';
import { ClusterTemplate, ClusterTemplateChain, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import type { TemplateLookup } from './validate-services.ts';
import { byTemplate, type TemplateInformers } from './template-informers.ts';

/** Kinds whose objects can be used from another namespace without being copied there, and the chains that bring them along. */
const chainOf: Readonly<Record<string, string | undefined>> = {
  [ServiceTemplate.kind]: ServiceTemplateChain.kind,
  [ClusterTemplate.kind]: ClusterTemplateChain.kind,
};

export interface Granted {
  readonly rules: readonly AccessRule[];
  readonly namespace: KubeObject;
  readonly kind: string;
  /** An object of the system namespace. */
  readonly object: KubeObject;
  /** The chains of the system namespace that list it. */
  readonly chains: readonly KubeObject[];
}

/** Whether the rules let a namespace use an object of the system namespace as if it were its own. */
export function isGrantedBy({ rules, namespace, kind, object, chains }: Granted): boolean {
  return rules.some(rule => {
    if (!isGrant(rule) || !isFor(rule, namespace)) return false;
    const names = (wanted: string | undefined, obj: KubeObject) =>
      (rule.resources ?? []).some(
        resource =>
          kindKey(kindOfResource(resource)) === kindKey({ apiGroup: k0rdent.group, kind: wanted ?? '' }) && chooses(resource, obj),
      );
    return names(kind, object) || chains.some(chain => names(chainOf[kind], chain));
  });
}

/** A rule that is wrong is for nobody. AccessManagement says what is wrong with it. */
function isFor(rule: AccessRule, namespace: KubeObject): boolean {
  try {
    return isTarget(rule, namespace);
  } catch {
    return false;
  }
}

/** What namespaces may use of the system namespace. */
export interface AccessGrants {
  serviceTemplate(namespace: string, name: string): ServiceTemplate | undefined;
  serviceChain(namespace: string, name: string): ServiceTemplateChain | undefined;
  clusterTemplate(namespace: string, name: string): ClusterTemplate | undefined;
  /** Every chain of cluster templates that a namespace has or may use. */
  clusterChains(namespace: string): ClusterTemplateChain[];
  /** Whether an object of the first namespace can be meant by somebody in the second. */
  reaches(from: string | undefined, to: string | undefined): boolean;
  /** Asks for another look at keys when rules or namespaces change. */
  changes(concerned: () => Iterable<Key>): Trigger;
}

export const lookupOf = ({ serviceTemplate, serviceChain }: AccessGrants): TemplateLookup => ({
  template: serviceTemplate,
  chain: serviceChain,
});

export interface GrantsDeps {
  readonly templates: Omit<TemplateInformers, 'providerTemplates'>;
  readonly access: AccessInformers;
}

/** Looks templates and chains up: those of the namespace first, then those of the system namespace that it was granted. */
export function accessGrants({ templates, access: { managements, namespaces } }: GrantsDeps): AccessGrants {
  const rules = () => currentRules(managements.get(accessManagementName)?.spec.accessRules ?? []).filter(isGrant);
  const { serviceTemplates, serviceChains, clusterTemplates, clusterChains } = templates;
  return {
    serviceTemplate: (namespace, name) => find(serviceTemplates, namespace, name, serviceChains),
    serviceChain: (namespace, name) => find(serviceChains, namespace, name),
    clusterTemplate: (namespace, name) => find(clusterTemplates, namespace, name, clusterChains),
    clusterChains: namespace =>
      clusterChains
        .list()
        .filter(chain => chain.metadata.namespace === namespace || find(clusterChains, namespace, chain.metadata.name!) === chain),
    reaches: (from, to) => from === to || (from === systemNamespace && rules().length > 0),
    changes: concerned => ({
      synced: Promise.all([managements.synced, namespaces.synced]).then(() => {}),
      start(add) {
        const again = () => [...concerned()].forEach(key => add(key));
        const hears = [
          managements.subscribe(({ type, object, old }) => {
            if (type === 'DELETED' || !jsonEqual(old?.spec ?? {}, object.spec)) again();
          }),
          namespaces.subscribe(({ object, old }) => {
            if (rules().length > 0 && !jsonEqual(old?.metadata.labels ?? {}, object.metadata.labels ?? {})) again();
          }),
        ];
        return { [Symbol.dispose]: () => hears.forEach(one => one[Symbol.dispose]()) };
      },
    }),
  };

  function find<T extends KubeObject>(
    known: Informer<T>,
    namespace: string,
    name: string,
    chains?: Informer<ServiceTemplateChain>,
  ): T | undefined {
    const own = known.get(`${namespace}/${name}`);
    if (own || namespace === systemNamespace) return own;
    const object = known.get(`${systemNamespace}/${name}`);
    const place = namespaces.get(namespace);
    if (!object || !place) return undefined;
    const listing = chains?.by(byTemplate, `${systemNamespace}/${name}`) ?? [];
    return isGrantedBy({ rules: rules(), namespace: place, kind: known.kind.kind, object, chains: listing }) ? object : undefined;
  }
}
