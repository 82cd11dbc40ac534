import type { ComponentType } from 'react';
import type { KeyActionId } from '../app/key-actions.ts';
import type { IconName } from '../parts/icon.tsx';
import { later, type LaterComponent } from '../parts/later.tsx';
import type { ScreenPath } from './screen-paths.ts';

/** A screen of the page: where it is, what it is called, and how it is loaded. */
export interface Screen {
  /** The route: `/clusters/:name/*?`. */
  readonly path: ScreenPath;
  /** Its address without parameters. */
  readonly home: string;
  readonly title: string;
  readonly icon: IconName;
  /** Where it stands at the side; it is not there when absent. */
  readonly group?: (typeof screenGroups)[number];
  /** What the keys that go there are called in `app/key-actions.ts`. */
  readonly keys?: KeyActionId;
  readonly Screen: LaterComponent<object>;
}

export const screenGroups = ['', 'Delivery', 'Machines', 'Access'] as const;

const load = <N extends string>(name: N, module: () => Promise<Record<N, ComponentType>>) => later(async () => (await module())[name]);

const workflows = load('Workflows', () => import('./workflows/workflows.tsx'));
const people = load('People', () => import('./people/people.tsx'));
const dialects = load('Dialects', () => import('./dialects/dialects-screen.tsx'));
const explore = load('Explore', () => import('./explore/explore.tsx'));

/** All of them, in the order of the side. */
export const screens: readonly Screen[] = [
  {
    path: '/',
    home: '/',
    title: 'Home',
    icon: 'home',
    group: '',
    keys: 'home',
    Screen: load('Home', () => import('./home/home.tsx')),
  },
  {
    path: '/clusters',
    home: '/clusters',
    title: 'Clusters',
    icon: 'clusters',
    group: '',
    keys: 'clusters',
    Screen: load('Clusters', () => import('./clusters/clusters.tsx')),
  },
  {
    path: '/clusters/:name/*?',
    home: '/clusters',
    title: 'Cluster',
    icon: 'clusters',
    Screen: load('ClusterScreen', () => import('./cluster/cluster.tsx')),
  },
  {
    path: '/explore',
    home: '/explore',
    title: 'Explore',
    icon: 'explore',
    group: '',
    keys: 'explore',
    Screen: explore,
  },
  { path: '/explore/:group/:version/:plural', home: '/explore', title: 'Kind', icon: 'explore', Screen: explore },
  {
    path: '/explore/:group/:version/:plural/:cluster/:ns/:name/*?',
    home: '/explore',
    title: 'Object',
    icon: 'explore',
    Screen: load('ObjectScreen', () => import('./object/object.tsx')),
  },
  {
    path: '/services',
    home: '/services',
    title: 'Services',
    icon: 'services',
    group: 'Delivery',
    keys: 'services',
    Screen: load('Services', () => import('./services/services.tsx')),
  },
  {
    path: '/services/dependencies',
    home: '/services',
    title: 'Dependencies',
    icon: 'graph',
    Screen: load('Dependencies', () => import('./services/services.tsx')),
  },
  {
    path: '/services/:ns/:name/*?',
    home: '/services',
    title: 'Service',
    icon: 'services',
    Screen: load('Service', () => import('./services/service.tsx')),
  },
  {
    path: '/sources',
    home: '/sources',
    title: 'Sources',
    icon: 'download',
    group: 'Delivery',
    keys: 'sources',
    Screen: load('Sources', () => import('./sources/sources.tsx')),
  },
  {
    path: '/workflows',
    home: '/workflows',
    title: 'Workflows',
    icon: 'workflow',
    group: 'Delivery',
    keys: 'workflows',
    Screen: workflows,
  },
  { path: '/workflows/:part', home: '/workflows', title: 'Workflows', icon: 'workflow', Screen: workflows },
  {
    path: '/workflows/:ns/:name',
    home: '/workflows',
    title: 'Workflow',
    icon: 'workflow',
    Screen: load('WorkflowScreen', () => import('./workflows/workflow.tsx')),
  },
  {
    path: '/workflows/runs/:ns/:name/*?',
    home: '/workflows/runs',
    title: 'Run',
    icon: 'workflow',
    Screen: load('Run', () => import('./workflows/run.tsx')),
  },
  {
    path: '/workflows/pipelines/:ns/:name',
    home: '/workflows/pipelines',
    title: 'Pipeline',
    icon: 'workflow',
    Screen: load('PipelineScreen', () => import('./workflows/pipeline.tsx')),
  },
  {
    path: '/workflows/pipeline-runs/:ns/:name',
    home: '/workflows/pipeline-runs',
    title: 'Run of a pipeline',
    icon: 'workflow',
    Screen: load('PipelineRunScreen', () => import('./workflows/pipeline.tsx')),
  },
  {
    path: '/dialects',
    home: '/dialects',
    title: 'Dialects',
    icon: 'label',
    group: 'Delivery',
    Screen: dialects,
  },
  { path: '/dialects/:part', home: '/dialects', title: 'Dialects', icon: 'label', Screen: dialects },
  {
    path: '/virtualization',
    home: '/virtualization',
    title: 'Virtualization',
    icon: 'machine',
    group: 'Machines',
    keys: 'virtualization',
    Screen: load('Virtualization', () => import('./virtualization/virtualization.tsx')),
  },
  {
    path: '/virtualization/machines',
    home: '/virtualization',
    title: 'Virtual machines',
    icon: 'machine',
    Screen: load('AllMachines', () => import('./virtualization/virtualization.tsx')),
  },
  {
    path: '/virtualization/:cluster/machines/:ns/:name/*?',
    home: '/virtualization',
    title: 'Virtual machine',
    icon: 'machine',
    Screen: load('MachineScreen', () => import('./virtualization/machine.tsx')),
  },
  {
    path: '/virtualization/:cluster/*?',
    home: '/virtualization',
    title: 'Harvester cluster',
    icon: 'machine',
    Screen: load('VirtualCluster', () => import('./virtualization/virtualization.tsx')),
  },
  { path: '/people', home: '/people', title: 'People', icon: 'people', group: 'Access', keys: 'people', Screen: people },
  { path: '/people/:part', home: '/people', title: 'Users and projects', icon: 'people', Screen: people },
  {
    path: '/people/users/:name',
    home: '/people',
    title: 'User',
    icon: 'people',
    Screen: load('UserScreen', () => import('./people/user.tsx')),
  },
  {
    path: '/people/groups/:name',
    home: '/people',
    title: 'Group',
    icon: 'people',
    Screen: load('GroupScreen', () => import('./people/groups/group.tsx')),
  },
  {
    path: '/people/projects/:cluster/:name',
    home: '/people',
    title: 'Project',
    icon: 'people',
    Screen: load('ProjectScreen', () => import('./people/project.tsx')),
  },
  {
    path: '/audit',
    home: '/audit',
    title: 'Audit',
    icon: 'audit',
    group: 'Access',
    keys: 'audit',
    Screen: load('Audit', () => import('./audit/audit.tsx')),
  },
  {
    path: '/allow',
    home: '/allow',
    title: 'Sign in a program',
    icon: 'people',
    Screen: load('Allow', () => import('./allow/allow.tsx')),
  },
];
