import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import path from 'node:path';
import { finished } from 'node:stream';

/** A repository of git in a folder, for tests to write. */
export interface TestRepository {
  readonly dir: string;
  /** Writes files (and links, as `{ link }`), commits all, and answers the commit. */
  commit(files: Readonly<Record<string, string | { readonly link: string }>>, message?: string): string;
  git(...args: string[]): string;
}

const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

export function testRepository(dir: string): TestRepository {
  mkdirSync(dir, { recursive: true });
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: dir, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  git('init', '--quiet', '--initial-branch=main', '.');
  return {
    dir,
    git,
    commit(files, message = 'more') {
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(dir, name);
        mkdirSync(path.dirname(file), { recursive: true });
        if (typeof content === 'string') writeFileSync(file, content);
        else symlinkSync(content.link, file);
      }
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

/** Serves the repositories of a folder by `git http-backend`, at `/<folder of the repository>`. */
export function gitBackend(root: string, { authorization }: { authorization?: string } = {}): RequestListener {
  return (req, res) => {
    if (authorization !== undefined && req.headers.authorization !== authorization)
      return void res.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end(req.headers.authorization);
    runBackend(root, req, res);
  };
}

function runBackend(root: string, req: IncomingMessage, res: ServerResponse): void {
  const url = new URL(req.url ?? '', 'https://x');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: req.method,
      CONTENT_TYPE: req.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: req.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(req.headers['git-protocol'] ?? ''),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  });
  req.pipe(child.stdin);
  child.stdin.on('error', () => {});
  finished(res, () => child.kill());
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (!head) return void res.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    let status = 200;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') status = Number.parseInt(value, 10);
      else res.setHeader(name, value);
    }
    res.writeHead(status);
    res.write(head.subarray(end + 4));
    head = undefined;
  });
  child.stdout.on('end', () => res.end());
}
