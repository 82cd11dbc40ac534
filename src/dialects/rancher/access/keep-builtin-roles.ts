import { withType, type KindRef } from '../../../api/define-kind.ts';
import type { Json, KubeObject } from '../../../api/object.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { splitKey, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { GlobalRole, RoleTemplate } from '../kinds/role.ts';
import { accessAnnotations, accessManager } from './access-names.ts';
import { builtinGlobalRoles, type BuiltinGlobalRole } from './builtin-global-roles.ts';
import { builtinTemplates, type BuiltinTemplate } from './builtin-templates.ts';

export interface BuiltinRolesDeps {
  readonly hub: KubeClient;
  readonly globalRoles: Informer<GlobalRole>;
  readonly templates: Informer<RoleTemplate>;
  readonly signal: AbortSignal;
}

interface Builtin {
  readonly kind: KindRef;
  /** What people cannot change. */
  readonly fixed: Record<string, unknown>;
  /** What they can: it is written once. */
  readonly first: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
}

const builtins: ReadonlyMap<Key, Builtin> = new Map([
  ...builtinGlobalRoles.map(role => [`globalroles/${role.name}`, globalRole(role)] as const),
  ...builtinTemplates.map(template => [`roletemplates/${template.name}`, roleTemplate(template)] as const),
]);

/** Makes the roles that come with Rancher, and puts back what they permit when somebody changes that. */
export function runBuiltinRoles({ hub, globalRoles, templates, signal }: BuiltinRolesDeps): RunningController {
  const present: Readonly<Record<string, Informer>> = { globalroles: globalRoles as Informer, roletemplates: templates as Informer };
  const keysOf = (resource: string) => (obj: KubeObject) => {
    const key = `${resource}/${obj.metadata.name}`;
    return builtins.has(key) ? [key] : [];
  };
  const start = { synced: Promise.resolve(), start: addAll };
  const triggers = [
    changesOf(present['globalroles']!, keysOf('globalroles')),
    changesOf(present['roletemplates']!, keysOf('roletemplates')),
    start,
  ];
  return runController({ name: 'rancher-builtin-roles', reconcile }, { triggers, signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const { namespace: resource, name } = splitKey(key);
    const { kind, fixed, first, annotations } = builtins.get(key)!;
    const obj = present[resource]!.get(name);
    const call = { signal: ctx.signal, fieldManager: accessManager };
    if (!obj) {
      const made = withType(kind, { metadata: { name, ...(annotations && { annotations }) }, ...fixed, ...first });
      await createMissing(hub, kind, made, call);
    } else if (!isAsFixed(obj, fixed)) {
      await hub.patch(kind, { name }, { type: 'merge', body: fixed as Json }, call);
    }
    return settled;
  }

  function addAll(add: (key: Key) => void): Disposable {
    for (const key of builtins.keys()) add(key);
    return { [Symbol.dispose]: () => {} };
  }
}

function isAsFixed(obj: KubeObject, fixed: Record<string, unknown>): boolean {
  return Object.entries(fixed).every(([field, value]) => jsonEqual(obj[field] ?? emptyLike(value), value));
}

/** Empty and absent are the same to those who read. */
function emptyLike(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'boolean' ? false : undefined;
}

function globalRole({ displayName, rules, newUserDefault = false }: BuiltinGlobalRole): Builtin {
  return { kind: GlobalRole, fixed: { displayName, rules, builtin: true }, first: { newUserDefault } };
}

function roleTemplate(template: BuiltinTemplate): Builtin {
  const { displayName, context, rules = [], inherits = [], external = false, externalRules = [], hidden = false } = template;
  const { administrative = false, hidesSecrets = false, isClusterCreatorDefault = false, isProjectCreatorDefault = false } = template;
  return {
    kind: RoleTemplate,
    fixed: { displayName, context, rules, roleTemplateNames: inherits, external, externalRules, hidden, administrative, builtin: true },
    first: { locked: false, clusterCreatorDefault: isClusterCreatorDefault, projectCreatorDefault: isProjectCreatorDefault },
    ...(hidesSecrets && { annotations: { [accessAnnotations.hidesSecrets]: 'true' } }),
  };
}
