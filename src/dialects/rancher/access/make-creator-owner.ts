import { withType } from '../../../api/define-kind.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Context } from '../../../runtime/controller.ts';
import { jsonEqual } from '../../../util/json.ts';
import { findRancherCondition, reportConditions } from '../clusters/rancher-condition.ts';
import { Project } from '../kinds/project.ts';
import { ProjectRoleTemplateBinding } from '../kinds/role.ts';
import { rancherAnnotations } from '../names.ts';
import { accessManager } from './access-names.ts';
import type { AccessObjects } from './access-objects.ts';

const creatorCondition = 'CreatorMadeOwner';
const namespaceCondition = 'BackingNamespaceCreated';

interface Deps extends Pick<AccessObjects, 'templates'> {
  readonly hub: KubeClient;
}

/**
 * Gives whoever made a project the roles that creators get, and says so on the project. Once: whoever takes them away later means it. False while the roles
 * are not there yet.
 */
export async function makeCreatorOwner({ hub, templates }: Deps, project: Project, namespace: string, ctx: Context): Promise<boolean> {
  const { metadata, status } = project;
  const annotations = metadata.annotations ?? {};
  const isWanted = annotations[rancherAnnotations.noCreatorRbac] !== 'true';
  const creator = (isWanted && annotations[rancherAnnotations.creatorId]) || undefined;
  if (creator !== undefined && findRancherCondition(project, creatorCondition)?.status !== 'True') {
    const defaults = templates.list().filter(one => one.projectCreatorDefault);
    if (defaults.length === 0) return false;
    for (const template of defaults) await give(hub, bindingFor(project, template.metadata.name!, namespace, creator), ctx);
  }
  const reports = [
    { type: namespaceCondition, status: 'True', message: `Namespace "${namespace}" holds its bindings` },
    {
      type: creatorCondition,
      status: 'True',
      message: creator === undefined ? 'There is nobody to make its owner' : `"${creator}" was made its owner`,
    },
  ] as const;
  const conditions = reportConditions(status?.conditions, reports, ctx.now);
  const isSaid = conditions.every(one => jsonEqual(findRancherCondition(project, one.type), one));
  if (isSaid && status?.backingNamespace === namespace) return true;
  const { name = '', uid = '' } = metadata;
  const body = { metadata: { namespace: metadata.namespace!, name, uid }, status: { backingNamespace: namespace, conditions } };
  await hub.apply(Project, body, { fieldManager: accessManager, subresource: 'status', signal: ctx.signal });
  return true;
}

function bindingFor({ metadata }: Project, template: string, namespace: string, userName: string): ProjectRoleTemplateBinding {
  return withType(ProjectRoleTemplateBinding, {
    metadata: { namespace, name: `creator-${template}` },
    projectName: `${metadata.namespace}:${metadata.name}`,
    roleTemplateName: template,
    userName,
  });
}

async function give(hub: KubeClient, binding: ProjectRoleTemplateBinding, { signal }: Context): Promise<void> {
  await createMissing(hub, ProjectRoleTemplateBinding, binding, { signal, fieldManager: accessManager });
}
