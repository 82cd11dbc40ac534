/** The field manager of everything that is derived from roles. */
export const accessManager = 'drover-rancher-access';

export const accessLabels = {
  /** On objects of the hub that are derived from roles and bindings: "true". */
  derived: 'rancher.drover.io/derived-access',
  /** On a namespace of a member: the name of its project. */
  project: 'field.cattle.io/projectId',
} as const;

export const accessAnnotations = {
  /** On derived objects of the hub: what they are derived from, such as "cluster/c-m-abcdefgh". */
  scope: 'rancher.drover.io/access-of',
  /** On a Cluster: "true" since the first of Rancher's people went there. */
  entered: 'rancher.drover.io/entered',
  /** On a RoleTemplate: with "true" its holders cannot read Secrets, whatever it inherits. */
  hidesSecrets: 'rancher.drover.io/hides-secrets',
  /** On the Work of a project: its namespaces on the member, for when the member does not answer. */
  namespaces: 'rancher.drover.io/namespaces',
  /** On a namespace of a member: its project as `<id of the cluster>:<name of the project>`. */
  project: 'field.cattle.io/projectId',
  /** On a namespace of a member: the part of the quota of its project that it wants, in JSON. */
  quota: 'field.cattle.io/resourceQuota',
  /** On a namespace of a member: what its containers ask for by default, in JSON. */
  containerLimit: 'field.cattle.io/containerDefaultResourceLimit',
} as const;

/** The Work of a cluster with the rights of everybody who has any there. */
export const clusterWorkName = 'rancher-access';

/** The Work of a project. */
export const projectWorkName = (project: string): string => `rancher-project-${project}`;

/** On members: lets those who may make namespaces for their projects make them only there. */
export const creatorVerb = 'create-namespaces';
