import { useState } from 'react';
import { pathOf, resourceOf, type Kind } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useList } from '../../data/use-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { peopleKinds, userTitle, type GlobalRole, type Project, type RoleTemplate, type User } from './people-kinds.ts';
import { usePlaceNames } from './use-people.ts';

/** Where a role is given. */
export type GrantPlace = { readonly in: 'hub' } | { readonly in: 'cluster' } | { readonly in: 'project'; readonly project?: Project };

interface GrantDialogProps {
  readonly place: GrantPlace;
  /** Whom; chosen in the dialog when absent. */
  readonly user?: User;
  onClose(): void;
}

/** Gives somebody a role in the hub, in a cluster or in a project. */
export function GrantDialog({ place, user, onClose }: GrantDialogProps) {
  const { items: users } = useList<User>({ kind: peopleKinds.user });
  const { items: templates } = useList<RoleTemplate>({ kind: peopleKinds.roleTemplate });
  const { items: globals } = useList<GlobalRole>({ kind: peopleKinds.globalRole });
  const { clusters, projects, clusterName } = usePlaceNames();
  const [who, setWho] = useState(user?.metadata.name ?? '');
  const [role, setRole] = useState('');
  const [where, setWhere] = useState(place.in === 'project' && place.project ? idOf(place.project) : '');
  const roles =
    place.in === 'hub'
      ? globals.map(one => ({ id: one.metadata.name!, title: one.displayName ?? one.metadata.name! }))
      : templates
          .filter(one => one.context === place.in && one.hidden !== true && one.locked !== true)
          .map(one => ({ id: one.metadata.name!, title: one.displayName ?? one.metadata.name! }));
  const places =
    place.in === 'cluster'
      ? clusters.map(one => ({ id: one.status?.id ?? one.metadata.name!, title: one.metadata.name! }))
      : projects.map(one => ({ id: idOf(one), title: `${one.spec.displayName} on ${clusterName(one.spec.clusterName)}` }));
  const needsPlace = place.in === 'cluster' || (place.in === 'project' && !place.project);
  const { kind, namespace, body } = bindingFor(place.in, { who, role, where, projects });
  return (
    <ActionDialog
      title={user ? `Give ${userTitle(user, who)} a role` : 'Add a member'}
      verb="Give"
      isReady={who !== '' && role !== '' && (place.in === 'hub' || where !== '')}
      command={`kubectl create -f - <<< '${JSON.stringify(body)}'`}
      onDo={() => request(pathOf(kind, { namespace }), { method: 'POST', body })}
      onClose={onClose}
    >
      {!user && (
        <Choice
          label="Who"
          value={who}
          onChange={setWho}
          options={users.map(one => ({ id: one.metadata.name!, title: userTitle(one, one.metadata.name!) }))}
        />
      )}
      {needsPlace && <Choice label={place.in === 'cluster' ? 'Cluster' : 'Project'} value={where} onChange={setWhere} options={places} />}
      <Choice label="Role" value={role} onChange={setRole} options={roles} />
      <p className="muted">Nobody can give more than they have: the hub looks.</p>
    </ActionDialog>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly title: string }[];
  onChange(value: string): void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <select className="input" value={value} onChange={event => onChange(event.target.value)}>
        <option value="">Choose</option>
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
  { who, role, where: id, projects }: { who: string; role: string; where: string; projects: readonly Project[] },
): { kind: Kind; namespace: string | undefined; body: object } {
  const kind =
    where === 'hub' ? peopleKinds.globalRoleBinding : where === 'cluster' ? peopleKinds.clusterBinding : peopleKinds.projectBinding;
  const about = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
  if (where === 'hub')
    return { kind, namespace: undefined, body: { ...about, metadata: { generateName: 'grb-' }, globalRoleName: role, userName: who } };
  if (where === 'cluster')
    return {
      kind,
      namespace: id,
      body: { ...about, metadata: { generateName: 'crtb-', namespace: id }, clusterName: id, roleTemplateName: role, userName: who },
    };
  const project = projects.find(one => idOf(one) === id);
  const namespace = project?.status?.backingNamespace ?? id.split(':')[1];
  return {
    kind,
    namespace,
    body: { ...about, metadata: { generateName: 'prtb-', namespace }, projectName: id, roleTemplateName: role, userName: who },
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
