import { isDns1123Label } from '../../../../api/names.ts';
import { Project } from '../../kinds/project.ts';
import type { NormanContext } from '../norman-context.ts';
import { notFound } from '../norman-error.ts';
import { typeTable, type TypeTable } from '../norman-type.ts';
import { pathPart } from '../print-resource.ts';
import { getVisible } from './get-visible.ts';
import type { MemberApis } from './member-apis.ts';
import { namespaceMoveType, namespaceType } from './namespace-type.ts';
import { podType } from './pod-type.ts';
import { projectNamespaces, type ProjectPlace } from './project-namespaces.ts';
import { namespacedSecretType, secretType } from './secret-types.ts';
import { persistentVolumeType, storageClassType } from './storage-types.ts';
import { workloadType } from './workload-type.ts';

/** What is asked of the types below one cluster or project. */
export interface MemberRoot {
  /** Its `hub` is the API of the member, with the rights that the caller has there. */
  readonly ctx: NormanContext;
  readonly table: TypeTable;
  /** The path behind the root. */
  readonly rest: readonly string[];
  /** Where its namespaced objects are, for roots that are not the whole cluster. */
  readonly place?: ProjectPlace;
}

export interface MemberRoots {
  /** Undefined when a path, given behind `/v3`, leads to no member. Throws 404 for members and projects that the caller may not know of. */
  open(ctx: NormanContext, segments: readonly string[]): Promise<MemberRoot | undefined>;
}

type RootKind = 'cluster' | 'project';

const rootNames: Readonly<Record<string, RootKind>> = { cluster: 'cluster', clusters: 'cluster', project: 'project', projects: 'project' };

/** The roots `/v3/cluster/<id>` and `/v3/project/<id>`: what there is on the members, as Rancher shows it. */
export function memberRoots(apis: MemberApis): MemberRoots {
  return {
    async open(ctx, [name = '', id = '', ...rest]) {
      const root = rootKind(name);
      if (root === undefined || !leadsBelow(root, rest[0])) return undefined;
      return { rest, ...(root === 'cluster' ? await openCluster(ctx, id) : await openProject(ctx, id)) };
    },
  };

  async function openCluster(ctx: NormanContext, ref: string): Promise<Omit<MemberRoot, 'rest'>> {
    const { id, client, rights } = await apis.open(ctx.caller, ref);
    const types = [namespaceType({ clusterId: id, hub: ctx.hub }), namespaceMoveType, persistentVolumeType(), storageClassType()];
    return { ctx: { ...ctx, hub: client, rights, root: `${ctx.root}/cluster/${pathPart(id)}` }, table: typeTable(types) };
  }

  async function openProject(ctx: NormanContext, projectId: string): Promise<Omit<MemberRoot, 'rest'>> {
    const [cluster = '', name = '', ...more] = projectId.split(':');
    if (more.length > 0 || [cluster, name].some(part => isDns1123Label(part).length > 0)) throw notFound();
    const { id, client, rights } = await apis.open(ctx.caller, cluster);
    if (!(await getVisible(ctx.hub, Project, { namespace: id, name }, ctx.signal))) throw notFound();
    const place = projectNamespaces(`${id}:${name}`);
    const types = [workloadType(place), podType(place), secretType(place), namespacedSecretType(place)];
    const root = `${ctx.root}/project/${pathPart(place.projectId)}`;
    return { ctx: { ...ctx, hub: client, rights, root }, table: typeTable(types), place };
  }
}

/** Whether a path behind `/v3` is about what there is on a member. */
export function isMemberPath([name = '', , sub]: readonly string[]): boolean {
  const root = rootKind(name);
  return root !== undefined && leadsBelow(root, sub);
}

const rootKind = (name: string) => (Object.hasOwn(rootNames, name.toLowerCase()) ? rootNames[name.toLowerCase()] : undefined);

const schemaNames = ['schema', 'schemas'];
const namesBelow: Readonly<Record<RootKind, ReadonlySet<string>>> = {
  cluster: new Set([...schemaNames, 'namespace', 'namespaces', 'persistentvolume', 'persistentvolumes', 'storageclass', 'storageclasses']),
  project: new Set([...schemaNames, 'workload', 'workloads', 'pod', 'pods', 'secret', 'secrets', 'namespacedsecret', 'namespacedsecrets']),
};

const leadsBelow = (root: RootKind, segment: string | undefined) => segment !== undefined && namesBelow[root].has(segment.toLowerCase());
