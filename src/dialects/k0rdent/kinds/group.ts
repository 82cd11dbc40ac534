import { conditions } from '../../../api/conditions.ts';
import { object, optional, text } from '../../../api/schema.ts';

/** What all kinds of k0rdent share. */
export const k0rdent = { group: 'k0rdent.mirantis.com', version: 'v1beta1' } as const;

export const systemNamespace = 'kcm-system';

/** The name of the one Management and the one AccessManagement. */
export const singleton = 'kcm';

export const k0rdentLabels = {
  /** On every object that a controller looks after. */
  component: 'k0rdent.mirantis.com/component',
  /** On objects that a controller made from another. */
  managed: 'k0rdent.mirantis.com/managed',
  /** On ServiceSets: which adapter delivers them. */
  adapter: 'ksm.k0rdent.mirantis.com/adapter',
} as const;

export const componentValue = 'kcm';

export const k0rdentFinalizers = {
  clusterDeployment: 'k0rdent.mirantis.com/cluster-deployment',
  multiClusterService: 'k0rdent.mirantis.com/multicluster-service',
  serviceSet: 'k0rdent.mirantis.com/service-set',
  credential: 'k0rdent.mirantis.com/credential',
  management: 'k0rdent.mirantis.com/management',
  region: 'k0rdent.mirantis.com/region',
  /** On objects of charts of clusters: they stay until the Machines of the cluster have gone. */
  cleanup: 'k0rdent.mirantis.com/cleanup',
} as const;

/** The repository of charts that templates mean when they name none. */
export const defaultRepository = 'kcm-templates';

/** The provider that delivers when none is named: Drover itself. */
export const defaultProvider = 'ksm-projectsveltos';

export const statusConditions = conditions;

export const objectReference = (description: string) =>
  object(description, {
    apiVersion: optional(text('The API version of the object.')),
    kind: optional(text('The kind of the object.')),
    namespace: optional(text('The namespace of the object.')),
    name: optional(text('The name of the object.')),
    uid: optional(text('The uid of the object.')),
    resourceVersion: optional(text('The version of the object.')),
    fieldPath: optional(text('A part of the object.')),
  });

/** Which objects on a cluster. */
export const patchSelector = (description: string) =>
  object(description, {
    group: optional(text('The API group.')),
    version: optional(text('The version.')),
    kind: optional(text('The kind.')),
    namespace: optional(text('The namespace, or a regular expression for it.')),
    name: optional(text('The name, or a regular expression for it.')),
    labelSelector: optional(text('A selector over the labels.')),
    annotationSelector: optional(text('A selector over the annotations.')),
  });

export const readyColumn = { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' } as const;
export const ageColumn = { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' } as const;
export const validColumns = [
  { name: 'valid', type: 'boolean', path: '.status.valid' },
  { name: 'validationError', type: 'string', path: '.status.validationError', priority: 1 },
  { name: 'description', type: 'string', path: '.status.description', priority: 1 },
] as const;
