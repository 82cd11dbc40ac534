import type { Settings } from 'node:http2';
import { tunnelLimits } from './tunnel-limits.ts';

const settings: Settings = {
  initialWindowSize: tunnelLimits.streamWindowBytes,
  maxConcurrentStreams: tunnelLimits.streams,
  maxHeaderListSize: 64 * 1024,
};

const common = {
  maxHeaderListPairs: tunnelLimits.headerPairs,
  peerMaxConcurrentStreams: tunnelLimits.streams,
  // Mebibytes of queued frames and header tables; data waits in the streams.
  maxSessionMemory: 64,
};

/** How the hub, which asks, speaks HTTP/2. */
export const hubSessionOptions = { ...common, settings: { ...settings, enablePush: false } };

/** How the agent, which answers, speaks HTTP/2. */
export const agentSessionOptions = {
  ...common,
  settings: { ...settings, enableConnectProtocol: true },
  streamResetBurst: tunnelLimits.resets.burst + 2 * tunnelLimits.streams,
  streamResetRate: 5 * tunnelLimits.resets.perSecond,
};
