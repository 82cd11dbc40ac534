/** On a template: the digest of the Content with its chart, manifests or kustomization. Absent until they have been fetched. */
export const contentAnnotation = 'drover.io/content';

/** On charts, and on the templates made of them: `adopted` or `sandbox` when a cluster is no chart to install but one that Drover takes or makes itself. */
export const clusterModeAnnotation = 'drover.io/cluster-mode';
