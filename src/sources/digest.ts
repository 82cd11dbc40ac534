import { createHash } from 'node:crypto';

/** `sha256:` and the hash in hex. */
export const digestOf = (bytes: Uint8Array | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
