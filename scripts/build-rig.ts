import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasGo, repositoryRoot, rigCacheDir, rigProgramNamed, rigProgramPath } from '../test/helpers/rig.ts';
import { rigPrograms, type RigProgram } from '../test/rig/programs.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, list: { type: 'boolean', default: false }, force: { type: 'boolean', default: false } },
});
const wanted = values.only ? values.only.split(',').map(name => rigProgramNamed(name.trim())) : rigPrograms;
if (values.list) listPrograms();
else await buildAll(wanted);

function listPrograms(): void {
  for (const { name, version } of wanted)
    console.log(`${name} ${version} ${existsSync(rigProgramPath(name)) ? rigProgramPath(name) : 'not built'}`);
}

async function buildAll(programs: readonly RigProgram[]): Promise<void> {
  const missing = programs.filter(p => values.force || !existsSync(rigProgramPath(p.name)));
  for (const p of programs) if (!missing.includes(p)) console.log(`have   ${p.name} ${p.version}`);
  if (missing.length === 0) return;
  if (!hasGo()) throw new Error(`cannot build ${missing.map(p => p.name).join(', ')}: Go is not installed`);

  mkdirSync(rigCacheDir(), { recursive: true });
  await withLock(path.join(rigCacheDir(), '.build.lock'), async () => {
    for (const program of missing) await build(program);
  });
}

async function build(program: RigProgram): Promise<void> {
  const target = rigProgramPath(program.name);
  if (existsSync(target) && !values.force) {
    console.log(`have   ${program.name} ${program.version} (built meanwhile)`);
    return;
  }
  const startedAt = Date.now();
  console.log(`build  ${program.name} ${program.version}`);

  const partial = `${target}.partial-${process.pid}`;
  const linker = ['-s', '-w', ...Object.entries(program.linkerVariables ?? {}).flatMap(([key, value]) => ['-X', `${key}=${value}`])];
  const verb = program.isTest ? ['test', '-c'] : ['build'];
  const args = [...verb, '-trimpath', `-ldflags=${linker.join(' ')}`, '-o', partial, program.package];
  try {
    await run('nice', ['go', ...args], path.join(repositoryRoot, 'test/rig', program.module));
    renameSync(partial, target);
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new Error(`cannot build "${program.name}" ${program.version}`, { cause });
  }
  console.log(`built  ${program.name} ${program.version} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

function run(command: string, args: string[], cwd: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, CGO_ENABLED: '0' } });
  child.on('error', reject);
  child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`go ended with ${code}`))));
  return promise;
}

/** One builder at a time: two would compile the same packages twice. A lock whose holder has died is taken over. */
async function withLock(file: string, action: () => Promise<void>): Promise<void> {
  for (let announced = false; !take(file); announced = true) {
    if (!announced) console.log(`wait   another build holds ${file}`);
    await sleep(1000);
  }
  try {
    await action();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err;
  }
  if (!isAlive(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
