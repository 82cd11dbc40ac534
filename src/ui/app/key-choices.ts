import { useSyncExternalStore } from 'react';
import { getPerson } from '../data/session.ts';
import { parseKeyChoices, type KeyChoices } from './key-actions.ts';

/* Which keys somebody chose, kept in the browser for each person. */

const listeners = new Set<() => void>();
let known: { readonly text: string | null; readonly choices: KeyChoices } = { text: null, choices: {} };

const storageKey = (): string => `drover-keys ${getPerson()?.id ?? ''}`;

export function getKeyChoices(): KeyChoices {
  const text = localStorage.getItem(storageKey());
  if (text !== known.text) known = { text, choices: parseKeyChoices(text) };
  return known.choices;
}

export const useKeyChoices = (): KeyChoices => useSyncExternalStore(subscribe, getKeyChoices);

export function setKeyChoices(choices: KeyChoices): void {
  if (Object.keys(choices).length === 0) localStorage.removeItem(storageKey());
  else localStorage.setItem(storageKey(), JSON.stringify(choices));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab of the same person.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
