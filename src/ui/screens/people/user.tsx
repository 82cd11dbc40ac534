import { useState } from 'react';
import { useParams } from 'wouter';
import { PlaceLink } from '../../app/place.tsx';
import { objectPlace, pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useObject } from '../../data/use-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { GivenRoles } from './given-roles.tsx';
import { groupPlace, groupsOf, peopleKinds, userTitle, type User, type UserAttribute } from './people-kinds.ts';
import { WhatCan } from './what-can.tsx';
import '../../styles/delivery.css';
import { isolated } from '../../parts/isolated.ts';

/** One person: what was given to them where, and what that lets them do. */
export function UserScreen() {
  const { name = '' } = useParams<{ name: string }>();
  const { object: user, listed } = useObject<User>(peopleKinds.user, { name });
  const { object: attribute } = useObject<UserAttribute>(peopleKinds.userAttribute, { name });
  const above = [{ title: 'Users and projects', to: '/people' }];
  if (!user)
    return (
      <Page title={name} above={above}>
        {listed.error ? (
          <ErrorNote error={listed.error} about={name} />
        ) : listed.state === 'loading' ? (
          <Loading />
        ) : (
          <Empty title="There is no such user" command="kubectl get users.management.cattle.io">
            The user may have been deleted meanwhile.
          </Empty>
        )}
      </Page>
    );
  const who = userTitle(user, name);
  const groups = groupsOf(attribute);
  return (
    <Page
      title={who}
      above={above}
      beside={user.enabled === false ? <StateBadge tone="idle" word="Disabled" /> : <StateBadge tone="good" word="Enabled" />}
      actions={<EnableButton user={user} />}
    >
      <dl className="facts">
        <dt>Signs in as</dt>
        <dd>{user.username ?? user.principalIds?.join(', ') ?? '–'}</dd>
        <dt>To Kubernetes</dt>
        <dd>
          <code>{name}</code>
        </dd>
        {groups.length > 0 && (
          <>
            <dt>Groups</dt>
            <dd>
              {groups.map(group => (
                <div key={group}>
                  <PlaceLink to={groupPlace(group)}>
                    <bdi>{group}</bdi>
                  </PlaceLink>
                </div>
              ))}
            </dd>
          </>
        )}
        <dt>Since</dt>
        <dd>
          <Time at={user.metadata.creationTimestamp} isAgo />
        </dd>
      </dl>
      <GivenRoles holder={{ userName: name }} who={isolated(who)} none="Nothing was given to this person directly. Groups may have been." />
      <WhatCan user={name} groups={groups} who={who} />
    </Page>
  );
}

function EnableButton({ user }: { user: User }) {
  const [isOpen, setOpen] = useState(false);
  const name = user.metadata.name ?? '';
  const mayPatch = useMay({ verb: 'patch', kind: peopleKinds.user, name });
  const isEnabled = user.enabled !== false;
  const verb = isEnabled ? 'Disable' : 'Enable';
  return (
    <>
      {mayPatch && (
        <button type="button" className="button" onClick={() => setOpen(true)}>
          {verb}
        </button>
      )}
      <PlaceLink className="button" to={`${objectPlace(peopleKinds.user, { name })}/yaml`}>
        <Icon name="edit" />
        YAML
      </PlaceLink>
      {isOpen && (
        <ActionDialog
          title={`${verb} ${isolated(userTitle(user, name))}`}
          verb={verb}
          isDanger={isEnabled}
          command={`kubectl patch users.management.cattle.io ${name} --type=merge -p '{"enabled":${!isEnabled}}'`}
          onDo={() =>
            request(pathOf(peopleKinds.user, { name }), {
              method: 'PATCH',
              body: { enabled: !isEnabled },
              contentType: 'application/merge-patch+json',
            })
          }
          onClose={() => setOpen(false)}
        >
          <p>{isEnabled ? 'They cannot sign in, and what they have open ends within five seconds.' : 'They can sign in again.'}</p>
        </ActionDialog>
      )}
    </>
  );
}
