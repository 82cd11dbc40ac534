import { log } from '../runtime/log.ts';
import { isFor, renewalTime, type AgentIdentity } from './agent-identity.ts';
import { AgentStoppedError, HubRefusedError } from './hub-errors.ts';
import type { HubLink } from './hub-link.ts';
import type { IdentityStore } from './identity-store.ts';
import { register, renew, type Registration } from './register.ts';

export interface IdentityKeeperOptions extends Registration {
  readonly identities: IdentityStore;
  /** For the first time, and when the hub does not know the identity any more. */
  readonly token?: string | undefined;
}

/** The identity of this agent: read, registered, and renewed before it ends. It is kept before it is used. */
export class IdentityKeeper {
  readonly #options: IdentityKeeperOptions;
  #present: AgentIdentity | undefined;
  #mustRegister = false;
  #isFresh = false;

  constructor(options: IdentityKeeperOptions) {
    this.#options = options;
  }

  get present(): AgentIdentity | undefined {
    return this.#present;
  }

  /** Whether the present identity came from the token and has not opened a tunnel yet. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** The hub has accepted it. */
  confirm(): void {
    this.#isFresh = false;
  }

  /** The hub has refused it: the next one comes from the token. */
  forget(): void {
    this.#present = undefined;
    this.#mustRegister = true;
  }

  /** `now` is the time of the hub. */
  async current(link: HubLink, now: Date, signal: AbortSignal): Promise<AgentIdentity> {
    this.#present ??= this.#mustRegister ? undefined : await this.#load(signal);
    if (!this.#present) return this.#register(link, signal);
    await this.renewIfDue(link, now, signal);
    return this.#present;
  }

  /** A renewal that fails is tried again later: there is a third of a life left for it. */
  async renewIfDue(link: HubLink, now: Date, signal: AbortSignal): Promise<void> {
    const present = this.#present;
    if (!present || now < renewalTime(present)) return;
    try {
      const renewed = await renew(link, this.#options, present, now, signal);
      await this.#options.identities.save(renewed, signal);
      this.#present = renewed;
      log.info('identity renewed', { cluster: renewed.clusterId });
    } catch (err) {
      if (!signal.aborted) log.warn('cannot renew the identity', { cluster: present.clusterId, err });
    }
  }

  async #load(signal: AbortSignal): Promise<AgentIdentity | undefined> {
    const { identities, server, token } = this.#options;
    const kept = await identities.load(signal);
    return kept && isFor(kept, { server, token }) ? kept : undefined;
  }

  async #register(link: HubLink, signal: AbortSignal): Promise<AgentIdentity> {
    const { token, identities } = this.#options;
    if (token === undefined) throw new AgentStoppedError('the agent has not registered yet and has no token to do so');
    const identity = await register(link, this.#options, token, signal).catch((error: unknown) => {
      // There is nothing else to try than the token.
      throw error instanceof HubRefusedError && error.status === 401 ? new AgentStoppedError(error.message) : error;
    });
    await identities.save(identity, signal);
    log.info('registered', { cluster: identity.clusterId });
    this.#present = identity;
    this.#mustRegister = false;
    this.#isFresh = true;
    return identity;
  }
}
