import { useState } from 'react';
import { PlaceLink } from '../../app/place.tsx';
import type { Kind, KubeObject } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { isolated } from '../../parts/isolated.ts';
import { Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { GrantButton } from './given-roles.tsx';
import { GrantDialog, RevokeButton, type GrantPlace } from './grant.tsx';
import { groupOf, groupPlace, holderOf, peopleKinds, userPlace, type Binding, type User } from './people-kinds.ts';

interface MembersProps {
  readonly kind: Kind;
  readonly members: readonly (KubeObject & Binding & { readonly roleTemplateName: string })[];
  readonly isLoading: boolean;
  /** Where their roles count. */
  readonly place: GrantPlace;
  readonly title: string;
  /** Of what binds them. */
  readonly namespace: string | undefined;
  /** What it means that there are none. */
  readonly none: string;
}

/** Who was given a role in a cluster or a project, to give more and to take away. */
export function Members({ kind, members, isLoading, place, title, namespace, none }: MembersProps) {
  const { items: users } = useList<User>({ kind: peopleKinds.user });
  const [isAdding, setAdding] = useState(false);
  const byId = new Map(users.map(one => [one.metadata.name ?? '', one]));
  return (
    <section className="section">
      <div className="row">
        <h2 className="grow">Members</h2>
        <GrantButton title="Add a member" kind={kind} {...(namespace !== undefined && { namespace })} onAsk={() => setAdding(true)} />
      </div>
      {members.length === 0 && isLoading ? (
        <Loading />
      ) : members.length === 0 ? (
        <p className="muted">{none}</p>
      ) : (
        <SmallTable
          name="Members"
          heads={['Who', 'Role', 'Since', 'Take away']}
          rows={members.map(one => {
            const who = holderOf(one, byId);
            const { namespace: within, name = '', creationTimestamp } = one.metadata;
            return [
              <Holder key="who" binding={one} who={who} />,
              <code key="role">{one.roleTemplateName}</code>,
              <Time key="since" at={creationTimestamp} isAgo />,
              <RevokeButton
                key="revoke"
                kind={kind}
                namespace={within}
                name={name}
                about={`${isolated(who)} is no longer ${one.roleTemplateName} in ${isolated(title)}`}
              />,
            ];
          })}
        />
      )}
      {isAdding && <GrantDialog place={place} onClose={() => setAdding(false)} />}
    </section>
  );
}

function Holder({ binding, who }: { binding: Binding; who: string }) {
  const group = groupOf(binding);
  if (!binding.userName && group === undefined) return who;
  return (
    <PlaceLink to={binding.userName ? userPlace(binding.userName) : groupPlace(group!)}>
      <bdi>{who}</bdi>
    </PlaceLink>
  );
}
