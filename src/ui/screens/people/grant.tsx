import { useState } from 'react';
import { pathOf, resourceOf, type Kind } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useList } from '../../data/use-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { quoted } from '../../parts/quoted.ts';
import { peopleKinds, userTitle, type GlobalRole, type Holder, type Project, type RoleTemplate, type User } from './people-kinds.ts';
import { useGroups, usePlaceNames } from './use-people.ts';
import { isolated } from '../../parts/isolated.ts';

/** Where a role is given. */
export type GrantPlace =
  { readonly in: 'hub' } | { readonly in: 'cluster'; readonly cluster?: string } | { readonly in: 'project'; readonly project?: Project };

interface GrantDialogProps {
  readonly place: GrantPlace;
  /** Whom; chosen in the dialog when absent. */
  readonly holder?: Holder;
  /** What they are called. */
  readonly who?: string;
  onClose(): void;
}

/** Gives somebody a role in the hub, in a cluster or in a project. */
export function GrantDialog({ place, holder, who, onClose }: GrantDialogProps) {
  const { items: templates } = useList<RoleTemplate>({ kind: peopleKinds.roleTemplate });
  const { items: globals } = useList<GlobalRole>({ kind: peopleKinds.globalRole });
  const { clusters, projects, clusterName } = usePlaceNames();
  const [chosen, setChosen] = useState(holder);
  const [role, setRole] = useState('');
  const given = givenPlace(place);
  const [where, setWhere] = useState(given ?? '');
  const roles =
    place.in === 'hub'
      ? globals.map(one => ({ id: one.metadata.name!, title: one.displayName ?? one.metadata.name! }))
      : templates
          .filter(one => one.context === place.in && one.hidden !== true && one.locked !== true)
          .map(one => ({ id: one.metadata.name!, title: one.displayName ?? one.metadata.name! }));
  const places =
    place.in === 'cluster'
      ? clusters.map(one => ({ id: one.status?.id ?? one.metadata.name!, title: one.metadata.name! }))
      : projects.map(one => ({ id: idOf(one), title: `${isolated(one.spec.displayName)} on ${clusterName(one.spec.clusterName)}` }));
  const needsPlace = place.in !== 'hub' && given === undefined;
  const { kind, namespace, body } = bindingFor(place.in, { holder: chosen, role, where, projects });
  return (
    <ActionDialog
      title={holder ? `Give ${who} a role` : given === undefined ? 'Give a role' : 'Add a member'}
      verb="Give"
      isReady={chosen !== undefined && role !== '' && (place.in === 'hub' || where !== '')}
      command={`kubectl create -f - <<< ${quoted(JSON.stringify(body))}`}
      onDo={() => request(pathOf(kind, { namespace }), { method: 'POST', body })}
      onClose={onClose}
    >
      {!holder && <HolderChoice onChange={setChosen} />}
      {needsPlace && <Choice label={place.in === 'cluster' ? 'Cluster' : 'Project'} value={where} onChange={setWhere} options={places} />}
      <Choice label="Role" value={role} onChange={setRole} options={roles} />
      <p className="muted">Nobody can give more than they have: the hub looks.</p>
    </ActionDialog>
  );
}

/** The id of the cluster or project that is meant already. */
function givenPlace(place: GrantPlace): string | undefined {
  if (place.in === 'project') return place.project && idOf(place.project);
  return place.in === 'cluster' ? place.cluster : undefined;
}

const anotherGroup = 'another group';

/** A person or a group; a group that nobody here has been seen in yet is named as its provider names it. */
function HolderChoice({ onChange }: { onChange(holder: Holder | undefined): void }) {
  const { items: users } = useList<User>({ kind: peopleKinds.user });
  const { groups } = useGroups();
  const [value, setValue] = useState('');
  const [named, setNamed] = useState('');

  function choose(next: string, name: string): void {
    setValue(next);
    setNamed(name);
    const [kind, ...rest] = next.split(' ');
    const group = next === anotherGroup ? name.trim() : rest.join(' ');
    onChange(kind === 'user' ? { userName: group } : group === '' ? undefined : { groupPrincipalName: group });
  }

  const options = [
    ...users.map(one => ({ id: `user ${one.metadata.name}`, title: userTitle(one, one.metadata.name!) })),
    ...groups.map(one => ({ id: `group ${one.name}`, title: `Group ${one.name}` })),
    { id: anotherGroup, title: '… another group' },
  ];
  return (
    <>
      <Choice label="Who" value={value} onChange={next => choose(next, named)} options={options} />
      {value === anotherGroup && (
        <label className="field">
          <span className="label">Group, as its provider names it</span>
          <input
            className="input"
            value={named}
            placeholder="genericoidc_group://developers"
            autoComplete="off"
            spellCheck={false}
            onChange={event => choose(anotherGroup, event.target.value)}
          />
        </label>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** What no choice means. */
  readonly none?: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly title: string }[];
  onChange(value: string): void;
}

export function Choice({ label, none = 'Choose', value, options, onChange }: ChoiceProps) {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <select className="input" value={value} onChange={event => onChange(event.target.value)}>
        <option value="">{none}</option>
        {options
          .toSorted((a, b) => a.title.localeCompare(b.title))
          .map(one => (
            <option key={one.id} value={one.id}>
              {one.title}
            </option>
          ))}
      </select>
    </label>
  );
}

const idOf = ({ metadata }: Project): string => `${metadata.namespace}:${metadata.name}`;

function bindingFor(
  where: GrantPlace['in'],
  { holder, role, where: id, projects }: { holder: Holder | undefined; role: string; where: string; projects: readonly Project[] },
): { kind: Kind; namespace: string | undefined; body: object } {
  const kind =
    where === 'hub' ? peopleKinds.globalRoleBinding : where === 'cluster' ? peopleKinds.clusterBinding : peopleKinds.projectBinding;
  const about = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
  if (where === 'hub')
    return { kind, namespace: undefined, body: { ...about, metadata: { generateName: 'grb-' }, globalRoleName: role, ...holder } };
  if (where === 'cluster')
    return {
      kind,
      namespace: id,
      body: { ...about, metadata: { generateName: 'crtb-', namespace: id }, clusterName: id, roleTemplateName: role, ...holder },
    };
  const project = projects.find(one => idOf(one) === id);
  const namespace = project?.status?.backingNamespace ?? id.split(':')[1];
  return {
    kind,
    namespace,
    body: { ...about, metadata: { generateName: 'prtb-', namespace }, projectName: id, roleTemplateName: role, ...holder },
  };
}

/** Takes a role away again. */
export function RevokeButton({ kind, namespace, name, about }: { kind: Kind; namespace: string | undefined; name: string; about: string }) {
  const [isOpen, setOpen] = useState(false);
  const mayDelete = useMay({ verb: 'delete', kind, namespace, name });
  if (!mayDelete) return null;
  return (
    <>
      <button
        type="button"
        className="button bare icon-only"
        aria-label={`Take away: ${about}`}
        title="Take away"
        onClick={() => setOpen(true)}
      >
        <Icon name="remove" />
      </button>
      {isOpen && (
        <ActionDialog
          title="Take a role away"
          verb="Take away"
          isDanger
          command={`kubectl delete ${resourceOf(kind)} ${name}${namespace === undefined ? '' : ` -n ${namespace}`}`}
          onDo={() => request(pathOf(kind, { namespace, name }), { method: 'DELETE' })}
          onClose={() => setOpen(false)}
        >
          <p>{about}. It works at once, also for what is open.</p>
        </ActionDialog>
      )}
    </>
  );
}
