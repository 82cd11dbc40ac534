import { useState } from 'react';
import { go, PlaceLink } from '../../../app/place.tsx';
import { Empty, ErrorNote } from '../../../parts/notes.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { Table } from '../../../parts/table/table.tsx';
import { GrantButton } from '../given-roles.tsx';
import { GrantDialog, type GrantPlace } from '../grant.tsx';
import { groupPlace, peopleKinds } from '../people-kinds.ts';
import { useGroups, type Group } from '../use-people.ts';

/** Groups of sign-in providers: who has been seen in them, and what was given to them. */
export function Groups() {
  const { groups, state, error } = useGroups();
  const [asked, setAsked] = useState<GrantPlace>();
  return (
    <>
      {error && <ErrorNote error={error} about="Groups" />}
      <div className="row">
        <p className="muted grow">Sign-in providers say who is in which; what is given to a group holds for all who are in it.</p>
        <GrantButton title="Role in the hub" kind={peopleKinds.globalRoleBinding} onAsk={() => setAsked({ in: 'hub' })} />
        <GrantButton title="Role in a cluster" kind={peopleKinds.clusterBinding} onAsk={() => setAsked({ in: 'cluster' })} />
      </div>
      <Table
        name="Groups"
        rows={groups}
        columns={columns}
        keyOf={({ name }) => name}
        state={state}
        sort="name"
        onOpen={({ name }) => go(groupPlace(name))}
        empty={
          <Empty title="No groups yet" command="kubectl get userattributes.management.cattle.io -o yaml">
            Groups come from single sign-on: each is listed once somebody who is in it has signed in, or something was given to it.
          </Empty>
        }
      />
      {asked && <GrantDialog place={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

const columns: readonly Column<Group>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(14rem, 2fr)',
    value: ({ name }) => name,
    cell: ({ name }) => (
      <PlaceLink to={groupPlace(name)}>
        <bdi>{name}</bdi>
      </PlaceLink>
    ),
  },
  {
    id: 'members',
    title: 'Seen here',
    hint: 'People in it who have signed in',
    width: '8rem',
    isNumber: true,
    value: ({ members }) => members.length,
  },
  { id: 'global', title: 'In the hub', width: 'minmax(9rem, 1.2fr)', value: ({ global }) => global },
  { id: 'places', title: 'In clusters and projects', width: '13.5rem', isNumber: true, value: ({ places }) => places },
];
