/** Who writes what the controllers of clusters and settings write. */
export const fieldManager = 'drover-rancher';
