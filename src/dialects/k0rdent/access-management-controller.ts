import { Namespace } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Member } from '../../core/delivery/member.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import type { AccessInformers } from './access-informers.ts';
import {
  concerns,
  accessManagementName,
  copyKey,
  currentRules,
  kindKey,
  kindOfResource,
  planAccess,
  type AccessPlan,
  type AccessRule,
  type GivenKind,
} from './access-management-plan.ts';
import { k0rdent, k0rdentLabels, systemNamespace } from './kinds/group.ts';
import { AccessManagement } from './kinds/management.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import type { InformerSettings } from './template-informers.ts';

export interface AccessManagementDeps extends InformerSettings {
  readonly hub: KubeClient;
  readonly hubObjects: Member;
  readonly access: AccessInformers;
}

/** The objects of one kind that can be given, and the copies that were. */
interface Given {
  readonly kind: GivenKind;
  readonly ref: KindRef;
  readonly originals: Informer;
  readonly copies: Informer;
}

const fieldManager = 'drover-k0rdent-access';
const maxRemembered = 1000;

/** Copies what the rules name from the system namespace to others, and takes copies back that no rule names any more. */
export function runAccessManagement(deps: AccessManagementDeps): RunningController {
  const { hub, hubObjects, access, signal, onError } = deps;
  const { managements, namespaces } = access;
  const given = new Map<string, Given>();
  // Every cluster has namespaces of its own, and most hubs have no rules: looking at thousands of the one for each of the other would never end.
  const ifRuled = (namespace: Namespace) => {
    const { spec, status } = managements.get(accessManagementName) ?? {};
    const rules = currentRules([...(spec?.accessRules ?? []), ...((status?.current ?? []) as AccessRule[])]);
    return rules.some(rule => concerns(rule, namespace)) ? [accessManagementName] : [];
  };
  const running = runController(
    { name: 'k0rdent-access', reconcile },
    { triggers: [changesOf(managements), changesOf(namespaces, ifRuled)], signal, concurrency: 1, firstDelayMs: 500 },
  );
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const management = managements.get(key);
    if (!management || management.metadata.deletionTimestamp !== undefined || key !== accessManagementName) return settled;
    const options = { fieldManager, signal: ctx.signal };
    await markObject(hub, AccessManagement, management, { labels: componentLabels }, options);
    const rules = currentRules(management.spec.accessRules ?? []);
    const past = currentRules((management.status?.current ?? []) as AccessRule[]);
    await follow([...rules, ...past], ctx.signal);
    const plan = planAccess({
      rules,
      namespaces: namespaces.list(),
      objects: kind => given.get(kindKey(kind))?.originals.list(),
    });
    const troubles = await carryOut(plan, ctx);
    const { generation } = management.metadata;
    const faults = plan.faults.map(one => ({ ...one }));
    // What was given before is remembered until it could be taken back.
    const current = troubles.length > 0 ? [...past, ...rules] : rules;
    const status = {
      ...(current.length > 0 && { current: current.slice(0, maxRemembered) as never }),
      ...(troubles.length > 0 && { error: troubles.join('; ') }),
      ...(faults.length > 0 && { resources: faults }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    await reportStatus(hub, AccessManagement, management, status, options);
    if (troubles.length > 0) throw new Error(`cannot give all that the rules name: ${troubles[0]}`);
    return settled;
  }

  /** Watches the kinds that rules name, from the first time that one does. */
  async function follow(rules: readonly AccessRule[], stop: AbortSignal): Promise<void> {
    const kinds = new Map(rules.flatMap(rule => (rule.resources ?? []).map(kindOfResource)).map(kind => [kindKey(kind), kind]));
    for (const [key, kind] of kinds) {
      if (given.has(key)) continue;
      const version = kind.apiGroup === k0rdent.group ? k0rdent.version : 'v1';
      const ref = await hubObjects.kinds.find({ group: kind.apiGroup, version, kind: kind.kind }, stop);
      if (!ref || ref.scope !== 'Namespaced') continue;
      const options = { signal, onError: onError(kind.kind) };
      const originals = informer(hub, ref, { ...options, namespace: systemNamespace });
      const copies = informer(hub, ref, { ...options, labelSelector: `${k0rdentLabels.managed}=true`, keep: withoutBody });
      await Promise.all([originals.synced, copies.synced]);
      originals.subscribe(() => running.add(accessManagementName));
      copies.subscribe(({ type }) => type === 'DELETED' && running.add(accessManagementName));
      given.set(key, { kind, ref, originals, copies });
    }
  }

  async function carryOut({ copies, missingNamespaces }: AccessPlan, ctx: Context): Promise<string[]> {
    const troubles: string[] = [];
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (ctx.signal.aborted || !(error instanceof StatusError)) throw error;
        // Someone else's object of that name is theirs.
        if (error.reason !== 'AlreadyExists') troubles.push(errorText(error));
      }
    };
    for (const name of missingNamespaces)
      await attempt(() => hub.apply(Namespace, { metadata: { name } }, { fieldManager, signal: ctx.signal }));
    for (const { kind, copy } of copies.values()) {
      const { ref, copies: present } = given.get(kindKey(kind))!;
      const { namespace, name } = copy.metadata;
      if (present.get(`${namespace}/${name}`)) continue;
      await attempt(() =>
        hub.create(ref, { ...copy, apiVersion: apiVersionOf(ref), kind: ref.kind }, { fieldManager, signal: ctx.signal }),
      );
    }
    for (const { kind, ref, copies: present } of given.values())
      for (const { metadata } of present.list().filter(isOurs)) {
        const { namespace = '', name = '', uid } = metadata;
        if (copies.has(copyKey(kind, namespace, name)) || metadata.deletionTimestamp !== undefined) continue;
        const preconditions = uid === undefined ? {} : { preconditions: { uid } };
        await attempt(() => hub.delete(ref, { namespace, name }, { signal: ctx.signal, ...preconditions }));
      }
    return [...new Set(troubles)].slice(0, 3);
  }
}

/** Chains bring templates along that carry the same label; those have an owner. */
const isOurs = ({ metadata }: KubeObject): boolean =>
  metadata.namespace !== systemNamespace && (metadata.ownerReferences ?? []).length === 0;

function withoutBody<T extends KubeObject>({ apiVersion, kind, metadata }: T): T {
  return { apiVersion, kind, metadata } as T;
}
