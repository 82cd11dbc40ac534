import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { buildUi } from '../../scripts/build-ui.ts';
import { startBrowser, type TestBrowser, type TestWindow } from './browser.ts';
import { startEitherHub, type EitherHub, type HubKind } from './either-hub.ts';
import { eventually } from './eventually.ts';
import { HttpTarget } from './http-target.ts';
import { kubectlFor, type CommandLine } from './kubectl.ts';
import type { Etcd } from './real-cluster.ts';
import { tempDir } from './temp-dir.ts';

/** What Rancher's API answers, as far as stories read it. */
export interface Answered {
  readonly id: string;
  readonly token?: string;
  readonly data?: readonly { readonly id: string; readonly name: string }[];
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A hub with its page, and a browser to look at it. */
export interface PageRig extends AsyncDisposable {
  readonly hub: EitherHub;
  readonly browser: TestBrowser;
  readonly admin: Credentials;
  readonly kubectl: CommandLine;
  /** kubectl on a member, through the hub. */
  on(cluster: string): CommandLine;
  /** Rancher's API as the administrator. */
  ask(method: string, path: string, body?: object): Promise<Answered>;
  /** A window in which somebody has signed in; in the same session as before unless it is to be a fresh one. */
  open(options?: Parameters<TestBrowser['open']>[0] & { readonly as?: Credentials; readonly isFresh?: boolean }): Promise<TestWindow>;
  url(place: string): string;
}

export async function startPageRig(kind: HubKind, etcd: Etcd, { sandboxes = 2 } = {}): Promise<PageRig> {
  await buildUi();
  const running = new AsyncDisposableStack();
  const scratch = running.use(tempDir('page'));
  const hub = running.use(await startEitherHub(kind, etcd, ['--sandbox', String(sandboxes)]));
  const browser = running.use(await startBrowser(hub.gateway));
  const admin = { username: 'admin', password: await eventually(() => firstPassword(hub), Boolean) };
  const target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
  running.defer(() => target.close());
  const url = (place: string) => `${hub.gateway}/ui${place}`;
  const sessions = new Map<string, Awaited<ReturnType<TestWindow['context']['cookies']>>>();
  let token = '';

  async function ask(method: string, path: string, body?: object): Promise<Answered> {
    token ||= (await send('POST', '/v3-public/localProviders/local?action=login', admin)).token ?? '';
    return send(method, path, body, { authorization: `Bearer ${token}` });
  }

  async function send(method: string, path: string, body?: object, headers = {}): Promise<Answered> {
    const answer = await target.request(method, path, body, headers);
    if (answer.code >= 400) throw new Error(`${method} ${path}: ${answer.code} ${answer.text}`);
    return answer.json<Answered>();
  }

  return {
    hub,
    browser,
    admin,
    kubectl: kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir }),
    on: cluster => kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir }),
    ask,
    url,
    async open({ as = admin, isFresh = false, ...options } = {}) {
      const window = await browser.open(options);
      const { page, context } = window;
      const session = isFresh ? undefined : sessions.get(as.username);
      if (session) {
        await context.addCookies(session);
        await page.goto(url('/'));
        await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      } else {
        await signIn(page, hub.gateway, as);
        if (!isFresh) sessions.set(as.username, await context.cookies());
      }
      return window;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What a hub printed when it first started. */
export function firstPassword(hub: { readonly program: { readonly logFile: string } }): string {
  return /^First admin password, shown once: (\S+)$/m.exec(readFileSync(hub.program.logFile, 'utf8'))?.[1] ?? '';
}

/** By the form, as a person does. */
export async function signIn(page: Page, gateway: string, { username, password }: Credentials): Promise<void> {
  await page.goto(`${gateway}/ui/`);
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
}
