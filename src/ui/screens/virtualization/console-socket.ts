import { pathOf, type Kind } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';

export interface MachineAt {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export type ConsoleKind = 'vnc' | 'console';

/** KubeVirt's second API: what running machines can be asked for. */
export const instanceDeeds: Kind = {
  group: 'subresources.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  isNamespaced: true,
};

const protocol = 'plain.kubevirt.io';

export interface ConsoleEvents {
  onOpen?(): void;
  onBytes(bytes: Uint8Array): void;
  /** Once; not when it was closed from here. */
  onEnd(why: string): void;
}

export interface ConsoleSocket {
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/** A console of a machine that runs: bytes both ways, through the hub, by the rights of whoever is signed in. */
export function openConsole({ cluster, namespace, name }: MachineAt, kind: ConsoleKind, events: ConsoleEvents): ConsoleSocket {
  const path = pathOf(instanceDeeds, { cluster, namespace, name, subresource: kind });
  const socket = new WebSocket(`wss://${location.host}${path}`, [protocol]);
  socket.binaryType = 'arraybuffer';
  let wasOpen = false;
  socket.onopen = () => {
    wasOpen = true;
    events.onOpen?.();
  };
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) =>
    events.onBytes(typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data));
  socket.onclose = ({ reason }) => {
    if (wasOpen) return events.onEnd(reason || 'The connection has ended.');
    // Browsers do not tell why a connection was refused; the same question without it is answered in words.
    request(path).then(
      () => events.onEnd('The connection was refused.'),
      (error: unknown) => events.onEnd((error as Error).message),
    );
  };
  return {
    send: bytes => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
    },
    close: () => {
      socket.onclose = null;
      socket.onmessage = null;
      socket.close();
    },
  };
}

/** The same with KubeVirt's own program. */
export const virtctl = ({ cluster, namespace, name }: MachineAt, kind: ConsoleKind): string =>
  `drover kubeconfig ${cluster} > ${cluster}.kubeconfig && virtctl --kubeconfig ${cluster}.kubeconfig ${kind} ${name} -n ${namespace}`;
