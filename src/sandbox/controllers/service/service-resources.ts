export const services = { group: '', version: 'v1', resource: 'services', kind: 'Service' };
export const endpointSlices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', kind: 'EndpointSlice' };
export const endpoints = { group: '', version: 'v1', resource: 'endpoints', kind: 'Endpoints' };

export const serviceNameLabel = 'kubernetes.io/service-name';
export const sliceManagerLabel = 'endpointslice.kubernetes.io/managed-by';
export const headlessLabel = 'service.kubernetes.io/headless';
