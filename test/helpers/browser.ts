import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { installMissing } from './debian-packages.ts';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { tempDir } from './temp-dir.ts';

/** The first is Chromium without what is around its pages, which takes two fifths of its time. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const axeSource = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures of screens stay for people to look at. */
export const picturesDir = process.env['DROVER_PICTURES'] ?? path.join(tmpdir(), 'drover-pictures');

/** In the gate nobody looks at them. */
const keepsPictures = process.env['DROVER_GATE'] !== 'true' || process.env['DROVER_PICTURES'] !== undefined;

/** Cells with more lines than a row of a table has room for. */
const cutCells = `[...document.querySelectorAll('.table [role="cell"]')]
  .filter(cell => cell.scrollHeight > cell.parentElement.clientHeight + 1)
  .slice(0, 3)
  .map(cell => 'higher than its row: ' + cell.innerText)`;

/**
 * Browsers report every answer that is an error; that nobody is signed in yet is none. When other stories make nodes, the network of the machine is
 * another, and requests are made again.
 */
const noFaults = /status of 401|ERR_NETWORK_CHANGED/;

/** Browsers say that the content policy was broken, and hide by whom. */
const tellPolicies = `document.addEventListener('securitypolicyviolation', event =>
  console.error('content policy: ' + event.effectiveDirective + ' ' + event.blockedURI + ' by ' + event.sourceFile + ':' + event.lineNumber + ' ' + event.sample))`;

/** What Chromium knows a server by. */
function keyOf(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      const key = socket.getPeerX509Certificate()!.publicKey.export({ type: 'spki', format: 'der' });
      socket.destroy();
      resolve(createHash('sha256').update(key).digest('base64'));
    });
    socket.once('error', reject);
  });
}

/** A window of a real browser, and what went wrong in it. */
export interface TestWindow extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors of scripts, of the console, and of the content policy. */
  readonly faults: string[];
  /** Keeps a picture of what is seen. */
  picture(name: string): Promise<void>;
  /** What somebody who cannot see, or uses no mouse, would stumble over, and what nobody could read. */
  barriers(): Promise<string[]>;
}

export interface TestBrowser extends AsyncDisposable {
  open(options?: {
    readonly colors?: 'light' | 'dark' | 'contrast';
    readonly width?: number;
    readonly height?: number;
  }): Promise<TestWindow>;
}

/**
 * Debian's Chromium, installed when it is missing. It trusts the servers whose addresses it is given: of others it overlooks that nobody vouches for them,
 * and begins each request anew for each connection it makes, up to 32 times, after which the request fails (`ERR_TOO_MANY_RETRIES`).
 */
export async function startBrowser(...trusted: readonly string[]): Promise<TestBrowser> {
  if (!programs.some(name => existsSync(name))) installMissing('browser');
  const keys = await Promise.all(trusted.map(keyOf));
  const scratch = tempDir('browser');
  const browser: Browser = await chromium.launch({
    executablePath: programs.find(name => existsSync(name))!,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      ...(keys.length > 0 ? [`--ignore-certificate-errors-spki-list=${keys.join(',')}`] : []),
    ],
  });
  return {
    async open({ colors = 'light', width = 1360, height = 860 } = {}) {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        colorScheme: colors === 'contrast' ? 'dark' : colors,
        contrast: colors === 'contrast' ? 'more' : 'no-preference',
        viewport: { width, height },
        // Scripts of tests are not scripts of the page; what the page itself may do is what is tested.
        bypassCSP: false,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await context.addInitScript(tellPolicies);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', error => faults.push(String(error)));
      page.on('console', message => {
        const text = message.text();
        if (message.type() !== 'error' || noFaults.test(text)) return;
        faults.push(text.includes('net::') ? `${text} ${message.location().url}` : text);
      });
      return {
        page,
        context,
        faults,
        async picture(name) {
          if (!keepsPictures) return;
          mkdirSync(picturesDir, { recursive: true });
          await page.screenshot({ path: path.join(picturesDir, `${name}.png`) });
        },
        async barriers() {
          // Without `preload`: a stylesheet that is still on its way would be written into the page, against the page's policy.
          const found = (await page.evaluate(`${axeSource()}; axe.run(document, { resultTypes: ['violations'], preload: false })`)) as {
            violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
          };
          const barriers = found.violations.flatMap(({ id, nodes }) =>
            nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
          );
          return [...barriers, ...((await page.evaluate(cutCells)) as string[])];
        },
        [Symbol.asyncDispose]: () => context.close(),
      };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      scratch[Symbol.dispose]();
    },
  };
}
