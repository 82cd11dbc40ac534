import { useState } from 'react';
import { PlaceLink } from '../../app/place.tsx';
import type { Kind } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { GrantDialog, RevokeButton, type GrantPlace } from './grant.tsx';
import { isOf, peopleKinds, projectPlace, type Holder } from './people-kinds.ts';
import { usePeople, usePlaceNames } from './use-people.ts';
import { isolated } from '../../parts/isolated.ts';

interface Given {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly role: string;
  readonly where: React.ReactNode;
  readonly about: string;
}

/** What was given to a person or a group where, to give more and to take away. */
export function GivenRoles({ holder, who, none }: { holder: Holder; who: string; none: string }) {
  const { global, clusters, projects, isLoading } = usePeople();
  const { clusterName, project } = usePlaceNames();
  const [asked, setAsked] = useState<GrantPlace>();
  const isTheirs = isOf(holder);
  const given: Given[] = [
    ...global.filter(isTheirs).map(one => ({
      kind: peopleKinds.globalRoleBinding,
      namespace: undefined,
      name: one.metadata.name ?? '',
      role: one.globalRoleName,
      where: 'The hub',
      about: `${who} is no longer ${one.globalRoleName} in the hub`,
    })),
    ...clusters.filter(isTheirs).map(one => {
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
    ...projects.filter(isTheirs).map(one => {
      const found = project(one.projectName);
      const title = found
        ? `Project ${isolated(found.spec.displayName)} on ${clusterName(found.spec.clusterName)}`
        : `Project ${one.projectName}`;
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
        <p className="muted">{none}</p>
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
      {asked && <GrantDialog place={asked} holder={holder} who={who} onClose={() => setAsked(undefined)} />}
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
