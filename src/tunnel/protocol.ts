/** What agent and hub have agreed on; docs/decisions/0007-agent-identity.md says why. */
export const registerPath = '/v3/connect/register';
export const connectPath = '/v3/connect';
/** Below it an agent finds the Kubernetes API of the hub, as itself. */
export const hubApiPath = '/v3/connect/hub';
/** Behind `hubApiPath`, and before UID/RESOURCEVERSION: which step of which trace wrote that version of an object. */
export const tracePath = '/trace/';
export const pingPath = '/ping';
export const authoritiesPath = '/v3/settings/cacerts';
export const subprotocol = 'drover-tunnel.v1';

export const agentHeaders = {
  /** The registration token. */
  token: 'x-api-tunnel-token',
  /** Base64 of the DER. */
  certificate: 'x-drover-agent-certificate',
  version: 'x-drover-agent-version',
  /** Random, one per process. */
  instance: 'x-drover-agent-instance',
  /** The clock of the agent, RFC 3339 with milliseconds. */
  time: 'x-drover-agent-time',
  /** `true` from an agent to which the hub has proved itself by its published authorities alone. */
  strict: 'x-drover-agent-strict',
  /** `true` from an agent that was replaced: it takes the tunnel only when nobody else has it. */
  standby: 'x-drover-agent-standby',
} as const;

/** Close codes of the WebSocket. */
export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  replaced: 4000,
  removed: 4001,
  identityRefused: 4002,
  unresponsive: 4003,
} as const;

export const agentGroup = 'system:drover:agents';
export const agentUser = (clusterId: string): string => `system:drover:agent:${clusterId}`;

export interface RegisterRequest {
  /** The uid of the namespace kube-system, which tells clusters apart. */
  readonly clusterUid: string;
  readonly agentVersion: string;
  /** PEM. Its subject is empty the first time and that of the present certificate on renewal. */
  readonly csr: string;
}

export interface RegisterAnswer {
  readonly clusterId: string;
  /** PEM. */
  readonly certificate: string;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** What proofs must name as their audience. */
  readonly audience: string;
}

/** The claims of the JWT with which an agent proves that it holds the key of its certificate. */
export interface ProofClaims {
  readonly sub: string;
  readonly aud: string;
  /** Seconds since 1970 by the clock of the hub. */
  readonly iat: number;
  readonly jti: string;
}
