import type { KubeClient } from '../../src/client/kube-client.ts';
import { openMember, type Member } from '../../src/core/delivery/member.ts';
import { deliverRelease } from '../../src/core/releases/deliver-release.ts';
import type { ReleaseKey } from '../../src/core/releases/helm-release.ts';
import { readReleases } from '../../src/core/releases/read-releases.ts';
import { ReleaseError } from '../../src/core/releases/release-error.ts';
import type { ReleaseContext } from '../../src/core/releases/release-input.ts';
import { updateRecord } from '../../src/core/releases/release-store.ts';
import { uninstallRelease } from '../../src/core/releases/uninstall-release.ts';
import type { Failpoint } from '../../src/runtime/failpoint.ts';
import type { DeliveryOptions } from '../../src/api/work.ts';
import { chartInput, configMap, hookJob, type ChartFiles } from './release-rig.ts';

/** Something that is done to a release, and what must be there before. */
export interface KillScenario {
  prepare(place: Place): Promise<void>;
  deed(place: Place): Promise<void>;
  /** Where the deed is done already, and only nobody has heard of it: asked for again it would be done again. */
  readonly isDoneAt?: readonly Failpoint[];
}

export interface Place {
  readonly member: Member;
  readonly release: ReleaseKey;
  readonly ctx: ReleaseContext;
}

export function placeIn(client: KubeClient, namespace: string, signal: AbortSignal): Place {
  return { member: openMember('sandbox', client, { signal }), release: { name: 'web', namespace }, ctx: { signal, now: () => new Date() } };
}

const deployment = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'front' },
  spec: {
    selector: { matchLabels: { app: 'front' } },
    template: { metadata: { labels: { app: 'front' } }, spec: { containers: [{ name: 'front', image: 'nginx' }] } },
  },
});

/** A definition of its own for every namespace: it belongs to the whole cluster and would be there the second time. */
function definitionIn(namespace: string): string {
  const group = `${namespace}.example.com`;
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `piers.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'piers', singular: 'pier', kind: 'Pier' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
}

const hooks: ChartFiles = {
  'templates/h1.yaml': hookJob('early', 'pre-install,pre-upgrade', { weight: -1, policy: 'hook-succeeded' }),
  'templates/h2.yaml': hookJob('both', 'pre-install,post-install,pre-upgrade,post-upgrade'),
  'templates/h3.yaml': hookJob('leave', 'pre-delete'),
  'templates/h4.yaml': hookJob('left', 'post-delete', { policy: 'before-hook-creation,hook-succeeded' }),
  'templates/h5.yaml': hookJob('back', 'pre-rollback,post-rollback'),
};
const first: ChartFiles = {
  ...hooks,
  'templates/a.yaml': configMap('a', { x: '1', y: '1' }),
  'templates/b.yaml': configMap('b'),
  'templates/d.yaml': deployment,
};
const second: ChartFiles = {
  ...hooks,
  'templates/a.yaml': configMap('a', { x: '2' }),
  'templates/c.yaml': configMap('c'),
  'templates/d.yaml': deployment,
};
const bad = (files: ChartFiles, event: string): ChartFiles => ({
  ...files,
  'templates/z.yaml': hookJob('bad', event, { fails: true, weight: 9, policy: 'hook-failed' }),
});

async function deliver({ member, release, ctx }: Place, files: ChartFiles, options: DeliveryOptions = {}): Promise<void> {
  await deliverRelease(member, chartInput(member, { files, release, options }), ctx);
}

/** What a release that failed says is the end of the deed, as good as any. */
async function toItsEnd(deed: Promise<void>): Promise<void> {
  await deed.catch((error: unknown) => {
    if (!(error instanceof ReleaseError)) throw error;
  });
}

export const killScenarios: Readonly<Record<string, KillScenario>> = {
  install: {
    prepare: async () => {},
    deed: place => deliver(place, { ...first, 'crds/pier.yaml': definitionIn(place.release.namespace) }),
  },
  upgrade: {
    async prepare(place) {
      await deliver(place, first);
      await deliver(place, { ...first, 'templates/e.yaml': configMap('e') });
    },
    deed: place => deliver(place, second, { history: 2 }),
  },
  'atomic-upgrade': {
    prepare: place => deliver(place, first),
    isDoneAt: ['releases.afterUndo'],
    deed: place => toItsEnd(deliver(place, bad(second, 'post-upgrade'), { atomic: true })),
  },
  'atomic-install': {
    prepare: async () => {},
    isDoneAt: ['releases.afterPurgeOne', 'releases.afterPurge', 'releases.afterUndo'],
    deed: place => toItsEnd(deliver(place, bad(first, 'post-install'), { atomic: true })),
  },
  uninstall: {
    async prepare(place) {
      await deliver(place, first);
      await deliver(place, second);
    },
    async deed({ member, release, ctx }) {
      await uninstallRelease(member, release, {}, ctx);
    },
  },
  'take-over': {
    async prepare(place) {
      const { member, release, ctx } = place;
      await deliver(place, first);
      await deliver(place, { ...first, 'templates/e.yaml': configMap('e') });
      // As a program that knows nothing of us would have left it.
      for (const record of await readReleases(member, release, ctx)) {
        const status = record.release.revision === 1 ? 'deployed' : 'pending-upgrade';
        const left = { ...record.release, status, lastDeployedAt: '2026-01-01T00:00:00Z' } as const;
        await updateRecord(member, { ...record, progress: undefined, release: left }, ctx);
      }
    },
    deed: place => deliver(place, second),
  },
};
