export const providerReasons = {
  connected: 'Connected',
  invalidToken: 'InvalidToken',
  insufficientPermissions: 'InsufficientPermissions',
  connectionFailed: 'ConnectionFailed',
  rancherError: 'RancherError',
  /** The Secret with the credential, or its key, is not there. */
  credentialMissing: 'CredentialMissing',
  /** Some clusters gave no kubeconfig. */
  clustersIncomplete: 'ClustersIncomplete',
  /** The server answers, and is older than what is supported. */
  versionUnsupported: 'VersionUnsupported',
} as const;
export type RancherFault = Exclude<
  (typeof providerReasons)[keyof typeof providerReasons],
  'Connected' | 'ClustersIncomplete' | 'VersionUnsupported'
>;

/** A Rancher could not be asked, or did not answer as it should. The message holds no credentials. */
export class RancherError extends Error {
  override name = 'RancherError';
  readonly reason: RancherFault;

  constructor(reason: RancherFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  get failureType(): 'Connectivity' | 'Authentication' {
    const isAbout = [providerReasons.invalidToken, providerReasons.insufficientPermissions, providerReasons.credentialMissing];
    return isAbout.some(one => one === this.reason) ? 'Authentication' : 'Connectivity';
  }
}
