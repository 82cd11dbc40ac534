import type { PolicyRule } from '../../../api/kubernetes.ts';
import { provisioningGroup } from '../names.ts';
import { all, everything, may, mayManage, read } from './builtin-rule.ts';

export interface BuiltinGlobalRole {
  readonly name: string;
  readonly displayName: string;
  readonly rules: readonly PolicyRule[];
  readonly newUserDefault?: boolean;
}

const edit = [...read, 'create', 'update', 'patch', 'delete', 'deletecollection'];
const createClusters = [mayManage(['create'], 'clusters'), may(['create'], 'clusters', provisioningGroup)];
/** What everybody needs who signs in. */
const base = [mayManage(all, 'preferences'), mayManage(read, 'settings features rancherusernotifications')];

/** The GlobalRoles that every Rancher has, with the rules that mean something here. */
export const builtinGlobalRoles: readonly BuiltinGlobalRole[] = [
  { name: 'admin', displayName: 'Admin', rules: everything },
  {
    name: 'user',
    displayName: 'User',
    rules: [...base, mayManage(read, 'roletemplates globalroles principals nodedrivers kontainerdrivers'), ...createClusters],
    newUserDefault: true,
  },
  { name: 'user-base', displayName: 'User Base', rules: base },
  { name: 'clusters-create', displayName: 'Create Clusters', rules: createClusters },
  {
    name: 'users-manage',
    displayName: 'Manage Users',
    rules: [mayManage(all, 'users globalrolebindings'), mayManage(read, 'globalroles')],
  },
  { name: 'roles-manage', displayName: 'Manage Roles', rules: [mayManage(edit, 'roletemplates globalroles')] },
  { name: 'authn-manage', displayName: 'Manage Authentication', rules: [mayManage([...read, 'update', 'patch'], 'authconfigs')] },
  { name: 'settings-manage', displayName: 'Manage Settings', rules: [mayManage(all, 'settings')] },
  { name: 'features-manage', displayName: 'Manage Features', rules: [mayManage([...read, 'update', 'patch'], 'features')] },
  { name: 'nodedrivers-manage', displayName: 'Manage Node Drivers', rules: [mayManage(all, 'nodedrivers')] },
  { name: 'kontainerdrivers-manage', displayName: 'Manage Cluster Drivers', rules: [mayManage(all, 'kontainerdrivers')] },
  { name: 'view-rancher-metrics', displayName: 'View Rancher Metrics', rules: [mayManage(['get'], 'ranchermetrics')] },
];
