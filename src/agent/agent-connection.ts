import { randomUUID } from 'node:crypto';
import type { Transport } from '../client/transport.ts';
import { log } from '../runtime/log.ts';
import { agentHeaders, closeCodes, pingPath } from '../tunnel/protocol.ts';
import { serveTunnel } from '../tunnel/serve-tunnel.ts';
import { identityHeaders } from './agent-identity.ts';
import { refusalOf } from './hub-errors.ts';
import type { HubReach } from './hub-api.ts';
import { HubLink } from './hub-link.ts';
import { fetchAuthorities, type HubTrust, type TrustOptions } from './hub-trust.ts';
import { withLoad } from './load-at-member.ts';
import { IdentityKeeper, type IdentityKeeperOptions } from './identity-keeper.ts';
import type { Ending, NextStep, Situation } from './next-step.ts';

export interface ConnectionOptions extends TrustOptions, IdentityKeeperOptions {
  /** The API server of the cluster. */
  readonly target: Transport;
  readonly renewalCheckMs?: number;
  /** Hears when the tunnel is there, and when it is not any more. */
  onChange?(isConnected: boolean): void;
}

/** What an agent knows between its attempts to connect. */
export class AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #identity: IdentityKeeper;
  /** Tells this process from another with the same identity. */
  readonly #instance = randomUUID();
  #authorities: HubTrust | undefined;
  #hubOffsetMs = 0;
  #isStandby = false;
  hasMetHub = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#identity = new IdentityKeeper(options);
  }

  get situation(): Pick<Situation, 'canRegister' | 'hasJustRegistered'> {
    return { canRegister: this.#options.token !== undefined, hasJustRegistered: this.#identity.isFresh };
  }

  /** How to speak with the hub besides the tunnel; undefined until it was met and has taken the agent in. */
  get reach(): HubReach | undefined {
    const identity = this.#identity.present;
    if (!identity || !this.#authorities) return undefined;
    return { identity, authorities: this.#authorities.pem, now: () => this.#hubTime() };
  }

  forget(what: (NextStep & { type: 'retry' })['forget']): void {
    if (what === 'authorities') this.#authorities = undefined;
    if (what === 'identity') this.#identity.forget();
  }

  /** Connects and serves until the tunnel ends. Never rejects. */
  async attempt(signal: AbortSignal): Promise<Ending> {
    const { target, agentVersion, server, onChange = () => {} } = this.#options;
    try {
      using link = await this.#link(signal);
      await this.#greet(link, signal);
      const identity = await this.#identity.current(link, this.#hubTime(), signal);
      const headers = {
        ...identityHeaders(identity, this.#hubTime()),
        [agentHeaders.version]: agentVersion,
        [agentHeaders.instance]: this.#instance,
        [agentHeaders.time]: new Date().toISOString(),
        [agentHeaders.strict]: String(this.#authorities?.isStrict === true),
        ...(this.#isStandby && { [agentHeaders.standby]: 'true' }),
      };
      const { ended } = await link.connect(headers, signal, webSocket => ({
        ended: serveTunnel({ webSocket, target: withLoad(target), signal }),
      }));
      this.#identity.confirm();
      log.info('connected', { peer: server, cluster: identity.clusterId });
      using _renewals = this.#renewWhenDue(signal);
      const openedAt = performance.now();
      onChange(true);
      const closed = await ended;
      onChange(false);
      this.#isStandby = closed.code === closeCodes.replaced;
      return { closed, livedMs: performance.now() - openedAt };
    } catch (error) {
      return { error };
    }
  }

  async #link(signal: AbortSignal): Promise<HubLink> {
    this.#authorities ??= await fetchAuthorities(this.#options, signal);
    return new HubLink({ ...this.#options, ca: this.#authorities.pem });
  }

  /** The hub answers, over verified TLS now, and tells its time. */
  async #greet(link: HubLink, signal: AbortSignal): Promise<void> {
    const answer = await link.request({ method: 'GET', path: pingPath }, signal);
    if (answer.status !== 200) throw refusalOf(answer);
    const date = Date.parse(answer.headers.date ?? '');
    // The header has whole seconds: on average it is half a second behind.
    this.#hubOffsetMs = Number.isFinite(date) ? date + 500 - Date.now() : 0;
    this.hasMetHub = true;
  }

  #hubTime(): Date {
    return new Date(Date.now() + this.#hubOffsetMs);
  }

  #renewWhenDue(signal: AbortSignal): Disposable {
    const timer = setInterval(() => void this.#renew(signal), this.#options.renewalCheckMs ?? 3_600_000).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async #renew(signal: AbortSignal): Promise<void> {
    try {
      using link = await this.#link(signal);
      await this.#identity.renewIfDue(link, this.#hubTime(), signal);
    } catch (err) {
      if (!signal.aborted) log.warn('cannot renew the identity', { peer: this.#options.server, err });
    }
  }
}
