import { Namespace } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import { apiVersionOf, type KubeObject } from '../../../api/object.ts';
import { managementGroup, provisioningGroup } from '../names.ts';
import { read } from './builtin-rule.ts';
import type { Grant } from './grants.ts';
import { inheritedRules, type FindTemplate } from './inherited-templates.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding, uniqueSubjects, type PolicyRule, type Subject } from './rbac-objects.ts';
import { onlyAbout, owns } from './rule-questions.ts';

/** What belongs to a cluster and to a project on the hub; everything else that a role says is about members. */
const ofCluster = { [managementGroup]: ['clusterregistrationtokens', 'clusterroletemplatebindings', 'projects'] };
const ofProject = { [managementGroup]: ['projectroletemplatebindings'] };

const clusterPart = (template: string): string => `${template}-cluster-mgmt`;
const projectPart = (template: string): string => `${template}-project-mgmt`;
const rulesAbout = { cluster: ofCluster, project: ofProject };

/** What a RoleTemplate permits on the hub, for all clusters and projects where it is given. */
export function compileTemplate(name: string, find: FindTemplate): KubeObject[] {
  const rules = inheritedRules(name, find);
  const parts = [
    [clusterPart(name), onlyAbout(rules, ofCluster)],
    [projectPart(name), onlyAbout(rules, ofProject)],
  ] as const;
  return parts.filter(([, some]) => some.length > 0).map(([part, some]) => clusterRole(part, some));
}

export interface ClusterHubInput {
  readonly id: string;
  /** Of the Cluster of Drover. */
  readonly name: string;
  readonly provisioning?: { readonly namespace: string; readonly name: string } | undefined;
  readonly grants: readonly Grant[];
  /** Of people in its projects. */
  readonly projectGrants: readonly Grant[];
  readonly find: FindTemplate;
}

/** What people of a cluster, or of a project in it, may do on the hub: see it and pass through its door; its owners whatever they want with it. */
export function compileClusterHub({ id, name, provisioning, grants, projectGrants, find }: ClusterHubInput): KubeObject[] {
  const members = uniqueSubjects(subjectsOf([...grants, ...projectGrants]));
  if (members.length === 0) return [];
  const owners = uniqueSubjects(subjectsOf(grants.filter(({ template }) => owns(inheritedRules(template, find), 'clusters'))));
  const about = (apiGroup: string, resourceName: string, verbs: readonly string[]): PolicyRule => ({
    apiGroups: [apiGroup],
    resources: ['clusters'],
    resourceNames: [resourceName],
    verbs: [...verbs],
  });
  const standing = (suffix: string, subjects: readonly Subject[], verbs: readonly string[]): KubeObject[] => {
    if (subjects.length === 0) return [];
    const own = `${id}-${suffix}`;
    return [
      clusterRole(own, [about(managementGroup, id, verbs), about(Cluster.group, name, read)]),
      clusterRoleBinding(own, subjects),
      ...(provisioning
        ? [
            role(provisioning.namespace, own, [about(provisioningGroup, provisioning.name, verbs)]),
            roleBinding(provisioning.namespace, own, subjects),
          ]
        : []),
    ];
  };
  return [
    ...standing('clustermember', members, read),
    ...standing('clusterowner', owners, ['*']),
    ...bindParts({ namespace: id, part: 'cluster', grants, find }),
  ];
}

export interface ProjectHubInput {
  readonly cluster: string;
  readonly project: string;
  readonly backingNamespace: string;
  readonly grants: readonly Grant[];
  /** Of the cluster as a whole. */
  readonly clusterGrants: readonly Grant[];
  readonly find: FindTemplate;
}

/** The namespace of a project on the hub, and what its people may do there and with the project itself. */
export function compileProjectHub({ cluster, project, backingNamespace, grants, clusterGrants, find }: ProjectHubInput): KubeObject[] {
  const owners = grants.filter(({ template }) => owns(inheritedRules(template, find), 'projects'));
  const standing = (suffix: string, some: readonly Grant[], verbs: readonly string[]): KubeObject[] => {
    const subjects = uniqueSubjects(subjectsOf(some));
    if (subjects.length === 0) return [];
    const own = `${project}-${suffix}`;
    const rules = [{ apiGroups: [managementGroup], resources: ['projects'], resourceNames: [project], verbs: [...verbs] }];
    return [role(cluster, own, rules), roleBinding(cluster, own, subjects)];
  };
  return [
    { apiVersion: apiVersionOf(Namespace), kind: Namespace.kind, metadata: { name: backingNamespace } },
    ...standing('projectmember', grants, read),
    ...standing('projectowner', owners, ['*']),
    ...bindParts({ namespace: backingNamespace, part: 'project', grants: [...grants, ...clusterGrants], find }),
  ];
}

interface PartsToBind {
  readonly namespace: string;
  readonly part: 'cluster' | 'project';
  readonly grants: readonly Grant[];
  readonly find: FindTemplate;
}

/** One binding for each role, with all who have it. */
function bindParts({ namespace, part, grants, find }: PartsToBind): KubeObject[] {
  const nameOf = part === 'cluster' ? clusterPart : projectPart;
  return [...Map.groupBy(grants, ({ template }) => template)].flatMap(([template, some]) => {
    const subjects = uniqueSubjects(subjectsOf(some));
    if (subjects.length === 0 || onlyAbout(inheritedRules(template, find), rulesAbout[part]).length === 0) return [];
    return [roleBinding(namespace, nameOf(template), subjects, nameOf(template))];
  });
}

const subjectsOf = (grants: readonly Grant[]): Subject[] => grants.flatMap(({ subject }) => subject ?? []);
