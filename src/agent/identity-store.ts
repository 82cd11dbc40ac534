import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Secret } from '../api/builtin-kinds.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { writeFileAtomic } from '../util/write-file-atomic.ts';
import { parseIdentity, type AgentIdentity, type IdentityFields } from './agent-identity.ts';
import { makeFolder } from '../util/make-folder.ts';

/** Where an agent keeps its identity between runs. */
export interface IdentityStore {
  /** Undefined when there is none that can be used. */
  load(signal: AbortSignal): Promise<AgentIdentity | undefined>;
  save(identity: AgentIdentity, signal: AbortSignal): Promise<void>;
}

export const identitySecretName = 'drover-agent-identity';

/** In a Secret of the member, beside the agent: it survives the pod, and only those who own the member can read it. */
export function secretIdentityStore(member: KubeClient, namespace: string): IdentityStore {
  return {
    async load(signal) {
      const secret = await member.get(Secret, { namespace, name: identitySecretName }, { signal });
      const data = Object.entries(secret?.data ?? {});
      return parseIdentity(Object.fromEntries(data.map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')])));
    },
    async save(identity, signal) {
      const data = Object.fromEntries(
        Object.entries(identity).map(([name, value]) => [name, Buffer.from(String(value)).toString('base64')]),
      );
      const metadata = { name: identitySecretName, namespace, labels: { 'app.kubernetes.io/managed-by': 'drover' } };
      await member.apply(Secret, { metadata, type: 'Opaque', data }, { signal, fieldManager: 'drover-agent' });
    },
  };
}

/** In a file that only its owner can read, for an agent that runs as a plain process. */
export function fileIdentityStore(file: string): IdentityStore {
  return {
    async load() {
      try {
        return parseIdentity(JSON.parse(readFileSync(file, 'utf8')) as IdentityFields);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
        throw new Error(`cannot read the identity of the agent in "${file}"`, { cause: error });
      }
    },
    async save(identity) {
      makeFolder(dirname(file));
      writeFileAtomic(file, `${JSON.stringify(identity, undefined, 2)}\n`, 0o600);
    },
  };
}
