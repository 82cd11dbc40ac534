import type { Cluster } from '../../../api/cluster.ts';
import type { KubeObject } from '../../../api/object.ts';
import { managementGroup } from '../names.ts';
import { accessAnnotations, accessLabels, creatorVerb } from './access-names.ts';

const group = 'admissionregistration.k8s.io';
const apiVersion = `${group}/v1`;
const name = 'rancher-projects';
const labels = { 'app.kubernetes.io/managed-by': 'drover' };
const forbidden = 'Forbidden';
const podSecurity = 'pod-security.kubernetes.io/';

const namespaces = (operations: string[]) => ({
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: ['namespaces'], scope: '*' }],
});

/** A value of a map of metadata, empty where it is absent. */
const entry = (obj: string, map: string, key: string): string =>
  `has(${obj}.metadata.${map}) && '${key}' in ${obj}.metadata.${map} ? ${obj}.metadata.${map}['${key}'] : ''`;
const ofOld = (expression: string): string => `request.operation == 'CREATE' ? '' : (${expression})`;
const projectIn = (id: string, annotation: string): string =>
  `${annotation}.startsWith('${id}:') ? ${annotation}.substring(${id.length + 1}) : ''`;
const may = (verb: string, project?: string): string =>
  `authorizer.group('${managementGroup}').resource('projects')${project === undefined ? '' : `.name(${project})`}.check('${verb}').allowed()`;

/** Labels about the security of pods that one of two objects has and the other has not, or has otherwise. */
const podSecurityDiffers = (one: string, other: string): string =>
  `has(${one}.metadata.labels) && ${one}.metadata.labels.exists(key, key.startsWith('${podSecurity}') && ` +
  `!(has(${other}.metadata.labels) && key in ${other}.metadata.labels && ${other}.metadata.labels[key] == ${one}.metadata.labels[key]))`;

/**
 * Lets the member itself refuse that somebody puts a namespace into a project, or takes one out of it, whose namespaces are not theirs to manage. Projects of other hubs, which a
 * member that is itself a Rancher has, are none of its business.
 */
export function namespacePolicy(id: string): KubeObject[] {
  const unchanged = 'variables.now == variables.was';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: namespaces(['CREATE', 'UPDATE']),
        variables: [
          { name: 'annotation', expression: entry('object', 'annotations', accessAnnotations.project) },
          { name: 'oldAnnotation', expression: ofOld(entry('oldObject', 'annotations', accessAnnotations.project)) },
          { name: 'now', expression: projectIn(id, 'variables.annotation') },
          { name: 'was', expression: projectIn(id, 'variables.oldAnnotation') },
          { name: 'label', expression: entry('object', 'labels', accessLabels.project) },
          { name: 'oldLabel', expression: ofOld(entry('oldObject', 'labels', accessLabels.project)) },
          {
            name: 'podSecurityChanged',
            expression: `request.operation == 'CREATE' ? has(object.metadata.labels) && object.metadata.labels.exists(key, key.startsWith('${podSecurity}')) : (${podSecurityDiffers('object', 'oldObject')}) || (${podSecurityDiffers('oldObject', 'object')})`,
          },
        ],
        validations: [
          {
            expression: `${unchanged} || variables.now == '' || ${may('manage-namespaces', 'variables.now')}`,
            messageExpression: `'you may not put namespaces into project "' + variables.now + '"'`,
            reason: forbidden,
          },
          {
            expression: `${unchanged} || variables.was == '' || ${may('manage-namespaces', 'variables.was')}`,
            messageExpression: `'you may not take namespaces out of project "' + variables.was + '"'`,
            reason: forbidden,
          },
          {
            expression: `variables.label == variables.oldLabel || variables.label == variables.now || ${may('manage-namespaces')}`,
            message: `the label ${accessLabels.project} must be the project that the annotation ${accessAnnotations.project} names`,
            reason: forbidden,
          },
          {
            expression: `request.operation != 'CREATE' || variables.now != '' || !${may(creatorVerb)} || ${may('manage-namespaces')}`,
            message: `name the project of the namespace in the annotation ${accessAnnotations.project}: "${id}:<project>"`,
            reason: forbidden,
          },
          {
            expression: `!variables.podSecurityChanged || variables.now == '' || ${may('updatepsa', 'variables.now')}`,
            messageExpression: `'you may not change the labels ${podSecurity}… in project "' + variables.now + '"'`,
            reason: forbidden,
          },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

/** Keeps the label of a namespace in step with the annotation that says which project it is in. */
export function namespaceLabelling(id: string): KubeObject[] {
  const annotation = `object.metadata.annotations['${accessAnnotations.project}']`;
  const project = `${annotation}.substring(${id.length + 1})`;
  const path = `/metadata/labels/${accessLabels.project.replace('/', '~1')}`;
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name, labels },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: namespaces(['CREATE', 'UPDATE']),
        matchConditions: [
          {
            name: 'in-a-project',
            expression: `has(object.metadata.labels) && has(object.metadata.annotations) && '${accessAnnotations.project}' in object.metadata.annotations && ${annotation}.startsWith('${id}:')`,
          },
        ],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{op: "add", path: "${path}", value: ${project}}]` } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name, labels }, spec: { policyName: name } },
  ];
}

/** The policies that a cluster can have. One that has not been asked yet is taken for one of today. */
export function policiesFor(id: string, { status }: Pick<Cluster, 'status'>): KubeObject[] {
  const resources = status?.apiResources?.find(({ groupVersion }) => groupVersion === apiVersion)?.resources;
  const serves = (resource: string) => resources?.some(({ name }) => name === resource) ?? false;
  return [
    ...(status?.apiResources === undefined || serves('validatingadmissionpolicies') ? namespacePolicy(id) : []),
    ...(serves('mutatingadmissionpolicies') ? namespaceLabelling(id) : []),
  ];
}
