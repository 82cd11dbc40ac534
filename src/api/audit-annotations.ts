/** What the hub adds to events of its audit log. */
export const auditAnnotations = {
  /** The member that the request was about. */
  cluster: 'drover.io/cluster',
  clusterId: 'drover.io/cluster-id',
  /** The name by which the user signs in, or tried to. */
  loginName: 'drover.io/login-name',
  /** What a request to Rancher's API made, as type/id. */
  created: 'drover.io/created',
} as const;
