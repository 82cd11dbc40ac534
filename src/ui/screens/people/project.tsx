import { useParams } from 'wouter';
import { PlaceLink } from '../../app/place.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { useList, useObject } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { ObjectState } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { Members } from './members.tsx';
import { peopleKinds, type Project } from './people-kinds.ts';
import { usePeople, usePlaceNames } from './use-people.ts';
import '../../styles/delivery.css';

const annotation = 'field.cattle.io/projectId';

/** One project: its namespaces and its members. */
export function ProjectScreen() {
  const { cluster: id = '', name = '' } = useParams<{ cluster: string; name: string }>();
  const { object: project, listed } = useObject<Project>(peopleKinds.project, { namespace: id, name });
  const { clusterName } = usePlaceNames();
  const above = [
    { title: 'Users and projects', to: '/people' },
    { title: 'Projects', to: '/people/projects' },
  ];
  if (!project)
    return (
      <Page title={name} above={above}>
        {listed.error ? (
          <ErrorNote error={listed.error} about={name} />
        ) : listed.state === 'loading' ? (
          <Loading />
        ) : (
          <Empty title="There is no such project" command="kubectl get projects.management.cattle.io -A">
            It may have been deleted meanwhile, or its cluster has left.
          </Empty>
        )}
      </Page>
    );
  const cluster = clusterName(id);
  return (
    <Page
      title={project.spec.displayName}
      above={above}
      beside={
        <span className="muted">
          on <PlaceLink to={`/clusters/${encodeURIComponent(cluster)}`}>{cluster}</PlaceLink>
        </span>
      }
      actions={
        <PlaceLink className="button" to={`${objectPlace(peopleKinds.project, { namespace: id, name })}/yaml`}>
          <Icon name="edit" />
          YAML
        </PlaceLink>
      }
    >
      {project.spec.description && <p>{project.spec.description}</p>}
      <ProjectMembers project={project} />
      <Namespaces project={project} cluster={cluster} />
    </Page>
  );
}

function ProjectMembers({ project }: { project: Project }) {
  const { projects, isLoading } = usePeople();
  const id = `${project.metadata.namespace}:${project.metadata.name}`;
  return (
    <Members
      kind={peopleKinds.projectBinding}
      members={projects.filter(one => one.projectName === id)}
      isLoading={isLoading}
      place={{ in: 'project', project }}
      title={project.spec.displayName}
      namespace={project.status?.backingNamespace ?? project.metadata.name}
      none="Nobody was given a role in this project. Those who own the cluster may do everything in it."
    />
  );
}

function Namespaces({ project, cluster }: { project: Project; cluster: string }) {
  const { items, error, state } = useList({ cluster, kind: kinds.namespace });
  const id = `${project.metadata.namespace}:${project.metadata.name}`;
  const own = items.filter(one => one.metadata.annotations?.[annotation] === id);
  return (
    <section className="section">
      <h2>Namespaces</h2>
      {error && <ErrorNote error={error} about={`Namespaces of ${cluster}`} />}
      {state === 'loading' && <Loading />}
      {own.length === 0 && state === 'live' && <p className="muted">It has no namespaces.</p>}
      {own.length > 0 && (
        <SmallTable
          name="Namespaces"
          heads={['Name', 'State', 'Age']}
          rows={own.map(one => [
            <PlaceLink key="name" to={objectPlace(kinds.namespace, { cluster, name: one.metadata.name })}>
              <bdi>{one.metadata.name}</bdi>
            </PlaceLink>,
            <ObjectState key="state" object={one} />,
            <Time key="age" at={one.metadata.creationTimestamp} />,
          ])}
        />
      )}
    </section>
  );
}
