/** What is written beside Works and what they deliver. Here by itself, so that the page gets it without the kind. */
export const workAnnotations = {
  /** On a Work: a digest of the source from which `content` was filled in. When it differs from the source, the content is old. */
  contentOf: 'drover.io/content-of',
  /** On an object of a member that was delivered as it is, without Helm: the Work that delivers it, as namespace/name. */
  work: 'drover.io/work',
  /** On a delivered object, in the manifest or on the member: with "true" nothing about it counts as drift. */
  ignoreDrift: 'drover.io/ignore-drift',
  /** On a delivered workload: with "true" it has no replicas because it is not needed, whatever an autoscaler would have. */
  asleep: 'drover.io/asleep',
  /** On a workload of a member: a digest of the ConfigMaps and Secrets that its pods use. On its pods, once it was restarted for them. */
  mounted: 'drover.io/mounted',
  /** On a Work that a dialect made: who wants it, in words such as "MultiClusterService global-ingress". */
  owner: 'drover.io/owner',
  /** On a Work, as on a Cluster: "true" lets it go without taking anything off the member. */
  forceRemoval: 'drover.io/force-removal',
  /** On a Work: digests of Contents that are needed besides what it delivers, separated by commas. They stay as long as it names them. */
  contents: 'drover.io/contents',
  /** On a Work that comes from a ServiceSet of k0rdent: the set, as namespace/name. */
  serviceSet: 'k0rdent.mirantis.com/service-set',
} as const;
