import { kinds, objectPlace, resourceOf, type KubeObject } from '../../../data/kinds.ts';
import { PlaceLink } from '../../../app/place.tsx';
import { Tags } from '../../../parts/tags.tsx';
import { Time } from '../../../parts/time.tsx';
import type { ObjectAt } from '../object-place.ts';
import { selectorOf } from '../selector-of.ts';
import { ContainerTable } from './container-table.tsx';
import { PodsCard } from './pods-card.tsx';
import { podSpecOf, workloadFacts, type PodSpec, type PodStatus, type WorkloadSpec, type WorkloadStatus } from './workload-shape.ts';

/** Kinds that keep pods. */
export const workloads: ReadonlySet<string> = new Set([
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'jobs.batch',
  'cronjobs.batch',
]);

/** How far a workload is, what its pods are made of, and the pods. */
export function WorkloadFacts({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const spec = (object['spec'] ?? {}) as WorkloadSpec;
  const status = (object['status'] ?? {}) as WorkloadStatus;
  const podSpec = podSpecOf(spec);
  const labelSelector = selectorOf(object);
  return (
    <>
      <section className="card">
        <dl className="facts">
          {workloadFacts(resourceOf(at.kind), spec, status).map(({ title, value }) => (
            <div key={title} className="fact">
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {status.lastScheduleTime && (
            <>
              <dt>Last started</dt>
              <dd>
                <Time at={status.lastScheduleTime} isAgo />
              </dd>
            </>
          )}
          <PodSpecFacts spec={podSpec ?? {}} />
        </dl>
      </section>
      {podSpec && <ContainerTable spec={podSpec} />}
      {labelSelector !== undefined && (
        <PodsCard cluster={at.cluster} namespace={at.namespace} labelSelector={labelSelector} empty="It has no pods now." />
      )}
    </>
  );
}

/** Where a pod runs, how it is, and its containers. */
export function PodFacts({ pod, at }: { pod: KubeObject; at: ObjectAt }) {
  const spec = (pod['spec'] ?? {}) as PodSpec;
  const status = (pod['status'] ?? {}) as PodStatus;
  const { podIP, qosClass, reason, message, containerStatuses = [], initContainerStatuses = [] } = status;
  return (
    <>
      <section className="card">
        <dl className="facts">
          <dt>Node</dt>
          <dd>
            {spec.nodeName === undefined ? (
              <span className="muted">None yet</span>
            ) : (
              <PlaceLink to={objectPlace(kinds.node, { cluster: at.cluster, name: spec.nodeName })}>{spec.nodeName}</PlaceLink>
            )}
          </dd>
          <dt>Address</dt>
          <dd>{podIP ?? <span className="muted">None yet</span>}</dd>
          {qosClass !== undefined && (
            <>
              <dt>Quality of service</dt>
              <dd>{qosClass}</dd>
            </>
          )}
          {(reason !== undefined || message !== undefined) && (
            <>
              <dt>Why</dt>
              <dd>
                {reason && <strong>{reason} </strong>}
                {message}
              </dd>
            </>
          )}
          <PodSpecFacts spec={spec} />
        </dl>
      </section>
      <ContainerTable spec={spec} statuses={[...initContainerStatuses, ...containerStatuses]} />
    </>
  );
}

function PodSpecFacts({ spec: { serviceAccountName, nodeSelector, priorityClassName } }: { spec: PodSpec }) {
  return (
    <>
      {serviceAccountName !== undefined && (
        <>
          <dt>Acts as</dt>
          <dd>{serviceAccountName}</dd>
        </>
      )}
      {priorityClassName !== undefined && (
        <>
          <dt>Priority</dt>
          <dd>{priorityClassName}</dd>
        </>
      )}
      {nodeSelector !== undefined && (
        <>
          <dt>Only on nodes</dt>
          <dd>
            <Tags labels={nodeSelector} />
          </dd>
        </>
      )}
    </>
  );
}
