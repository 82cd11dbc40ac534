/** The Secret in the namespace of a sandbox cluster that makes its holder administrator there, and its key. */
export const adminSecret = { name: 'sandbox-admin', key: 'kubeconfig' } as const;
