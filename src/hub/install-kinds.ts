import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CustomResourceDefinition } from '../api/builtin-kinds.ts';
import type { Kind } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { KubeClient } from '../client/kube-client.ts';

/** Tells whether a definition is the one this program would write, whatever the server has made of it. */
const digestAnnotation = 'drover.io/definition-digest';
const fieldManager = 'drover-kinds';
const defaultTimeoutMs = 60_000;
const firstPauseMs = 20;
const longestPauseMs = 500;

type Definition = KubeObject & CustomResourceDefinition;
type Declared = Pick<Kind, 'definition'>;

export interface InstallOptions {
  readonly timeoutMs?: number;
  /** Writes those definitions that are not there yet; a quicker way where the API server is at hand. */
  seed?(definitions: readonly KubeObject[], fieldManager: string): Promise<void>;
}

/** Makes the hub serve the kinds. Writes only those definitions that differ; when it returns, all are served. */
export async function installKinds(
  hub: KubeClient,
  kinds: readonly Declared[],
  signal: AbortSignal,
  { timeoutMs = defaultTimeoutMs, seed }: InstallOptions = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const definitions = kinds.map(kind => withDigest(kind.definition() as Definition));
  await seed?.(definitions, fieldManager);
  await Promise.all(definitions.map(definition => installKind(hub, definition, signal, deadline)));
}

async function installKind(hub: KubeClient, definition: Definition, signal: AbortSignal, deadline: number): Promise<void> {
  const name = definition.metadata.name!;
  let present = await hub.get(CustomResourceDefinition, { name }, { signal });
  if (present?.metadata.annotations?.[digestAnnotation] !== definition.metadata.annotations![digestAnnotation]) {
    present = await hub.apply(CustomResourceDefinition, definition, { fieldManager, signal });
  }
  // A real server takes a while for a hundred of them, and longer the more often it is asked.
  for (let pauseMs = firstPauseMs; !isEstablished(present); pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (Date.now() > deadline) throw new Error(`the hub does not serve "${name}": ${whyNot(present)}`);
    await sleep(pauseMs, undefined, { signal });
    present = await hub.get(CustomResourceDefinition, { name }, { signal });
  }
}

function withDigest(definition: Definition): Definition {
  const digest = createHash('sha256').update(JSON.stringify(definition)).digest('base64url').slice(0, 22);
  return {
    ...definition,
    metadata: { ...definition.metadata, annotations: { ...definition.metadata.annotations, [digestAnnotation]: digest } },
  };
}

function isEstablished(definition: Definition | undefined): boolean {
  return definition?.status?.conditions?.some(one => one.type === 'Established' && one.status === 'True') === true;
}

function whyNot(definition: Definition | undefined): string {
  const problem = definition?.status?.conditions?.find(one => one.status === 'False');
  return problem?.message ?? 'it was not established in time';
}
