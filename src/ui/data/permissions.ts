import { useEffect, useReducer } from 'react';
import { isHidden } from './hub-sight.ts';
import { hub, pathOf, type Kind } from './kinds.ts';
import { request } from './request.ts';

/** What somebody is about to do. */
export interface Deed {
  readonly verb: string;
  readonly kind: Kind;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

const believedMs = 60_000;
const retryMs = 2_000;
const reviews: Kind = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  isNamespaced: false,
};

interface Answer {
  readonly askedAt: number;
  readonly promise: Promise<boolean>;
  value?: boolean;
}

const answers = new Map<string, Answer>();

export function forgetPermissions(): void {
  answers.clear();
}

/** Whether whoever is signed in may do it. Asked once a minute; what cannot be asked is not allowed, and asked again the next time. */
export function may(deed: Deed): Promise<boolean> {
  return answerFor(deed).promise;
}

/** The same for screens: undefined until it is known. */
export function useMay(deed: Deed | undefined): boolean | undefined {
  const [, again] = useReducer((n: number) => n + 1, 0);
  const key = deed && keyOf(deed);
  useEffect(() => {
    if (!deed) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void look(deed);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };

    async function look(asked: Deed): Promise<void> {
      await answerFor(asked).promise;
      if (isOver) return;
      again();
      if (answers.get(keyOf(asked))?.value === undefined) timer = setTimeout(() => void look(asked), retryMs);
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
  }, [key]);
  return key === undefined ? undefined : answers.get(key)?.value;
}

function answerFor(deed: Deed): Answer {
  const key = keyOf(deed);
  const known = answers.get(key);
  if (known && Date.now() - known.askedAt < believedMs) return known;
  const promise = ask(deed).then(
    value => (answer.value = value),
    () => {
      if (answers.get(key) === answer) answers.delete(key);
      return false;
    },
  );
  const answer: Answer = { askedAt: Date.now(), promise, ...(known?.value !== undefined && { value: known.value }) };
  answers.set(key, answer);
  return answer;
}

async function ask({ verb, kind, cluster = hub, namespace, name, subresource }: Deed): Promise<boolean> {
  if (isHidden(cluster)) return false;
  const { group, version, plural: resource } = kind;
  const attributes = { verb, group, version, resource, namespace, name, subresource };
  const answer = await request<{ status?: { allowed?: boolean } }>(pathOf(reviews, { cluster }), {
    method: 'POST',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: reviews.kind, spec: { resourceAttributes: attributes } },
  });
  return answer.status?.allowed === true;
}

const keyOf = ({ verb, kind, cluster, namespace, name, subresource }: Deed): string =>
  [cluster, verb, kind.group, kind.plural, namespace, name, subresource].join(' ');
