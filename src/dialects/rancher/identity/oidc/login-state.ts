import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../../util/json.ts';

/** What is remembered between sending somebody to the provider and their return, by their browser and nobody else. */
export interface LoginState {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. */
  readonly verifier: string;
  /** Path of the hub to go to afterwards. */
  readonly backTo: string;
  readonly endsAtMs: number;
}

const lifetimeMs = 10 * 60_000;
const cipherName = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

export const newLoginState = (backTo: string, nowMs: number): LoginState => ({
  state: randomText(),
  nonce: randomText(),
  verifier: randomText(),
  backTo,
  endsAtMs: nowMs + lifetimeMs,
});

const randomText = () => randomBytes(32).toString('base64url');

/** S256 of RFC 7636. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Made from the hub's own key: any replica can read what another has sealed, also after a restart. */
export const stateKey = (authorityKey: string): Buffer => createHmac('sha256', authorityKey).update('drover oidc login').digest();

/** Only the hub can read it, or make it. */
export function sealState(state: LoginState, key: Buffer): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, key, iv, { authTagLength: tagBytes });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(state)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Undefined when it was not sealed by the hub, or too long ago. */
export function openState(text: string, key: Buffer, nowMs: number): LoginState | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= ivBytes + tagBytes || bytes.length > 4096) return undefined;
  try {
    const cipher = createDecipheriv(cipherName, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    cipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const plain = Buffer.concat([cipher.update(bytes.subarray(ivBytes + tagBytes)), cipher.final()]);
    const state: unknown = JSON.parse(plain.toString('utf8'));
    return isJsonObject(state) && isLoginState(state) && state.endsAtMs > nowMs ? state : undefined;
  } catch {
    return undefined;
  }
}

function isLoginState(value: JsonObject): value is JsonObject & LoginState {
  const { state, nonce, verifier, backTo, endsAtMs } = value;
  return [state, nonce, verifier, backTo].every(part => typeof part === 'string') && typeof endsAtMs === 'number';
}

export function isSameState(given: string, { state }: LoginState): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(state)];
  return a.length === b.length && timingSafeEqual(a, b);
}
