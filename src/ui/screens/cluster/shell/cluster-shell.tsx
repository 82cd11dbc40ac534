import { useEffect, useState } from 'react';
import type { Cluster } from '../../../../api/cluster.ts';
import { beforeSignOut } from '../../../data/session.ts';
import { idOf } from '../../clusters/cluster-kind.ts';
import { NoShell } from './no-shell.tsx';
import { OpenShell } from './open-shell.tsx';
import { runsContainers } from './runs-containers.ts';
import { ShellForm, type FormValues } from './shell-form.tsx';
import { shellName } from './shell-pod.ts';
import { beginShell, type ShellSession } from './shell-session.ts';

const newName = () => shellName(crypto.getRandomValues(new Uint8Array(8)));

/** A terminal in which kubectl works against a cluster, as whoever opened it. Nothing is made before they ask for it. */
export function ClusterShell({ cluster }: { cluster: Cluster }) {
  const name = cluster.metadata.name!;
  const [podName, setPodName] = useState(newName);
  const [values, setValues] = useState<FormValues>({});
  const [session, setSession] = useState<ShellSession>();
  useEffect(() => {
    if (!session) return;
    const end = () => void session.end();
    const stay = beforeSignOut(session.end);
    window.addEventListener('pagehide', end);
    return () => {
      window.removeEventListener('pagehide', end);
      stay();
      end();
    };
  }, [session]);
  if (!runsContainers(cluster)) return <NoShell cluster={name} />;
  if (session)
    return (
      <OpenShell
        key={session.at.name}
        session={session}
        onClose={() => {
          setPodName(newName());
          setSession(undefined);
        }}
      />
    );
  return (
    <ShellForm
      cluster={name}
      podName={podName}
      values={values}
      onChange={setValues}
      onOpen={wish => setSession(beginShell({ cluster: name, clusterId: idOf(cluster), wish }))}
    />
  );
}
