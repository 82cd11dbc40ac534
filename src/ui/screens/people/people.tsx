import { useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { go, PlaceLink } from '../../app/place.tsx';
import { LeftOut, useOfScope } from '../../app/scope.tsx';
import { seesHub } from '../../data/hub-sight.ts';
import { objectPlace } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { useList } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { AddUser } from './add-user.tsx';
import { Groups } from './groups/groups.tsx';
import { rightsText } from './rights-text.ts';
import {
  peopleKinds,
  projectPlace,
  userPlace,
  userTitle,
  type GlobalRole,
  type Project,
  type RoleTemplate,
  type User,
} from './people-kinds.ts';
import { Tokens } from './tokens/tokens.tsx';
import { usePeople, usePlaceNames } from './use-people.ts';
import '../../styles/delivery.css';

const tabs = [
  { id: '', title: 'Users' },
  { id: 'groups', title: 'Groups' },
  { id: 'projects', title: 'Projects' },
  { id: 'roles', title: 'Roles in clusters and projects' },
  { id: 'global-roles', title: 'Roles in the hub' },
  { id: 'tokens', title: 'Tokens' },
];
/** Who has no rights on the hub has tokens all the same. */
const ownTabs = tabs.filter(one => one.id === 'tokens');

/** Who may do what where. */
export function People() {
  const { part: named = '' } = useParams<{ part?: string }>();
  const part = named === '' && !seesHub() ? 'tokens' : named;
  return (
    <Page title="Users and projects" isFilled actions={part === '' ? <AddUserButton /> : undefined}>
      <Tabs tabs={seesHub() ? tabs : ownTabs} current={part} base="/people" />
      {part === '' && <Users />}
      {part === 'groups' && <Groups />}
      {part === 'projects' && <Projects />}
      {part === 'roles' && <Roles />}
      {part === 'global-roles' && <GlobalRoles />}
      {part === 'tokens' && <Tokens />}
      {!tabs.some(one => one.id === part) && <NoSuchPart />}
    </Page>
  );
}

function AddUserButton() {
  const [isOpen, setOpen] = useState(false);
  const mayCreate = useMay({ verb: 'create', kind: peopleKinds.user });
  if (!mayCreate) return null;
  return (
    <>
      <button type="button" className="button main-deed" onClick={() => setOpen(true)}>
        <Icon name="add" />
        Add a user
      </button>
      {isOpen && <AddUser onClose={() => setOpen(false)} />}
    </>
  );
}

interface UserRow {
  readonly user: User;
  readonly global: string;
  readonly places: number;
}

const ageOf = ({ metadata }: { metadata: { creationTimestamp?: string } }) => -Date.parse(metadata.creationTimestamp ?? '');

const userColumns: readonly Column<UserRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(11rem, 1.5fr)',
    value: ({ user }) => userTitle(user, user.metadata.name ?? ''),
    cell: ({ user }) => (
      <PlaceLink to={userPlace(user.metadata.name ?? '')}>
        <bdi>{userTitle(user, user.metadata.name ?? '')}</bdi>
      </PlaceLink>
    ),
  },
  { id: 'username', title: 'Signs in as', width: 'minmax(8rem, 1fr)', value: ({ user }) => user.username ?? user.principalIds?.[0] },
  {
    id: 'state',
    title: 'State',
    width: '8rem',
    value: ({ user }) => (user.enabled === false ? 'Disabled' : 'Enabled'),
    cell: ({ user }) => (user.enabled === false ? <StateBadge tone="idle" word="Disabled" /> : <StateBadge tone="good" word="Enabled" />),
  },
  { id: 'global', title: 'In the hub', width: 'minmax(9rem, 1.2fr)', value: ({ global }) => global },
  { id: 'places', title: 'In clusters and projects', width: '13.5rem', isNumber: true, value: ({ places }) => places },
  { id: 'id', title: 'Id', width: '9rem', isExtra: true, value: ({ user }) => user.metadata.name },
  {
    id: 'age',
    title: 'Age',
    width: '5.5rem',
    value: ({ user }) => ageOf(user),
    cell: ({ user }) => <Time at={user.metadata.creationTimestamp} />,
  },
];

function Users() {
  const { users, global, clusters, projects } = usePeople();
  const rows = useMemo(
    () =>
      users.items.map((user): UserRow => {
        const isTheirs = (one: { userName?: string }) => one.userName === user.metadata.name;
        return {
          user,
          global: global
            .filter(isTheirs)
            .map(one => one.globalRoleName)
            .join(', '),
          places: clusters.filter(isTheirs).length + projects.filter(isTheirs).length,
        };
      }),
    [users.items, global, clusters, projects],
  );
  return (
    <>
      {users.error && <ErrorNote error={users.error} about="Users" />}
      <Table
        name="Users"
        rows={rows}
        columns={userColumns}
        keyOf={({ user }) => user.metadata.uid!}
        state={users.state}
        sort="name"
        onOpen={({ user }) => go(userPlace(user.metadata.name ?? ''))}
        empty={
          <Empty title="No users to see" command="kubectl get users.management.cattle.io">
            People who sign in to the hub are listed here, with what they may do.
          </Empty>
        }
      />
    </>
  );
}

interface ProjectRow {
  readonly project: Project;
  readonly cluster: string;
  readonly members: number;
}

const projectColumns: readonly Column<ProjectRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(11rem, 1.5fr)',
    value: ({ project }) => project.spec.displayName,
    cell: ({ project }) => (
      <PlaceLink to={projectPlace(project)}>
        <bdi>{project.spec.displayName}</bdi>
      </PlaceLink>
    ),
  },
  { id: 'cluster', title: 'Cluster', width: 'minmax(9rem, 1fr)', value: ({ cluster }) => cluster },
  { id: 'members', title: 'Members', width: '7rem', isNumber: true, value: ({ members }) => members },
  { id: 'description', title: 'What for', width: 'minmax(10rem, 2fr)', value: ({ project }) => project.spec.description },
  { id: 'id', title: 'Id', width: '9rem', isExtra: true, value: ({ project }) => project.metadata.name },
  {
    id: 'age',
    title: 'Age',
    width: '5.5rem',
    value: ({ project }) => ageOf(project),
    cell: ({ project }) => <Time at={project.metadata.creationTimestamp} />,
  },
];

const clusterOf = ({ cluster }: ProjectRow) => cluster;

function Projects() {
  const { projects, clusterName, projectsState, projectsError } = usePlaceNames();
  const { projects: bindings } = usePeople();
  const all = useMemo(
    () =>
      projects.map((project): ProjectRow => {
        const id = `${project.metadata.namespace}:${project.metadata.name}`;
        return { project, cluster: clusterName(project.spec.clusterName), members: bindings.filter(one => one.projectName === id).length };
      }),
    [projects, bindings, clusterName],
  );
  const rows = useOfScope(all, clusterOf);
  return (
    <>
      {projectsError && <ErrorNote error={projectsError} about="Projects" />}
      <Table
        name="Projects"
        rows={rows}
        columns={projectColumns}
        keyOf={({ project }) => project.metadata.uid!}
        state={projectsState}
        sort="cluster"
        tools={<LeftOut count={all.length - rows.length} />}
        onOpen={({ project }) => go(projectPlace(project))}
        empty={
          <Empty title="No projects to see" command="kubectl get projects.management.cattle.io -A">
            A project is a group of namespaces of one cluster with members of its own.
          </Empty>
        }
      />
    </>
  );
}

type Role = RoleTemplate | GlobalRole;

const roleColumns = (kind: (typeof peopleKinds)['roleTemplate' | 'globalRole']): readonly Column<Role>[] => [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(11rem, 1.2fr)',
    value: one => one.displayName ?? one.metadata.name,
    cell: one => <PlaceLink to={objectPlace(kind, { name: one.metadata.name })}>{one.displayName ?? one.metadata.name}</PlaceLink>,
  },
  { id: 'id', title: 'Id', width: 'minmax(9rem, 1fr)', value: one => one.metadata.name, cell: one => <code>{one.metadata.name}</code> },
  ...(kind === peopleKinds.roleTemplate
    ? [{ id: 'context', title: 'For', width: '6rem', value: (one: Role) => (one as RoleTemplate).context }]
    : [{ id: 'default', title: 'New users', width: '7rem', value: (one: Role) => ((one as GlobalRole).newUserDefault ? 'get it' : '') }]),
  { id: 'builtin', title: 'Origin', width: '8rem', value: one => (one.builtin ? 'Built in' : 'Own') },
  {
    id: 'rights',
    title: 'May',
    width: 'minmax(16rem, 3fr)',
    value: rightsText,
  },
];
const templateColumns = roleColumns(peopleKinds.roleTemplate);
const globalColumns = roleColumns(peopleKinds.globalRole);

function Roles() {
  return <RoleTable kind={peopleKinds.roleTemplate} columns={templateColumns} name="Roles" />;
}

function GlobalRoles() {
  return <RoleTable kind={peopleKinds.globalRole} columns={globalColumns} name="Roles in the hub" />;
}

function RoleTable({
  kind,
  columns,
  name,
}: {
  kind: (typeof peopleKinds)['roleTemplate' | 'globalRole'];
  columns: readonly Column<Role>[];
  name: string;
}) {
  const { items, state, error } = useList<Role>({ kind });
  return (
    <>
      {error && <ErrorNote error={error} about={name} />}
      <Table
        name={name}
        rows={items}
        columns={columns}
        keyOf={one => one.metadata.uid!}
        state={state}
        sort="name"
        onOpen={one => go(objectPlace(kind, { name: one.metadata.name }))}
        empty={<Empty title="No roles to see" command={`kubectl get ${kind.plural}`} />}
      />
    </>
  );
}
