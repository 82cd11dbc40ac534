import { isDns1123Label } from '../../../../api/names.ts';
import type { Informer } from '../../../../runtime/informer.ts';
import type { Json, JsonObject } from '../../../../util/json.ts';
import type { Settings } from '../../clusters/settings.ts';
import { ManagementCluster } from '../../kinds/cluster.ts';
import { clusterIdPattern, localId } from '../../names.ts';
import { generateKubeconfig, type KubeconfigDeps } from '../cluster-kubeconfig.ts';
import { importYaml, type ImportYamlDeps } from '../import-yaml.ts';
import { always, kindType, once } from '../kind-type.ts';
import type { NormanContext } from '../norman-context.ts';
import { invalidField, NormanError, notFound } from '../norman-error.ts';
import type { Entry, NormanType } from '../norman-type.ts';
import { printAhead } from '../print-ahead.ts';

export interface ClusterTypeDeps extends KubeconfigDeps, ImportYamlDeps {
  readonly settings: Settings;
  readonly managementClusters: Informer<ManagementCluster>;
}

export interface ClusterType extends NormanType {
  /** Ids of the clusters that the caller may see. */
  visibleIds(ctx: NormanContext): Promise<readonly string[]>;
}

const amounts = { type: 'map[string]' } as const;
const offered = ['generateKubeconfig', 'importYaml'];

/** `/v3/clusters`. */
export function clusterType(deps: ClusterTypeDeps): ClusterType {
  const { settings, managementClusters } = deps;
  const type = kindType<ManagementCluster>({
    id: 'cluster',
    plural: 'clusters',
    kind: ManagementCluster,
    source: managementClusters,
    prefix: 'c-',
    isStateful: true,
    hasLabelSelector: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      name: { type: 'string', ...once, required: true, at: 'spec.displayName' },
      description: { type: 'string', ...always, nullable: true },
      driver: { type: 'string', default: '' },
      provider: { type: 'string', default: '' },
      internal: { type: 'boolean', default: false },
      nodeCount: { type: 'int', default: 0 },
      version: { type: 'json', nullable: true },
      capacity: amounts,
      allocatable: amounts,
      requested: amounts,
      limits: amounts,
      conditions: { type: 'array[json]' },
      apiEndpoint: { type: 'string' },
      caCert: { type: 'string' },
      fleetWorkspaceName: { type: 'string', ...once, nullable: true },
      agentImage: { type: 'string' },
      agentImageOverride: { type: 'string', ...always, nullable: true },
      desiredAgentImage: { type: 'string', ...always, nullable: true },
      agentEnvVars: { type: 'array[json]', ...always, nullable: true },
      importedConfig: { type: 'json', ...always, nullable: true },
      localClusterAuthEndpoint: { type: 'json', ...always, nullable: true },
      clusterAgentDeploymentCustomization: { type: 'json', ...always, nullable: true },
      enableNetworkPolicy: { type: 'boolean', ...always, nullable: true, default: false },
      serviceAccountToken: { type: 'password' },
      serviceAccountTokenSecret: { type: 'password' },
    },
    derive,
    async prepare(_ctx, cluster) {
      checkName(cluster.spec.displayName ?? '');
      return cluster;
    },
    actions: () => offered,
    limit: (cluster, grants) => (cluster.metadata.name === localId ? { ...grants, mayRemove: false } : grants),
    resourceActions: {
      generateKubeconfig: {
        output: 'generateKubeConfigOutput',
        run: async (ctx, ref) => generateKubeconfig(deps, ctx, await findByIdOrName(ctx, ref)),
      },
      importYaml: {
        input: 'importClusterYamlInput',
        output: 'importYamlOutput',
        run: async (ctx, ref) => importYaml(deps, ctx, (await findByIdOrName(ctx, ref)).id),
      },
    },
    schemasOf: id => `/v3/cluster/${id}/schemas`,
  });
  const { store } = type;
  printAhead(managementClusters, store.printAhead);
  const list: typeof store.list = async (ctx, scope) => {
    const entries = await store.list(ctx, scope);
    return settings.value('hide-local-cluster') === 'true' ? entries.filter(({ id }) => id !== localId) : entries;
  };
  return {
    ...type,
    store: { ...store, list, remove: (ctx, id) => (id === localId ? refuse() : store.remove!(ctx, id)) },
    visibleIds: async ctx => (await list(ctx, { equals: () => undefined })).map(({ id }) => id),
  };

  /** Names must be free: people and programs ask for clusters by them. */
  function checkName(name: string): void {
    const [problem] = isDns1123Label(name);
    if (problem !== undefined) throw invalidField('InvalidFormat', 'name', `name ${JSON.stringify(name)}: ${problem}`);
    const isTaken = managementClusters.list().some(({ spec }) => spec.displayName === name);
    if (isTaken) throw invalidField('NotUnique', 'name', `there is a cluster named ${JSON.stringify(name)} already`);
  }

  /** Rancher knows ids only; a name that only one cluster has is as good. */
  async function findByIdOrName(ctx: NormanContext, ref: string): Promise<Entry> {
    const byId = await store.get(ctx, ref);
    if (byId) return byId;
    // A token that is bound to an id must not lead to another cluster of that name.
    if (new RegExp(clusterIdPattern).test(ref)) throw notFound();
    const named = (await list(ctx, { equals: () => undefined })).filter(entry => entry.fields()['name'] === ref);
    if (named.length > 1) throw new NormanError(422, 'NotUnique', `${named.length} clusters are named ${JSON.stringify(ref)}; use the id`);
    if (!named[0]) throw notFound();
    return named[0];
  }
}

function refuse(): never {
  throw new NormanError(405, 'MethodNotAllow', 'the local cluster is the hub itself and cannot be removed');
}

function derive(fields: JsonObject, { metadata, spec }: ManagementCluster): JsonObject {
  const name = spec.displayName === undefined || spec.displayName === '' ? (metadata.name ?? '') : spec.displayName;
  return {
    ...fields,
    name,
    description: fields['description'] ?? '',
    capacity: texts(fields['capacity']),
    allocatable: texts(fields['allocatable']),
    requested: texts(fields['requested']),
    limits: texts(fields['limits']),
    version: fields['version'] ?? null,
  };
}

/** Amounts as texts, whatever they were written as. */
function texts(amounts: Json | undefined): JsonObject {
  return Object.fromEntries(Object.entries((amounts ?? {}) as JsonObject).map(([name, amount]) => [name, String(amount)]));
}
