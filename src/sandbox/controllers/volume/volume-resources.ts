export { claims } from '../workload-resources.ts';
export const volumes = { group: '', version: 'v1', resource: 'persistentvolumes', kind: 'PersistentVolume' };
export const storageClasses = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses', kind: 'StorageClass' };
