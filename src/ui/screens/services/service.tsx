import { useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { go, PlaceLink } from '../../app/place.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { kinds, objectPlace, pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useList, useObject } from '../../data/use-list.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { DriftTab } from './drift-tab.tsx';
import { judgeService } from './judge-service.ts';
import { PlanTab } from './plan-tab.tsx';
import { RolloutTab } from './rollout-tab.tsx';
import { keyOf, kindOf, kubectlName, membersByTarget, withoutTarget } from './service-kinds.ts';
import type { Cluster, ClusterDeployment, MultiClusterService, ServiceSet } from './service-kinds.ts';
import { TopologyTab } from './topology-tab.tsx';
import { UpgradesTab } from './upgrades-tab.tsx';
import { WhereTab } from './where-tab.tsx';
import { whereRows } from './where.ts';
import '../../styles/delivery.css';

const parts = [
  { id: '', title: 'Clusters' },
  { id: 'topology', title: 'Topology' },
  { id: 'rollout', title: 'Rollout' },
  { id: 'upgrades', title: 'Upgrades' },
  { id: 'plan', title: 'What would change' },
  { id: 'drift', title: 'Drift' },
];

/** One service: where it is and why not elsewhere, how it gets there, and where it can go from here. */
export function Service() {
  const { ns = '_', name = '', '*': part = '' } = useParams<{ ns: string; name: string; '*': string }>();
  const namespace = ns === '_' ? undefined : ns;
  const kind = namespace === undefined ? kinds.multiClusterService : deliveryKinds.namespacedMultiClusterService;
  const { object: mcs, listed } = useObject<MultiClusterService>(kind, { namespace, name });
  const base = `/services/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`;
  const above = [{ title: 'Services', to: '/services' }];
  const yaml = `${objectPlace(kind, { namespace, name })}/yaml`;
  useShortcut('diff', () => go(`${base}/plan`));
  useShortcut('edit', () => go(yaml));
  if (!mcs)
    return (
      <Page title={name} above={above}>
        {listed.error ? <ErrorNote error={listed.error} about={name} /> : listed.state === 'loading' ? <Loading /> : <Gone name={name} />}
      </Page>
    );
  return (
    <Page
      title={keyOf(mcs)}
      above={above}
      isFilled={part === ''}
      beside={<StateBadge {...judgeService(mcs)} />}
      actions={
        <>
          <PlaceLink className="button" to={yaml}>
            <Icon name="edit" />
            YAML
          </PlaceLink>
          <RemoveService mcs={mcs} />
        </>
      }
    >
      <Tabs tabs={parts} current={part} base={base} />
      {listed.error && <ErrorNote error={listed.error} about={name} />}
      <Part mcs={mcs} part={part} />
    </Page>
  );
}

function Part({ mcs, part }: { mcs: MultiClusterService; part: string }) {
  const { namespace } = mcs.metadata;
  const deployments = useList<ClusterDeployment>({ kind: deliveryKinds.clusterDeployment, namespace });
  const sets = useList<ServiceSet>({ kind: deliveryKinds.serviceSet, namespace });
  const clusters = useList<Cluster>({ kind: kinds.cluster });
  const members = useMemo(() => membersByTarget(clusters.items), [clusters.items]);
  const strays = useMemo(() => (namespace === undefined ? withoutTarget(clusters.items) : []), [namespace, clusters.items]);
  const rows = useMemo(
    () => whereRows(mcs, { deployments: deployments.items, sets: sets.items, members, strays }),
    [mcs, deployments.items, sets.items, members, strays],
  );
  const error = deployments.error ?? sets.error;
  // A cluster that is not known yet must not look like one that is not there.
  const isLoading = [deployments, sets, clusters].some(one => one.state === 'loading');
  return (
    <>
      {error && <ErrorNote error={error} about="Clusters of the service" />}
      {part === '' && <WhereTab mcs={mcs} rows={rows} state={isLoading ? 'loading' : deployments.state} />}
      {part !== '' && isLoading && <Loading />}
      {part === 'topology' && !isLoading && <TopologyTab mcs={mcs} rows={rows} />}
      {part === 'rollout' && !isLoading && <RolloutTab mcs={mcs} members={members} />}
      {part === 'upgrades' && !isLoading && <UpgradesTab mcs={mcs} rows={rows} />}
      {part === 'plan' && !isLoading && <PlanTab mcs={mcs} sets={sets.items} members={members} />}
      {part === 'drift' && !isLoading && <DriftTab mcs={mcs} sets={sets.items} members={members} />}
    </>
  );
}

const Gone = ({ name }: { name: string }) => (
  <Empty title="It is not there" command="drover get mcs,nmcs -A">
    There is no service {name}. It may have been removed.
  </Empty>
);

function RemoveService({ mcs }: { mcs: MultiClusterService }) {
  const [isOpen, setOpen] = useState(false);
  const kind = kindOf(mcs);
  const { namespace, name = '' } = mcs.metadata;
  const mayRemove = useMay({ verb: 'delete', kind, namespace, name });
  const count = mcs.status?.matchingClusters?.length ?? 0;
  if (!mayRemove) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Icon name="remove" />
        Remove
      </button>
      {isOpen && (
        <ActionDialog
          title={`Remove ${keyOf(mcs)}`}
          verb="Remove"
          isDanger
          typed={count > 1 ? name : undefined}
          command={`kubectl delete ${kubectlName(mcs)}`}
          onDo={() => request(pathOf(kind, { namespace, name }), { method: 'DELETE' }).then(() => go('/services'))}
          onClose={() => setOpen(false)}
        >
          <p>
            Its releases are uninstalled from {count === 1 ? 'one cluster' : `${count} clusters`}. Where another owner waits for a release,
            it takes it over instead.
          </p>
        </ActionDialog>
      )}
    </>
  );
}
