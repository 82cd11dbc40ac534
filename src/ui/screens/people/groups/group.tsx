import { useParams } from 'wouter';
import { PlaceLink } from '../../../app/place.tsx';
import { Page } from '../../../parts/page.tsx';
import { GivenRoles } from '../given-roles.tsx';
import { userPlace, userTitle } from '../people-kinds.ts';
import { useGroups } from '../use-people.ts';
import { WhatCan } from '../what-can.tsx';
import '../../../styles/delivery.css';

/** Who is in a group without being anybody in particular. */
const anybody = 'anybody';

/** One group: who is in it, what was given to it, and what that lets them do. */
export function GroupScreen() {
  const { name: encoded = '' } = useParams<{ name: string }>();
  const name = decodeURIComponent(encoded);
  const { groups, byId } = useGroups();
  const members = groups.find(one => one.name === name)?.members ?? [];
  const above = [
    { title: 'Users and projects', to: '/people' },
    { title: 'Groups', to: '/people/groups' },
  ];
  return (
    <Page title={name} above={above}>
      <section className="section">
        <h2>Who is in it</h2>
        {members.length === 0 ? (
          <p className="muted">Nobody who is in it has signed in here yet.</p>
        ) : (
          <ul className="row">
            {members.map(id => (
              <li key={id}>
                <PlaceLink to={userPlace(id)}>
                  <bdi>{userTitle(byId.get(id), id)}</bdi>
                </PlaceLink>
              </li>
            ))}
          </ul>
        )}
      </section>
      <GivenRoles holder={{ groupPrincipalName: name }} who={name} none="Nothing was given to this group." />
      <WhatCan user={anybody} groups={[name]} who="somebody in it" />
    </Page>
  );
}
