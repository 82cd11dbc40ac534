import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';

type Exports = Record<string, unknown>;

const refuse = (): never => {
  throw new Error('rendering may not reach files, the network or other programs');
};

/** Of these, templates need what does nothing. */
const kept: Readonly<Record<string, readonly string[]>> = { net: ['isIP', 'isIPv4', 'isIPv6'], worker_threads: ['receiveMessageOnPort'] };

/**
 * Takes files, network and processes from this thread, for good, and lets nothing more be loaded. Templates cannot call any of it; this is for
 * the day when one finds a way.
 */
export function refuseAccess(): void {
  const modules = { fs, net, tls, http, https, http2, dns, dgram, child_process: childProcess, worker_threads: workerThreads };
  for (const [name, exports] of Object.entries(modules)) refuseAll(exports as unknown as Exports, kept[name] ?? []);
  for (const inner of [fs.promises, dns.promises]) refuseAll(inner as unknown as Exports, []);
  syncBuiltinESMExports();
  registerHooks({ resolve: refuse, load: refuse });
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Object.defineProperty(globalThis, name, { value: refuse });
  for (const name of ['getBuiltinModule', 'binding', 'dlopen', 'kill', 'chdir', 'loadEnvFile', '_linkedBinding']) {
    if (name in process) Object.defineProperty(process, name, { value: refuse });
  }
}

function refuseAll(exports: Exports, except: readonly string[]): void {
  for (const name of Object.keys(exports)) {
    if (except.includes(name) || typeof Object.getOwnPropertyDescriptor(exports, name)?.value !== 'function') continue;
    Object.defineProperty(exports, name, { value: refuse, configurable: true, enumerable: true, writable: true });
  }
}
