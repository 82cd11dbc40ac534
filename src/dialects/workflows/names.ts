/** The group of everything here. */
export const deliveryGroup = 'delivery.drover.io';
export const deliveryVersion = 'v1alpha1';

export const deliveryLabels = {
  /** On a Cluster: the CloudProvider that it came from. */
  provider: 'delivery.drover.io/provider',
  /** On ClusterRuns and ApprovalRequests: the name of their WorkflowRun. */
  run: 'delivery.drover.io/run',
  /** On ClusterRuns: the id of their cluster. */
  cluster: 'delivery.drover.io/cluster',
  /** On WorkflowRuns: the Workflow. */
  workflow: 'delivery.drover.io/workflow',
  /** On WorkflowRuns of a pipeline: the name of their PipelineRun. */
  pipelineRun: 'delivery.drover.io/pipeline-run',
  /** On Works: the release that they are. */
  release: 'delivery.drover.io/release',
  /** On Works with the Job of a gate: the uid of the run. */
  gate: 'delivery.drover.io/gate',
  /** On runs that a Trigger started: its name. */
  trigger: 'delivery.drover.io/trigger',
  /** On Events of which somebody is still to be told: "pending". */
  notify: 'delivery.drover.io/notify',
} as const;

export const deliveryAnnotations = {
  /** On a Namespace: how `${app.name}` calls it. */
  appName: 'delivery.drover.io/app-name',
  /** On a Cluster of a provider: how the provider calls it, by id and by name. */
  rancherId: 'delivery.drover.io/rancher-id',
  rancherName: 'delivery.drover.io/rancher-name',
  /** On a Cluster of a provider: a digest of what the provider last made of it. */
  projection: 'delivery.drover.io/projection',
  /** On a Cluster of a provider that no longer tells of it: since when. */
  missingSince: 'delivery.drover.io/missing-since',
  /** On the Secret with the token of such a cluster: when it was made, by which server, and which token it replaced that is still to be deleted. */
  generatedAt: 'delivery.drover.io/generated-at',
  generatedBy: 'delivery.drover.io/generated-by',
  replacedToken: 'delivery.drover.io/replaced-token',
  /** On a CloudProvider: any new value has the connection tested at once. */
  testRequested: 'delivery.drover.io/test-requested',
  /** On a Work: what it holds, as "<uid of the run>/<grant>/<begin or end>". */
  grant: 'delivery.drover.io/grant',
  /** On a Work that is a release: the ClusterRun that last changed it, as namespace/name. */
  clusterRun: 'delivery.drover.io/cluster-run',
  /** On Works with the Job of a gate: the run, as namespace/name. */
  run: 'delivery.drover.io/run',
  /** On Events: what to tell, and whom. */
  notification: 'delivery.drover.io/notification',
  /** On WorkflowRuns and PipelineRuns: who asked for them. Set by admission. */
  triggeredBy: 'delivery.drover.io/triggered-by',
  /** On WorkflowRuns and PipelineRuns: when they were asked for, finer than the API tells it. Set by admission. */
  requestedAt: 'delivery.drover.io/requested-at',
  /** On WorkflowRuns and PipelineRuns: the groups of who asked for them, as a list in JSON. Set by admission. */
  triggeredByGroups: 'delivery.drover.io/triggered-by-groups',
  /** On WorkflowRuns of a pipeline: what they know of it, as JSON. */
  pipeline: 'delivery.drover.io/pipeline',
  /** On WorkflowRuns and PipelineRuns: the last one who changed the wanted state. Set by admission. */
  stateChangedBy: 'delivery.drover.io/state-changed-by',
} as const;
