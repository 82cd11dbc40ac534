import { ensureClientPki, type ClientPki, type PkiStore } from '../pki/ensure-pki.ts';

export interface SandboxCredentials extends ClientPki {
  /** To be kept, and given again to `openCredentials`. */
  readonly text: string;
}

/** The authority, the administrator and the token key of one sandbox. What is missing or about to expire is made anew. */
export function openCredentials(text: string, now: Date): SandboxCredentials {
  const parts = new Map<string, string>(text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, string>));
  const store: PkiStore = { read: name => parts.get(name), write: (name, part) => void parts.set(name, part) };
  const pki = ensureClientPki(store, now);
  return { ...pki, text: JSON.stringify(Object.fromEntries(parts)) };
}
