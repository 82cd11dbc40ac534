import { useState, type FormEvent } from 'react';
import { hub, kinds, pathOf, type Kind } from '../../data/kinds.ts';
import { servedKinds } from '../../data/discovery.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useList } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { quoted } from '../../parts/quoted.ts';
import { StateBadge } from '../../parts/state-badge.tsx';

const reviews: Kind = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  isNamespaced: false,
};
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

interface Answer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly question: string;
}

/** Asks the hub or a member whether somebody may do something there. */
export function WhatCan({ user, groups, who }: { user: string; groups: readonly string[]; who: string }) {
  const { items: clusters } = useList({ kind: kinds.cluster });
  const [cluster, setCluster] = useState(hub);
  const [verb, setVerb] = useState('get');
  const [resource, setResource] = useState('pods');
  const [namespace, setNamespace] = useState('');
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const mayAsk = useMay({ verb: 'create', kind: reviews });
  if (!mayAsk) return null;

  async function ask(event: FormEvent): Promise<void> {
    event.preventDefault();
    setError(undefined);
    setAnswer(undefined);
    try {
      setAnswer(await review({ cluster, user, groups, verb, resource, namespace }));
    } catch (failure) {
      setError(failure);
    }
  }

  const asFlags = [`--as ${user}`, ...groups.map(group => `--as-group ${quoted(group)}`)];
  const place = cluster === hub ? '' : `drover kubectl ${cluster} -- `;
  const command = `${place === '' ? 'kubectl ' : place}auth can-i ${verb} ${resource}${namespace ? ` -n ${namespace}` : ' -A'} ${asFlags.join(' ')}`;
  return (
    <section className="section" aria-label="What can they do?">
      <h2>
        What can <bdi>{who}</bdi> do?
      </h2>
      <form className="row" onSubmit={event => void ask(event)}>
        <select className="input small-field" aria-label="Cluster" value={cluster} onChange={event => setCluster(event.target.value)}>
          <option value={hub}>On the hub</option>
          {clusters.map(one => (
            <option key={one.metadata.name} value={one.metadata.name}>
              On {one.metadata.name}
            </option>
          ))}
        </select>
        <select className="input small-field" aria-label="Verb" value={verb} onChange={event => setVerb(event.target.value)}>
          {verbs.map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input
          className="input small-field"
          aria-label="Kind"
          value={resource}
          spellCheck={false}
          onChange={event => setResource(event.target.value)}
        />
        <input
          className="input small-field"
          aria-label="Namespace"
          placeholder="All namespaces"
          value={namespace}
          spellCheck={false}
          onChange={event => setNamespace(event.target.value)}
        />
        <button type="submit" className="button">
          Ask
        </button>
      </form>
      <div role="status">
        {answer && (
          <p className="row">
            <StateBadge tone={answer.allowed ? 'good' : 'idle'} word={answer.allowed ? 'Yes' : 'No'} />
            {answer.question}
            {answer.reason && <span className="muted">{answer.reason}</span>}
          </p>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} about="The question" />}
      <CommandLine command={command} />
    </section>
  );
}

interface Question {
  readonly cluster: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
}

async function review({ cluster, user, groups, verb, resource, namespace }: Question): Promise<Answer> {
  const wanted = resource.trim().toLowerCase();
  const [plural = '', subresource] = wanted.split('/');
  const known = (await servedKinds(cluster)).find(one =>
    [one.plural, one.kind.toLowerCase(), ...one.shortNames, `${one.plural}.${one.group}`].includes(plural),
  );
  const resourceAttributes = {
    verb,
    group: known?.group ?? '',
    resource: known?.plural ?? plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== '' && { namespace }),
  };
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: reviews.kind,
    spec: { user, groups: ['system:authenticated', ...groups], resourceAttributes },
  };
  const { status } = await request<{ status?: { allowed?: boolean; reason?: string } }>(pathOf(reviews, { cluster }), {
    method: 'POST',
    body,
  });
  const where = `${namespace ? `in namespace ${namespace}` : 'in all namespaces'} ${cluster === hub ? 'of the hub' : `of ${cluster}`}`;
  return {
    allowed: status?.allowed === true,
    reason: status?.reason ?? '',
    question: `${verb} ${known?.plural ?? plural} ${where}`,
  };
}
