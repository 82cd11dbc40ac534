import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { Service } from '../../src/api/builtin-kinds.ts';
import type { KubeObject } from '../../src/api/object.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { createAuthority, issueLeaf } from '../../src/pki/certificate-authority.ts';
import { VirtualMachine, VirtualMachineInstance } from '../../src/sandbox/harvester/kubevirt-kinds.ts';
import type { Json, JsonObject } from '../../src/util/json.ts';
import { eventually } from './eventually.ts';
import { RfbServer } from './rfb-server.ts';

const group = 'subresources.kubevirt.io';
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const protocol = 'plain.kubevirt.io';
const deeds = {
  virtualmachines: ['start', 'stop', 'restart'],
  virtualmachineinstances: ['pause', 'unpause', 'softreboot', 'console', 'vnc'],
};

/** An answer that says no, as virt-api does. */
class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Found {
  readonly key: { readonly namespace: string; readonly name: string };
  readonly vm: VirtualMachine | undefined;
  readonly vmi: VirtualMachineInstance | undefined;
}

/**
 * KubeVirt's second API server, which stands behind an APIService of a member: what virt-api checks and writes for each subresource, over the objects of
 * the member. Screens are real ones, of VNC; serial ports ask for a login and repeat what they hear.
 */
export class VirtApi implements AsyncDisposable {
  /** Requests that were let through to it, as `PUT shop/web start by NAME`. */
  readonly seen: string[] = [];
  /** The screen that was opened last, of `<namespace>/<name>`. */
  readonly screens = new Map<string, RfbServer>();
  readonly #client: KubeClient;
  readonly #server: Server;
  readonly #authority: string;
  readonly #consoles = new WebSocketServer({ noServer: true, handleProtocols: offered => (offered.has(protocol) ? protocol : false) });

  private constructor(client: KubeClient, server: Server, authority: string) {
    this.#client = client;
    this.#server = server;
    this.#authority = authority;
    server.on('request', (req: IncomingMessage, res: ServerResponse) => void this.#answer(req, res));
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => void this.#upgrade(req, socket, head));
  }

  /** `clientAuthority` vouches for the API server that asks: nobody else is heard. */
  static async start(client: KubeClient, clientAuthority: string): Promise<VirtApi> {
    const now = new Date();
    const authority = createAuthority('virt-api-authority', now);
    const { certificate, key } = issueLeaf(authority, { commonName: 'virt-api', usage: 'server', hosts: ['virt-api.kubevirt.svc'], now });
    const server = createServer({ cert: certificate, key, ca: clientAuthority, requestCert: true, rejectUnauthorized: true });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new VirtApi(client, server, authority.certificate);
  }

  /** Makes it part of the member's API. */
  async register(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await this.#create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubevirt' } });
    // Endpoints may not be on the loopback interface, an external name may.
    await this.#client.create(Service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'virt-api', namespace: 'kubevirt' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    });
    await this.#create(apiServices, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        caBundle: Buffer.from(this.#authority).toString('base64'),
        service: { namespace: 'kubevirt', name: 'virt-api', port },
      },
    });
    await eventually(async () => {
      const answer = await this.#client.request({ method: 'GET', path: `/apis/${group}/v1` });
      answer.body.resume();
      return answer.status === 200;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#consoles.clients) one.terminate();
    this.#server.closeAllConnections();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  async #create(path: string, body: JsonObject): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#client.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    answer.body.resume();
    if (answer.status !== 201) throw new Error(`cannot create at "${path}": ${answer.status}`);
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const send = (code: number, value?: object) =>
      void res.writeHead(code, { 'content-type': 'application/json' }).end(value && JSON.stringify(value));
    const { pathname } = new URL(req.url ?? '/', 'https://server');
    if (pathname === '/apis') return send(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: [] });
    if (pathname === `/apis/${group}/v1`) return send(200, discovery());
    try {
      const { resource, verb, ...at } = this.#parse(req, pathname);
      const deed = this.#deeds[`${resource}/${verb}`];
      if (!deed || req.method !== 'PUT') throw new Refusal(404, 'the server could not find the requested resource');
      await deed(await this.#find(at), (body === '' ? {} : JSON.parse(body)) as JsonObject);
      send(202);
    } catch (error) {
      const code = error instanceof Refusal ? error.code : 500;
      send(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: reasons[code], message: (error as Error).message });
    }
  }

  async #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const { resource, verb, ...at } = this.#parse(req, new URL(req.url ?? '/', 'https://server').pathname);
      const { vmi } = await this.#find(at);
      if (resource !== 'virtualmachineinstances' || !['console', 'vnc'].includes(verb) || vmi?.status?.phase !== 'Running')
        throw new Refusal(409, 'VMI is not running');
      this.#consoles.handleUpgrade(req, socket, head, console => {
        const screen = verb === 'vnc' ? this.#openScreen(at, console) : this.#openPort(at, console);
        console.on('message', (data: Buffer) => screen.hear(data));
      });
    } catch (error) {
      socket.end(`HTTP/1.1 409 Conflict\r\nConnection: close\r\n\r\n${(error as Error).message}`);
    }
  }

  #openScreen({ namespace, name }: Found['key'], console: WebSocket): RfbServer {
    const screen = new RfbServer(bytes => console.send(bytes));
    this.screens.set(`${namespace}/${name}`, screen);
    return screen;
  }

  /** As a Linux without anybody: it asks who is there, and shows what is typed. */
  #openPort({ name }: Found['key'], console: WebSocket): { hear(data: Buffer): void } {
    const say = (text: string) => console.send(Buffer.from(text));
    say(`\r\n${name} login: `);
    return { hear: data => say(data.toString() === '\r' ? '\r\nPassword: ' : data.toString()) };
  }

  #parse(req: IncomingMessage, pathname: string) {
    const [, namespace = '', resource = '', name = '', verb = ''] =
      /^\/apis\/subresources\.kubevirt\.io\/v1\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    this.seen.push(`${req.method} ${namespace}/${name} ${verb} by ${String(req.headers['x-remote-user'])}`);
    return { namespace, name, resource, verb };
  }

  async #find(key: Found['key']): Promise<Found> {
    const [vm, vmi] = await Promise.all([this.#client.get(VirtualMachine, key), this.#client.get(VirtualMachineInstance, key)]);
    return { key, vm, vmi };
  }

  readonly #deeds: Readonly<Record<string, (found: Found, body: JsonObject) => Promise<void>>> = {
    'virtualmachines/start': async ({ key, vm, vmi }) => {
      const strategy = strategyOf(vm, key.name);
      if (vmi && isLive(vmi)) throw new Refusal(409, 'VM is already running');
      if (strategy === 'Always') throw new Refusal(409, 'Always does not support manual start requests');
      if (strategy === 'Halted') await this.#patchMachine(key, { spec: { runStrategy: 'Always' } });
      else await this.#ask(key, ...(vmi ? [stopOf(vmi)] : []), { action: 'Start' });
    },
    'virtualmachines/stop': async ({ key, vm, vmi }, { gracePeriod }) => {
      const strategy = strategyOf(vm, key.name);
      if (strategy === 'Always') return this.#patchMachine(key, { spec: { runStrategy: 'Halted' } });
      if (!vmi || !isLive(vmi)) throw new Refusal(409, 'VM is not running');
      if (strategy === 'Halted' && gracePeriod === undefined)
        throw new Refusal(409, 'Halted only supports manual stop requests with a shorter graceperiod');
      await this.#ask(key, stopOf(vmi));
    },
    'virtualmachines/restart': async ({ key, vm, vmi }) => {
      if (strategyOf(vm, key.name) === 'Halted') throw new Refusal(409, 'Halted does not support manual restart requests');
      if (!vmi || !isLive(vmi)) throw new Refusal(409, 'VM is not running');
      await this.#ask(key, stopOf(vmi), { action: 'Start' });
    },
    'virtualmachineinstances/pause': async ({ key, vmi }) => {
      const running = runningOf(vmi, key.name);
      if (running.spec['livenessProbe'] !== undefined) throw new Refusal(403, 'Pausing VMIs with LivenessProbe is currently not supported');
      if (isPaused(running)) throw new Refusal(409, 'VMI is already paused');
      await this.#setConditions(running, [...conditionsOf(running), { type: 'Paused', status: 'True' }]);
    },
    'virtualmachineinstances/unpause': async ({ key, vmi }) => {
      const running = runningOf(vmi, key.name);
      if (!isPaused(running)) throw new Refusal(409, 'VMI is not paused');
      await this.#setConditions(
        running,
        conditionsOf(running).filter(one => one.type !== 'Paused'),
      );
    },
    'virtualmachineinstances/softreboot': async ({ key, vmi }) => {
      if (isPaused(runningOf(vmi, key.name))) throw new Refusal(409, 'VMI is paused');
    },
  };

  async #patchMachine(key: Found['key'], body: JsonObject): Promise<void> {
    await this.#client.patch(VirtualMachine, key, { type: 'merge', body });
  }

  /** The controllers of KubeVirt do what is noted so. */
  async #ask(key: Found['key'], ...stateChangeRequests: JsonObject[]): Promise<void> {
    await this.#client.patch(VirtualMachine, key, { type: 'merge', body: { status: { stateChangeRequests } } }, { subresource: 'status' });
  }

  async #setConditions({ metadata: { namespace = '', name = '' } }: KubeObject, conditions: Condition[]): Promise<void> {
    const body = { status: { conditions: conditions as unknown as Json } };
    await this.#client.patch(VirtualMachineInstance, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

const reasons: Readonly<Record<number, string>> = { 403: 'Forbidden', 404: 'NotFound', 409: 'Conflict', 500: 'InternalError' };

const discovery = () => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/v1`,
  resources: Object.entries(deeds).flatMap(([resource, verbs]) =>
    verbs.map(verb => ({ name: `${resource}/${verb}`, singularName: '', namespaced: true, kind: '', verbs: [] })),
  ),
});

function strategyOf(vm: VirtualMachine | undefined, name: string): string {
  if (!vm) throw new Refusal(404, `virtualmachine.kubevirt.io "${name}" not found`);
  return typeof vm.spec['runStrategy'] === 'string' ? vm.spec['runStrategy'] : 'Halted';
}

function runningOf(vmi: VirtualMachineInstance | undefined, name: string): VirtualMachineInstance {
  if (!vmi) throw new Refusal(404, `virtualmachineinstance.kubevirt.io "${name}" not found`);
  if (vmi.status?.phase !== 'Running') throw new Refusal(409, 'VM is not running');
  return vmi;
}

const isLive = ({ status }: VirtualMachineInstance) => ['Pending', 'Scheduling', 'Scheduled', 'Running'].includes(status?.phase ?? '');
const stopOf = ({ metadata: { uid = '' } }: VirtualMachineInstance): JsonObject => ({ action: 'Stop', uid });
const conditionsOf = ({ status }: VirtualMachineInstance) => ((status?.['conditions'] ?? []) as unknown as Condition[]).slice();
const isPaused = (vmi: VirtualMachineInstance) => conditionsOf(vmi).some(({ type, status }) => type === 'Paused' && status === 'True');
