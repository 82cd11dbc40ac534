import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { systemAuthorities } from '../client/server-agent.ts';
import { digestOf } from './digest.ts';
import type { SourceTls } from './exchange.ts';

/** Reading all authorities of the system takes a tenth of a second, so that it is not done for each connection. */
const contexts = new LRUCache<string, SecureContext>({ max: 32 });

/** Whom to trust and what to show, ready for connections. Throws when a PEM cannot be read. */
export function secureContextFor({ ca, certificate, key }: SourceTls): SecureContext {
  const name = digestOf(JSON.stringify([ca, certificate, key].map(text => text ?? null)));
  const known = contexts.get(name);
  if (known) return known;
  const made = createSecureContext({
    ca: ca === undefined ? systemAuthorities() : [...systemAuthorities(), ca],
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  });
  contexts.set(name, made);
  return made;
}
