import { list, object, optional, text } from '../../../api/schema.ts';

const policyRule = object('One rule of Kubernetes RBAC.', {
  verbs: list('What may be done. `*` is everything.', text('A verb.')),
  apiGroups: optional(list('API groups. `*` is all.', text('An API group.'))),
  resources: optional(list('Resources. `*` is all.', text('A resource.'))),
  resourceNames: optional(list('Names of objects. All when absent.', text('A name.'))),
  nonResourceURLs: optional(list('Paths that are not resources.', text('A path.'))),
});

export const policyRules = (description: string) => list(description, policyRule);
