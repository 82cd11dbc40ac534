/** Holds a deleted definition until its instances are gone. */
export const customResourceCleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
