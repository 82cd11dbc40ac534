import { lastAppliedAnnotation } from '../../../api/object.ts';
import type { Work } from '../../../api/work.ts';
import { PlaceLink } from '../../app/place.tsx';
import { objectPlace, resourceOf, type KubeObject } from '../../data/kinds.ts';
import { useServedKinds } from '../../data/use-served.ts';
import { conditionsOf, type ConditionLike } from '../../parts/conditions.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { DriftedFields } from './drifted-fields.tsx';
import { Lens } from './lens/lens.tsx';
import type { ObjectAt } from './object-place.ts';
import { NodeFacts } from './workload/node-facts.tsx';
import { PodFacts, WorkloadFacts, workloads } from './workload/workload-facts.tsx';
import { bytesOf, SecretValues } from './secret-values.tsx';

/** What every object has, and for some kinds what people look for first. */
export function ObjectFacts({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const { metadata } = object;
  const resource = resourceOf(at.kind);
  const conditions = conditionsOf(object);
  return (
    <div className="stack">
      <section className="card">
        <dl className="facts">
          <dt>Created</dt>
          <dd>
            <Time at={metadata.creationTimestamp} isAgo />
          </dd>
          <dt>Labels</dt>
          <dd>
            <Tags labels={metadata.labels} />
          </dd>
          <dt>Annotations</dt>
          <dd>
            <Annotations all={metadata.annotations} />
          </dd>
          <dt>Owned by</dt>
          <dd>
            <Owners object={object} at={at} />
          </dd>
          <dt>Uid</dt>
          <dd>
            <code>{metadata.uid}</code>
          </dd>
        </dl>
      </section>
      <Lens object={object} at={at} />
      {resource === 'pods' && <PodFacts pod={object} at={at} />}
      {workloads.has(resource) && <WorkloadFacts object={object} at={at} />}
      {conditions.length > 0 && <Conditions conditions={conditions} />}
      {resource === 'nodes' && <NodeFacts node={object} cluster={at.cluster} />}
      {resource === 'works.drover.io' && <WorkDrift work={object as unknown as Work} />}
      {resource === 'secrets' && <SecretValues secret={object} />}
      {resource === 'configmaps' && <ConfigValues object={object} />}
    </div>
  );
}

export const driftId = 'drift';

/** What others changed of what a Work delivered, and who. */
function WorkDrift({ work: { spec, status } }: { work: Work }) {
  const isWatched = spec.sync === 'DetectDrift' || spec.sync === 'CorrectDrift';
  return (
    <section className="card stack tight" id={driftId} tabIndex={-1} aria-label="Drift">
      <h2>Drift</h2>
      {status?.drift?.length ? (
        <DriftedFields drift={status.drift} />
      ) : (
        <p className="muted">
          {isWatched
            ? 'None: what was delivered is as it was delivered.'
            : 'Nobody looks for it: that is for Works whose sync is DetectDrift or CorrectDrift.'}
        </p>
      )}
    </section>
  );
}

export function Conditions({ conditions }: { conditions: readonly ConditionLike[] }) {
  return (
    <section className="card stack tight">
      <h2>Conditions</h2>
      <dl className="facts wordy">
        {conditions.map(({ type, status, reason, message, lastTransitionTime }, i) => (
          <div key={i} className="fact">
            <dt>
              <StateBadge tone={toneOf(type, status, reason)} word={`${type}: ${status}`} />
            </dt>
            <dd>
              {reason && <strong>{reason} </strong>}
              {message} <span className="muted">{lastTransitionTime && <Time at={lastTransitionTime} isAgo />}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What a machine can do, or not; neither is amiss. */
const ability = /LiveMigratable|AgentConnected/;
const abnormal = /stalled|pressure|unavailable|degraded|duplicate|drifted|failed|failure/i;

function toneOf(type: string, status: string, reason: string | undefined) {
  if (status === 'Unknown') return 'warn';
  if (ability.test(type)) return status === 'True' ? 'good' : 'idle';
  if (type === 'Outranked') return status === 'True' ? 'warn' : 'idle';
  // Of a Deployment that has arrived.
  if (reason === 'NewReplicaSetAvailable') return 'good';
  if (type === 'Reconciling' || type === 'Progressing') return status === 'True' ? 'info' : 'idle';
  return (status === 'True') === abnormal.test(type) ? 'bad' : 'good';
}

/** What is longer is folded. */
const longText = 400;

function Annotations({ all }: { all: Readonly<Record<string, string>> | undefined }) {
  const shown = Object.entries(all ?? {}).filter(([key]) => key !== lastAppliedAnnotation);
  if (shown.length === 0) return <span className="muted">–</span>;
  return (
    <ul>
      {shown.map(([key, value]) => (
        <li key={key}>
          {value.length > longText ? (
            <FoldedText name={key} text={value} />
          ) : (
            <>
              <code>{key}</code>: <bdi>{value}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function FoldedText({ name, text, isOpen = false }: { name: string; text: string; isOpen?: boolean }) {
  return (
    <details open={isOpen}>
      <summary>
        <code>{name}</code> <span className="muted">{text.length.toLocaleString()} characters</span>
      </summary>
      <pre className="text" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}

function Owners({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const owners = object.metadata.ownerReferences ?? [];
  const served = useServedKinds(owners.length > 0 ? at.cluster : undefined);
  if (owners.length === 0) return <span className="muted">–</span>;
  return owners.map(({ apiVersion, kind, name, uid }) => {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const owner = served.find(one => one.kind === kind && one.group === group);
    const text = `${kind} ${name}`;
    if (!owner) return <span key={uid}>{text}</span>;
    const namespace = owner.isNamespaced ? at.namespace : undefined;
    return (
      <PlaceLink key={uid} to={objectPlace({ ...owner, version }, { cluster: at.cluster, namespace, name })}>
        {text}
      </PlaceLink>
    );
  });
}

function ConfigValues({ object }: { object: KubeObject }) {
  const data = Object.entries((object['data'] ?? {}) as Record<string, string>);
  const binary = Object.entries((object['binaryData'] ?? {}) as Record<string, string>);
  if (data.length + binary.length === 0) return null;
  return (
    <section className="card stack tight">
      <h2>Data</h2>
      {data.map(([key, value]) => (
        <FoldedText key={key} name={key} text={value} isOpen={data.length < 4} />
      ))}
      {binary.map(([key, value]) => (
        <p key={key}>
          <code>{key}</code> <span className="muted">{bytesOf(value).toLocaleString()} bytes that are no text</span>
        </p>
      ))}
    </section>
  );
}
