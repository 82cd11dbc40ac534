import { useState } from 'react';
import { useParams } from 'wouter';
import { PlaceLink } from '../../app/place.tsx';
import { objectPlace, pathOf, type Kind } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useObject } from '../../data/use-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { GrantDialog, RevokeButton, type GrantPlace } from './grant.tsx';
import { peopleKinds, projectPlace, userTitle, type User } from './people-kinds.ts';
import { usePeople, usePlaceNames } from './use-people.ts';
import { WhatCan } from './what-can.tsx';
import '../../styles/delivery.css';

/** One person: what was given to them where, and what that lets them do. */
export function UserScreen() {
  const { name = '' } = useParams<{ name: string }>();
  const { object: user, listed } = useObject<User>(peopleKinds.user, { name });
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
  return (
    <Page
      title={userTitle(user, name)}
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
        <dt>Since</dt>
        <dd>
          <Time at={user.metadata.creationTimestamp} isAgo />
        </dd>
      </dl>
      <Roles user={user} />
      <WhatCan user={user} />
    </Page>
  );
}

interface Given {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly role: string;
  readonly where: React.ReactNode;
  readonly about: string;
}

function Roles({ user }: { user: User }) {
  const { global, clusters, projects, isLoading } = usePeople();
  const { clusterName, project } = usePlaceNames();
  const [asked, setAsked] = useState<GrantPlace>();
  const id = user.metadata.name;
  const who = userTitle(user, id ?? '');
  const given: Given[] = [
    ...global
      .filter(one => one.userName === id)
      .map(one => ({
        kind: peopleKinds.globalRoleBinding,
        namespace: undefined,
        name: one.metadata.name ?? '',
        role: one.globalRoleName,
        where: 'The hub',
        about: `${who} is no longer ${one.globalRoleName} in the hub`,
      })),
    ...clusters
      .filter(one => one.userName === id)
      .map(one => {
        const cluster = clusterName(one.clusterName);
        return {
          kind: peopleKinds.clusterBinding,
          namespace: one.metadata.namespace,
          name: one.metadata.name ?? '',
          role: one.roleTemplateName,
          where: <PlaceLink to={`/clusters/${encodeURIComponent(cluster)}`}>Cluster {cluster}</PlaceLink>,
          about: `${who} is no longer ${one.roleTemplateName} in cluster ${cluster}`,
        };
      }),
    ...projects
      .filter(one => one.userName === id)
      .map(one => {
        const found = project(one.projectName);
        const title = found ? `Project ${found.spec.displayName} on ${clusterName(found.spec.clusterName)}` : `Project ${one.projectName}`;
        return {
          kind: peopleKinds.projectBinding,
          namespace: one.metadata.namespace,
          name: one.metadata.name ?? '',
          role: one.roleTemplateName,
          where: found ? <PlaceLink to={projectPlace(found)}>{title}</PlaceLink> : title,
          about: `${who} is no longer ${one.roleTemplateName} in ${title}`,
        };
      }),
  ];
  return (
    <section className="section">
      <div className="row">
        <h2 className="grow">Roles</h2>
        <GrantButton title="Role in the hub" kind={peopleKinds.globalRoleBinding} onAsk={() => setAsked({ in: 'hub' })} />
        <GrantButton title="Role in a cluster" kind={peopleKinds.clusterBinding} onAsk={() => setAsked({ in: 'cluster' })} />
        <GrantButton title="Role in a project" kind={peopleKinds.projectBinding} onAsk={() => setAsked({ in: 'project' })} />
      </div>
      {given.length === 0 && isLoading ? (
        <Loading />
      ) : given.length === 0 ? (
        <p className="muted">Nothing was given to this person directly. Groups may have been.</p>
      ) : (
        <SmallTable
          name="Roles"
          heads={['Role', 'Where', 'Take away']}
          rows={given.map(one => [
            <code key="role">{one.role}</code>,
            one.where,
            <RevokeButton key="revoke" kind={one.kind} namespace={one.namespace} name={one.name} about={one.about} />,
          ])}
        />
      )}
      {asked && <GrantDialog place={asked} user={user} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

export function GrantButton({ title, kind, namespace, onAsk }: { title: string; kind: Kind; namespace?: string; onAsk(): void }) {
  const mayCreate = useMay({ verb: 'create', kind, namespace });
  if (!mayCreate) return null;
  return (
    <button type="button" className="button" onClick={onAsk}>
      <Icon name="add" />
      {title}
    </button>
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
          title={`${verb} ${userTitle(user, name)}`}
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
