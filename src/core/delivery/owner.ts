import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { workAnnotations } from '../../api/work.ts';

/** Whom an object of a member belongs to: a release, marked as Helm marks it, or a Work (namespace/name) that delivers without Helm. */
export type Owner = { readonly release: { readonly name: string; readonly namespace: string } } | { readonly work: string };

const releaseName = 'meta.helm.sh/release-name';
const releaseNamespace = 'meta.helm.sh/release-namespace';

interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

function marksOf(owner: Owner): Marks {
  if ('work' in owner) return { labels: {}, annotations: { [workAnnotations.work]: owner.work } };
  const { name, namespace } = owner.release;
  return {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { [releaseName]: name, [releaseNamespace]: namespace },
  };
}

/** The object with the marks of its owner. */
export function withOwner<T extends KubeObject>(obj: T, owner: Owner): T {
  const { labels, annotations } = marksOf(owner);
  const { metadata } = obj;
  return {
    ...obj,
    metadata: {
      ...metadata,
      ...(Object.keys(labels).length > 0 && { labels: { ...metadata.labels, ...labels } }),
      annotations: { ...metadata.annotations, ...annotations },
    },
  };
}

export function belongsTo({ labels, annotations }: ObjectMeta, owner: Owner): boolean {
  const marks = marksOf(owner);
  return has(labels, marks.labels) && has(annotations, marks.annotations);
}

function has(present: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => present[key] === value);
}

/** Whether a release or a Work delivers the object, whichever. */
export function isDelivered({ annotations = {} }: ObjectMeta): boolean {
  return annotations[workAnnotations.work] !== undefined || annotations[releaseName] !== undefined;
}

/** Whom an object belongs to, for messages: `release "shop/web"`, `Work "c-m-1/web"`, or nobody. */
export function ownerText({ annotations = {} }: ObjectMeta): string {
  const release = annotations[releaseName];
  if (release !== undefined) return `release "${annotations[releaseNamespace] ?? ''}/${release}"`;
  const work = annotations[workAnnotations.work];
  return work === undefined ? 'nobody that is known' : `Work "${work}"`;
}
