import type { KubeObject } from '../../../api/object.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import type { AccessObjects } from './access-objects.ts';
import { compileGlobalRole, compileGlobalRoleBinding } from './compile-global-access.ts';
import { compileTemplate } from './compile-hub-access.ts';
import type { HubSets } from './hub-sets.ts';
import { subjectOf } from './subjects.ts';
import type { TemplateUsers } from './template-users.ts';

export interface GlobalAccessDeps {
  readonly objects: AccessObjects;
  readonly sets: HubSets;
  readonly users: TemplateUsers;
  readonly signal: AbortSignal;
}

/** Rights on the hub that come from GlobalRoles and RoleTemplates, whoever has them where. */
export function runGlobalAccess({ objects, sets, users: templateUsers, signal }: GlobalAccessDeps): RunningController[] {
  const { globalRoles, globalRoleBindings, templates, users } = objects;
  const bindingsOf = (name: string) => globalRoleBindings.by('role', name).map(keyOf);
  return [
    run('globalrole', compileRole, [changesOf(globalRoles)]),
    run('globalrolebinding', compileBinding, [
      changesOf(globalRoleBindings),
      changesOf(globalRoles, ({ metadata }) => bindingsOf(metadata.name!)),
      changesOf(
        users,
        ({ principalIds = [] }) => principalIds.flatMap(bindingsTo),
        ({ principalIds }) => principalIds,
      ),
    ]),
    run('template', name => (templates.get(name) ? compileTemplate(name, one => templates.get(one)) : []), [
      changesOf(templates, templateUsers.heirs),
    ]),
  ];

  function run(ofWhat: string, compile: (name: string) => KubeObject[], triggers: Parameters<typeof runController>[1]['triggers']) {
    const reconcile = async (key: Key, ctx: Context): Promise<Outcome> => {
      await sets.ensure(`${ofWhat}/${key}`, compile(key), ctx.signal);
      return settled;
    };
    return runController({ name: `rancher-${ofWhat}-access`, reconcile }, { triggers: [...triggers, ...sets.changes(ofWhat)], signal });
  }

  function compileRole(name: string): KubeObject[] {
    const role = globalRoles.get(name);
    return role && role.metadata.deletionTimestamp === undefined ? compileGlobalRole(role) : [];
  }

  function compileBinding(name: string): KubeObject[] {
    const binding = globalRoleBindings.get(name);
    const role = binding && globalRoles.get(binding.globalRoleName);
    const subject = binding && subjectOf(binding, principal => users.by('principal', principal)[0]?.metadata.name);
    const isGoing = binding?.metadata.deletionTimestamp !== undefined;
    return role && subject && !isGoing ? compileGlobalRoleBinding(binding, role, subject) : [];
  }

  function bindingsTo(principal: string): Key[] {
    return globalRoleBindings
      .list()
      .filter(({ userPrincipalName }) => userPrincipalName === principal)
      .map(keyOf);
  }
}
