import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { localClusterName } from '../../core/clusters/local-cluster.ts';
import { keyOf } from '../../runtime/key.ts';
import type { JsonObject } from '../../util/json.ts';
import { clusterDeploymentAnnotation } from './cluster-of.ts';
import { workAnnotationsOfSet } from './compile-works.ts';
import { configOf, deploymentUidLabel } from './deployment-config.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { Credential } from './kinds/management.ts';
import { mergeValues } from '../../util/merge-values.ts';

export interface ChartValuesInput {
  readonly cd: ClusterDeployment;
  readonly credential: Credential | undefined;
  /** What the hub has to say to all charts of clusters, under `global`. */
  readonly global: JsonObject;
  /** What comes of other objects that the ClusterDeployment names. */
  readonly inputs: JsonObject;
}

/** The values of the chart of a cluster: its config, and what the hub adds to it. */
export function chartValues({ cd, credential, global, inputs }: ChartValuesInput): JsonObject {
  const config = configOf(cd);
  const ofHub: JsonObject = {
    ...(Object.keys(global).length > 0 && { global }),
    ...(config['clusterLabels'] === undefined && { clusterLabels: { ...cd.metadata.labels } }),
    ...(credential && { clusterIdentity: identityValues(credential) }),
  };
  return mergeValues(mergeValues(config, inputs), ofHub);
}

function identityValues({ spec: { identityRef } }: Credential): JsonObject {
  const { apiVersion = '', kind = '', name = '', namespace = '' } = identityRef;
  return { apiVersion, kind, name, namespace };
}

export interface ChartWorkInput {
  readonly cd: ClusterDeployment;
  /** Of the packed chart. */
  readonly digest: string;
  readonly values: JsonObject;
}

/** The release of the chart of a cluster, called like the ClusterDeployment, on the hub itself. */
export function chartWork({ cd, digest, values }: ChartWorkInput): Work {
  const { namespace = '', name = '', uid = '' } = cd.metadata;
  return newObject(
    Work,
    {
      name: `cluster.${namespace}.${name}`,
      namespace: localClusterName,
      labels: { [deploymentUidLabel]: uid },
      annotations: {
        [clusterDeploymentAnnotation]: keyOf(cd),
        [workAnnotationsOfSet.owner]: `ClusterDeployment ${keyOf(cd)}`,
      },
    },
    {
      release: { name, namespace },
      priority: 100,
      chart: { content: digest },
      values,
      // A cluster takes long to come and to go: others say how far it is. All defaults are there, so that the Work can be compared with what is stored.
      options: {
        wait: false,
        timeout: '5m',
        hooks: true,
        crds: 'Create',
        prune: true,
        order: 'ByKind',
        history: 10,
        createNamespace: true,
      },
      sync: 'Continuous',
      onDelete: 'Uninstall',
    },
  );
}

/** How informers of Works, with `workIndexes`, find that of the chart of a cluster. */
export const chartWorkLabel = ({ metadata }: ClusterDeployment): string => `${deploymentUidLabel}=${metadata.uid}`;

/** The longest name that Helm allows for a release. */
export const maxReleaseName = 53;
