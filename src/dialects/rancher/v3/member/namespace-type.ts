import { Namespace } from '../../../../api/builtin-kinds.ts';
import { isDns1123Label } from '../../../../api/names.ts';
import { StatusError } from '../../../../api/status.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import type { Json, JsonObject } from '../../../../util/json.ts';
import { Project } from '../../kinds/project.ts';
import { always, kindType, once } from '../kind-type.ts';
import type { NormanContext } from '../norman-context.ts';
import { invalidField, notFound } from '../norman-error.ts';
import type { NormanAnswer, NormanType } from '../norman-type.ts';
import { creatorAnnotation } from '../resource-shape.ts';
import { getVisible } from './get-visible.ts';
import { stateFieldsOf } from './object-fields.ts';
import { readNotes, writeNamespace } from './write-namespace.ts';

export interface NamespaceTypeDeps {
  readonly clusterId: string;
  /** The hub's API as the caller, who must see the projects that he names. */
  readonly hub: KubeClient;
}

const conflictTries = 5;
const timeoutMs = 30_000;

/** `/v3/cluster/<id>/namespaces`. Who may put a namespace into a project, and take it out of one, is the member's to say. */
export function namespaceType({ clusterId, hub }: NamespaceTypeDeps): NormanType {
  const type = kindType<Namespace>({
    id: 'namespace',
    plural: 'namespaces',
    kind: Namespace,
    prefix: '',
    isStateful: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      name: { type: 'string', ...once, required: true, at: 'metadata.name' },
      projectId: { type: 'reference[project]', ...always },
      description: { type: 'string', ...always, nullable: true },
      resourceQuota: { type: 'json', ...always, nullable: true },
      containerDefaultResourceLimit: { type: 'json', ...always, nullable: true },
    },
    derive: (fields, namespace) => ({ ...fields, ...stateFieldsOf(namespace), ...readNotes(namespace), clusterId }),
    actions: (_ctx, _namespace, mayUpdate) => (mayUpdate ? ['move'] : []),
    resourceActions: { move: { input: 'namespaceMove', run: move } },
  });
  const { store, fields: known } = type;
  return { ...type, store: { ...store, create, update: change } };

  async function create(ctx: NormanContext, fields: JsonObject) {
    checkName(fields['name']);
    await checkProject(fields['projectId'], ctx.signal);
    const annotations = { [creatorAnnotation]: ctx.caller.name };
    const blank: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { annotations } };
    return store.entry(ctx, await ctx.hub.create(Namespace, writeNamespace(blank, fields, known), { timeoutMs, signal: ctx.signal }));
  }

  async function change(ctx: NormanContext, id: string, fields: JsonObject) {
    await checkProject(fields['projectId'], ctx.signal);
    for (let attempt = 1; ; attempt++) {
      const namespace = await read(ctx, id);
      if (!namespace) throw notFound();
      try {
        const wanted = writeNamespace(namespace, fields, known);
        return store.entry(ctx, await ctx.hub.update(Namespace, wanted, { timeoutMs, signal: ctx.signal }));
      } catch (error) {
        if (!(error instanceof StatusError) || error.reason !== 'Conflict' || attempt >= conflictTries) throw error;
      }
    }
  }

  /** `?action=move` with `projectId`: null takes the namespace out of its project. */
  async function move(ctx: NormanContext, id: string): Promise<NormanAnswer> {
    const { projectId } = await ctx.body();
    if (projectId === undefined) throw invalidField('MissingRequired', 'projectId', 'projectId is required');
    await change(ctx, id, { projectId });
    return { status: 204 };
  }

  async function read(ctx: NormanContext, name: string): Promise<Namespace | undefined> {
    return isDns1123Label(name).length > 0 ? undefined : getVisible(ctx.hub, Namespace, { name }, ctx.signal);
  }

  /** Projects belong to one cluster, and nobody names one that he may not see. */
  async function checkProject(projectId: Json | undefined, signal: AbortSignal): Promise<void> {
    if (projectId === undefined || projectId === null || projectId === '') return;
    const wrong = () => invalidField('InvalidReference', 'projectId', `there is no project ${JSON.stringify(projectId)} in this cluster`);
    if (typeof projectId !== 'string') throw invalidField('InvalidFormat', 'projectId', 'projectId must be a text');
    const [cluster, name = '', ...more] = projectId.split(':');
    if (cluster !== clusterId || more.length > 0 || isDns1123Label(name).length > 0) throw wrong();
    if (await getVisible(hub, Project, { namespace: clusterId, name }, signal)) return;
    throw wrong();
  }
}

/** What moving a namespace takes. */
export const namespaceMoveType: NormanType = {
  id: 'namespaceMove',
  plural: 'namespaceMoves',
  fields: { projectId: { type: 'reference[project]', ...always } },
  collectionMethods: [],
  resourceMethods: [],
};

function checkName(name: Json | undefined): void {
  const [problem] = isDns1123Label(typeof name === 'string' ? name : '');
  if (problem !== undefined) throw invalidField('InvalidFormat', 'name', `name ${JSON.stringify(name)}: ${problem}`);
}
