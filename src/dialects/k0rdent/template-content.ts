/** On a template: the digest of the Content with its chart, manifests or kustomization. Absent until they have been fetched. */
export const contentAnnotation = 'drover.io/content';
